import type { Repositories, UsersFilter } from '../../ports/index.js'
import { SEND_MAIL } from './send-mail.js'

/** Ends the links that users have, and takes back mails that wait to be sent to them. */
export async function endLinks(repositories: Repositories, of: UsersFilter): Promise<void> {
  const { mails, jobs, passwordTokens } = repositories
  for (const subject of await mails.removeOf(of)) await jobs.cancel({ kind: SEND_MAIL, subject })
  if ('userId' in of) await passwordTokens.removeOfUser(of.userId)
  else await passwordTokens.removeOfCompany(of.companyId)
}

import type { Repositories, UserRecord } from '../../ports/index.js'
import type { Reach } from '../access/reach.js'
import { Rights } from '../access/rights.js'
import { ADMINISTRATOR, ensureSystemRole } from './system-roles.js'

/** Gives a new user the role Administrator on all accounts of their company. */
export async function grantAdministrator(
  repositories: Repositories,
  user: UserRecord,
  created: string,
  reach: Reach,
): Promise<void> {
  const administrator = await ensureSystemRole(repositories, ADMINISTRATOR)
  const rights = await Rights.of(repositories, reach, new Date(created))
  for (const account of await repositories.accounts.list({ companyId: user.companyId })) {
    await rights.grant({ userId: user.id, accountId: account.id, roleId: administrator.id, created }, user)
  }
}

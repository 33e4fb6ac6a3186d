import { InvalidInputError } from '../../kernel/errors.js'
import type { Repositories, UserRecord } from '../../ports/index.js'
import { findMissing, givesAccess } from '../access/authorizer.js'
import type { Principal } from '../access/principal.js'

/** An account on which a user may act now, with the principal for it. */
export interface UserPrincipal {
  /** For `engine.as`, and for the option `authenticate` of the REST handler. */
  readonly principal: Principal
  /** Key of the account's application. */
  readonly application: string
  readonly account: { readonly id: number; readonly name: string; readonly customerId: number }
  readonly role: { readonly id: number; readonly name: string }
}

const ASSISTANT = 'assistant'

/**
 * The principals of a user: one for each account on which the user may act now, in the order of the account ids. Each
 * acts for the company of its account. A disabled user, or a user of a disabled company, has none.
 *
 * @param accountId only the one for this account
 */
export async function userPrincipals(
  repositories: Repositories,
  userId: number,
  accountId?: number,
): Promise<UserPrincipal[]> {
  const principals: UserPrincipal[] = []
  for (const { account, role } of await repositories.permissions.listDetails([userId])) {
    const { id, name, companyId, application } = account
    if (accountId !== undefined && id !== accountId) continue
    const access = await repositories.permissions.findAccess(userId, id)
    if (access === undefined || !givesAccess(access)) continue
    const principal = { companyId, userId, accountId: id }
    if ((await findMissing(repositories, principal, access)) !== undefined) continue
    principals.push({
      principal,
      application,
      account: { id, name, customerId: companyId },
      role: { id: role.id, name: role.name },
    })
  }
  return principals.sort((one, other) => one.account.id - other.account.id)
}

/**
 * The principal with which a user usually acts: on the company's assistant account, then on another assistant account,
 * then on any account. A user without a permission gets one that the engine refuses until a permission is granted.
 *
 * @throws InvalidInputError if the company has no account at all
 */
export async function mainPrincipal(
  { accounts }: Repositories,
  { id: userId, companyId }: Pick<UserRecord, 'id' | 'companyId'>,
  principals: readonly UserPrincipal[],
): Promise<Principal> {
  const ofAssistant = principals.filter(({ application }) => application === ASSISTANT)
  const main = ofAssistant.find(({ account }) => account.customerId === companyId) ?? ofAssistant[0] ?? principals[0]
  if (main !== undefined) return main.principal
  const ofCompany = await accounts.list({ companyId })
  const account = ofCompany.find(({ application }) => application === ASSISTANT) ?? ofCompany[0]
  if (account === undefined)
    throw new InvalidInputError('companyId', `the company ${companyId} has no account: create one first`)
  return { companyId, userId, accountId: account.id }
}

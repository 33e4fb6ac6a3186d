import type { ApiKeyRecord, Repositories, UserRecord } from '../../ports/index.js'
import { type Capability, narrowToScope, type Principal } from '../access/principal.js'
import { type UserPrincipal, userPrincipals } from '../users/user-principals.js'
import type { Login, LoginAccount } from './login.js'

/** The capabilities that tokens for an application use. A key for one application gets no others. */
const CAPABILITIES_OF: Readonly<Record<string, readonly Capability[]>> = {
  assistant: ['context:read', 'context:write', 'document:write', 'search'],
  tenant: ['tenant:manage', 'webhook:manage'],
}

/**
 * The accounts on which a login may act: of a key, those of its applications in its company and the ones below.
 * @param accountId only this account
 */
export async function principalsOf(
  repositories: Repositories,
  user: UserRecord,
  key: ApiKeyRecord | undefined,
  accountId?: number,
): Promise<UserPrincipal[]> {
  const ofUser = await userPrincipals(repositories, user.id, accountId)
  if (key === undefined) return ofUser
  const { companyId, sight, targets } = key
  const scope = targets.flatMap((target) => CAPABILITIES_OF[target] ?? [])
  return (await withinReach(repositories, ofUser, key)).map((usable) => ({
    ...usable,
    principal: { ...usable.principal, companyId, sight, scope, targets },
  }))
}

/** Those on accounts of a company and the ones below, and of some applications: default all. */
export async function withinReach(
  { companies }: Repositories,
  principals: readonly UserPrincipal[],
  { companyId, targets }: Pick<Principal, 'companyId' | 'targets'>,
): Promise<UserPrincipal[]> {
  const companyIds = principals.map(({ account }) => account.customerId)
  const reached = await companies.within(companyIds, companyId)
  return principals.filter(
    ({ account, application }) => reached.has(account.customerId) && targets?.includes(application) !== false,
  )
}

export function toLoginUser({ id, name, email, companyId: customerId }: UserRecord): Login['user'] {
  return { id, name, email, customerId }
}

export async function toAccounts(
  repositories: Repositories,
  principals: readonly UserPrincipal[],
): Promise<readonly LoginAccount[]> {
  const accounts: LoginAccount[] = []
  for (const usable of principals) accounts.push(await toAccount(repositories, usable))
  return accounts
}

async function toAccount(
  { companies, roles }: Repositories,
  { principal, application, account, role }: UserPrincipal,
): Promise<LoginAccount> {
  const [company, record] = await Promise.all([companies.get(account.customerId), roles.get(role.id)])
  const isValid = record?.applications.includes(application) === true
  const capabilities = isValid ? record.capabilities : []
  return {
    ...account,
    application,
    customerName: company?.name ?? '',
    role,
    capabilities: narrowToScope(capabilities, principal.scope),
  }
}

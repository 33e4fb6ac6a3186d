import { LastManagerError } from '../../kernel/errors.js'
import type { AccessRecord, PermissionRecord, Repositories, RoleRecord } from '../../ports/index.js'
import { givesAccess } from './authorizer.js'
import { isKeyUsable } from './principal.js'

const TENANT = 'tenant'
const MANAGE = 'tenant:manage'
const MANAGE_WEBHOOKS = 'webhook:manage'

/**
 * Makes sure that companies stay managed. A managing permission is enabled, on an active account of the application
 * `tenant`. Its role has `tenant:manage`, and its role and user are enabled. The change must leave a company its last
 * managing permission, and the last one that a user can use.
 *
 * @param changed permissions that are about to be suspended, removed or changed
 * @param newRole the role that they get instead; undefined if they give no access afterwards
 * @throws LastManagerError
 */
export async function requireManagers(
  repositories: Repositories,
  changed: readonly PermissionRecord[],
  newRole: RoleRecord | undefined,
  now: Date,
): Promise<void> {
  if (newRole !== undefined && allowsManaging(newRole)) return
  const changedIds = new Set(changed.map(({ id }) => id))
  for (const companyId of await companiesManagedBy(repositories, changed)) {
    const managers = await managersOf(repositories, companyId)
    const lost = managers.filter(({ permission }) => changedIds.has(permission.id))
    const remaining = managers.filter(({ permission }) => !changedIds.has(permission.id))
    if (lost.length === 0 || (await canAnyAct(repositories, remaining, now))) continue
    if (remaining.length === 0 || (await canAnyAct(repositories, lost, now))) throw new LastManagerError(companyId)
  }
}

/** The accesses by which users may manage the webhooks of a company, ordered by permission id. */
export async function managersOfWebhooks(
  { permissions }: Repositories,
  companyId: number,
): Promise<readonly AccessRecord[]> {
  const all = await permissions.listAccessOfCompany(companyId, TENANT)
  return all.filter((access) => {
    const { user, role } = access
    const { applications, capabilities } = role
    const allows = applications.includes(TENANT) && capabilities.includes(MANAGE_WEBHOOKS)
    return givesAccess(access) && !user.isDisabled && !user.isCompanyDisabled && allows
  })
}

function allowsManaging({ applications, capabilities }: Pick<RoleRecord, 'applications' | 'capabilities'>): boolean {
  return applications.includes(TENANT) && capabilities.includes(MANAGE)
}

async function companiesManagedBy(
  { accounts }: Repositories,
  permissions: readonly PermissionRecord[],
): Promise<ReadonlySet<number>> {
  const records = await Promise.all(
    permissions.filter(({ isDisabled }) => !isDisabled).map(({ accountId }) => accounts.get(accountId)),
  )
  return new Set(
    records.flatMap((account) => (account?.application === TENANT && account.isActive ? [account.companyId] : [])),
  )
}

async function managersOf({ permissions }: Repositories, companyId: number): Promise<readonly AccessRecord[]> {
  const all = await permissions.listAccessOfCompany(companyId, TENANT)
  return all.filter((access) => {
    const { user, role } = access
    return givesAccess(access) && !user.isDisabled && !user.isCompanyDisabled && allowsManaging(role)
  })
}

/** True if the user of at least one of these permissions can act. */
async function canAnyAct(repositories: Repositories, managers: readonly AccessRecord[], now: Date): Promise<boolean> {
  for (const manager of managers) if (await canAct(repositories, manager, now)) return true
  return false
}

/**
 * True if the user has completed the setup, or has a usable API key for tokens of the application `tenant`. The user's
 * or the key's company must be the account's company, or lie above or below it: other principals do not manage it.
 */
async function canAct(repositories: Repositories, { user, account }: AccessRecord, now: Date): Promise<boolean> {
  const { users, apiKeys, companies } = repositories
  const isInSameBranch = async (companyId: number): Promise<boolean> =>
    (await companies.isWithin(account.companyId, companyId)) || (await companies.isWithin(companyId, account.companyId))
  const { passwordHash = null } = (await users.get(user.id)) ?? {}
  if (passwordHash !== null && (await isInSameBranch(user.companyId))) return true
  for (const key of await apiKeys.list({ userId: user.id })) {
    if (isKeyUsable(key, now) && key.targets.includes(TENANT) && (await isInSameBranch(key.companyId))) return true
  }
  return false
}

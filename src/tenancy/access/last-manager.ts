import { LastManagerError } from '../../kernel/errors.js'
import type { AccessRecord, PermissionRecord, Repositories, RoleRecord } from '../../ports/index.js'
import { isOpen } from './authorizer.js'
import { isUsable } from './principal.js'

const TENANT = 'tenant'
const MANAGE = 'tenant:manage'

/**
 * Makes sure that companies stay managed. A company is managed by enabled permissions on its active accounts of the
 * application `tenant` whose role has `tenant:manage`, and whose role and user are enabled. The last of them stays, and so does the last one that somebody
 * can use.
 *
 * @param taken permissions that are about to be suspended, removed or changed
 * @param newRole the role that they get instead; omitted, they give no access afterwards
 * @throws LastManagerError
 */
export async function requireManagers(
  repositories: Repositories,
  taken: readonly PermissionRecord[],
  newRole: RoleRecord | undefined,
  now: Date,
): Promise<void> {
  if (newRole !== undefined && allowsManaging(newRole)) return
  const takenIds = new Set(taken.map(({ id }) => id))
  for (const companyId of await companiesManagedBy(repositories, taken)) {
    const managers = await managersOf(repositories, companyId)
    const lost = managers.filter(({ permission }) => takenIds.has(permission.id))
    const left = managers.filter(({ permission }) => !takenIds.has(permission.id))
    if (lost.length === 0 || (await anyCanAct(repositories, left, now))) continue
    if (left.length === 0 || (await anyCanAct(repositories, lost, now))) throw new LastManagerError(companyId)
  }
}

function allowsManaging({ applications, capabilities }: Pick<RoleRecord, 'applications' | 'capabilities'>): boolean {
  return applications.includes(TENANT) && capabilities.includes(MANAGE)
}

async function companiesManagedBy(
  { accounts }: Repositories,
  permissions: readonly PermissionRecord[],
): Promise<ReadonlySet<number>> {
  const found = await Promise.all(
    permissions.filter(({ isDisabled }) => !isDisabled).map(({ accountId }) => accounts.get(accountId)),
  )
  return new Set(
    found.flatMap((account) => (account?.application === TENANT && account.isActive ? [account.companyId] : [])),
  )
}

async function managersOf({ permissions }: Repositories, companyId: number): Promise<readonly AccessRecord[]> {
  const all = await permissions.listAccessOfCompany(companyId, TENANT)
  return all.filter((access) => {
    const { user, role } = access
    return isOpen(access) && !user.isDisabled && !user.isCompanyDisabled && allowsManaging(role)
  })
}

/** Whether somebody can use one of these permissions, as far as the engine can tell. */
async function anyCanAct(repositories: Repositories, managers: readonly AccessRecord[], now: Date): Promise<boolean> {
  for (const manager of managers) if (await canAct(repositories, manager, now)) return true
  return false
}

/**
 * A user can act who has completed the setup, or for whom an API key asks for tokens of the application `tenant`; in
 * the name of the account's company, of one above it or of one below it, as every principal that manages does.
 */
async function canAct(repositories: Repositories, { user, account }: AccessRecord, now: Date): Promise<boolean> {
  const { users, apiKeys, companies } = repositories
  const isNear = async (companyId: number): Promise<boolean> =>
    (await companies.isWithin(account.companyId, companyId)) || (await companies.isWithin(companyId, account.companyId))
  const { passwordHash = null } = (await users.get(user.id)) ?? {}
  if (passwordHash !== null && (await isNear(user.companyId))) return true
  for (const key of await apiKeys.list({ userId: user.id })) {
    if (isUsable(key, now) && key.targets.includes(TENANT) && (await isNear(key.companyId))) return true
  }
  return false
}

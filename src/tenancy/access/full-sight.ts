import type { Repositories } from '../../ports/index.js'
import { givesAccess } from './authorizer.js'
import { type Capability, findUsableUser, isKeyUsable } from './principal.js'
import type { Reach } from './reach.js'

const READS: Capability = 'context:read'

/** True for an actor who sees all contexts of the accounts within reach, also private ones of others. */
export function hasFullSight({ sight, mayGrant }: Pick<Reach, 'sight' | 'mayGrant'>): boolean {
  return sight === 'account' && mayGrant([READS])
}

/** Somebody who had full sight when they set the URL of a destination. */
interface Maker {
  /** Null or undefined: the host or the command line. */
  readonly makerId?: number | null | undefined
  /** The company of the destination. */
  readonly companyId: number
}

/**
 * True if a maker has not lost the right since. The user is enabled, and still manages the webhooks of the company and
 * reads contexts. If keys gave the sight of the account, one of them is usable.
 */
export async function keepsFullSight(
  repositories: Repositories,
  { makerId, companyId }: Maker,
  now: Date,
): Promise<boolean> {
  const { apiKeys, companies, permissions } = repositories
  if (makerId === undefined || makerId === null) return true
  if ((await findUsableUser(repositories, makerId)) === undefined) return false
  const wide = (await apiKeys.list({ userId: makerId })).filter(({ sight }) => sight === 'account')
  if (wide.length > 0 && !wide.some((key) => isKeyUsable(key, now))) return false
  const needed: readonly Capability[] = ['webhook:manage', READS]
  for (const access of await permissions.listAccess(makerId, 'tenant')) {
    const { account, role } = access
    const mayManage = givesAccess(access) && needed.every((capability) => role.capabilities.includes(capability))
    if (mayManage && (await companies.isWithin(companyId, account.companyId))) return true
  }
  return false
}

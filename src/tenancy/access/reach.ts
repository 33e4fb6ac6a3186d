import { type AuditActor, HOST_ACTOR } from '../../audit/index.js'
import { errorReason, ForbiddenError, NotFoundError } from '../../kernel/errors.js'
import type { Repositories, Sight, UserRecord, WithinFilter } from '../../ports/index.js'

/** The companies that an actor manages, and the capabilities that the actor may grant. */
export interface Reach {
  /** The topmost company of the reach, which includes all companies below; `undefined` for all companies. */
  readonly companyId: number | undefined
  /** The user whose reach it is; `undefined` for the host. */
  readonly userId: number | undefined
  /** The actor, for the audit trail. */
  readonly by: AuditActor
  /** True for a user's reach. Access to a company outside it is then forbidden; for the host it is only missing. */
  readonly isLimited: boolean
  /** The contexts that the actor sees in an account. */
  readonly sight: Sight
  /** The applications for which the actor may make API keys; `undefined` for all. */
  readonly targets: readonly string[] | undefined
  /** Returns those of these companies that exist and are within the reach. */
  within(repositories: Repositories, companyIds: readonly number[]): Promise<ReadonlySet<number>>
  /** True if a role with these capabilities may be granted. */
  mayGrant(capabilities: readonly string[]): boolean
  /**
   * Reads the reach a second time, within a transaction: rights that its holder has lost since are not part of it.
   *
   * @throws UnauthenticatedError @throws ForbiddenError if its holder manages no company now
   */
  renew(repositories: Repositories): Promise<Reach>
}

/** A reach over all companies, with all capabilities. */
export function unlimitedReach(by: AuditActor): Reach {
  const reach: Reach = {
    companyId: undefined,
    userId: undefined,
    by,
    isLimited: false,
    sight: 'account',
    targets: undefined,
    within: async ({ companies }, companyIds) => {
      const records = await Promise.all(companyIds.map((id) => companies.get(id)))
      return new Set(records.flatMap((company) => (company === undefined ? [] : [company.id])))
    },
    mayGrant: () => true,
    renew: async () => reach,
  }
  return reach
}

/** The host's own reach. */
export const UNLIMITED: Reach = unlimitedReach(HOST_ACTOR)

/** The user of a reach. */
interface ReachHolder extends Pick<Reach, 'by' | 'renew' | 'sight' | 'targets'> {
  readonly userId: number
  /** Capabilities of the user's role on the tenant account. */
  readonly capabilities: readonly string[]
}

/** The reach of a user over a company and its descendants. */
export function reachOf(companyId: number, { userId, by, capabilities, sight, targets, renew }: ReachHolder): Reach {
  return {
    companyId,
    userId,
    by,
    isLimited: true,
    sight,
    targets,
    within: async ({ companies }, companyIds) => await companies.within([...new Set(companyIds)], companyId),
    mayGrant: (granted) => granted.every((capability) => capabilities.includes(capability)),
    renew,
  }
}

/** Selects the companies of a reach in a list. */
export function withinFilter({ companyId }: Pick<Reach, 'companyId'>): WithinFilter {
  return companyId === undefined ? {} : { withinCompanyId: companyId }
}

export async function covers(reach: Reach, repositories: Repositories, companyId: number): Promise<boolean> {
  return (await reach.within(repositories, [companyId])).has(companyId)
}

/**
 * @throws ForbiddenError within a limited reach, if the company is missing or out of reach
 * @throws NotFoundError without a limit, if the company is missing
 */
export async function requireCompany(repositories: Repositories, reach: Reach, companyId: number): Promise<void> {
  if (await covers(reach, repositories, companyId)) return
  if (reach.isLimited) {
    throw new ForbiddenError(
      `the company ${companyId} is not accessible`,
      errorReason('company-not-accessible', { company: companyId }),
    )
  }
  throw new NotFoundError('company', companyId)
}

/**
 * Makes sure that a limited reach covers each company that has an API key of a user. Revoked keys do not count. Nobody may
 * take a key from a company that they do not manage.
 *
 * @throws ForbiddenError
 */
export async function requireKeysWithin(
  repositories: Repositories,
  reach: Reach,
  { id: userId }: Pick<UserRecord, 'id'>,
): Promise<void> {
  if (!reach.isLimited) return
  const keys = (await repositories.apiKeys.list({ userId })).filter(({ revoked }) => revoked === null)
  const companyIds = [...new Set(keys.map(({ companyId }) => companyId))]
  const reachedIds = await reach.within(repositories, companyIds)
  if (companyIds.every((id) => reachedIds.has(id))) return
  throw new ForbiddenError(
    `the user ${userId} has an API key of a company that is not accessible: a manager of that company must revoke it first`,
    errorReason('user-with-key-elsewhere', { user: userId }),
  )
}

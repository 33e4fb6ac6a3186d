import { type AuditActor, HOST_ACTOR } from '../../audit/index.js'
import { ForbiddenError, NotFoundError } from '../../kernel/errors.js'
import type { Repositories, UserRecord } from '../../ports/index.js'

/** Which companies somebody manages, and what they may hand on. */
export interface Reach {
  /** The company that it begins with, and goes down from; `undefined` for everything there is. */
  readonly companyId: number | undefined
  /** Whose reach it is; `undefined` for the host's own. */
  readonly userId: number | undefined
  /** Who acts within it, for the audit trail. */
  readonly by: AuditActor
  /** Whether what lies outside is refused as forbidden, rather than as missing. */
  readonly isLimited: boolean
  /** Which of these companies are within. */
  within(repositories: Repositories, companyIds: readonly number[]): Promise<ReadonlySet<number>>
  /** Whether a role with these capabilities may be granted. */
  mayGrant(capabilities: readonly string[]): boolean
  /**
   * The same reach, read again within a transaction: what was taken from its holder meanwhile is gone.
   *
   * @throws UnauthenticatedError @throws ForbiddenError where its holder manages nothing any more
   */
  renewed(repositories: Repositories): Promise<Reach>
}

/** Everything there is. */
export function unlimitedReach(by: AuditActor): Reach {
  const reach: Reach = {
    companyId: undefined,
    userId: undefined,
    by,
    isLimited: false,
    within: async ({ companies }, companyIds) => {
      const found = await Promise.all(companyIds.map((id) => companies.get(id)))
      return new Set(found.flatMap((company) => (company === undefined ? [] : [company.id])))
    },
    mayGrant: () => true,
    renewed: async () => reach,
  }
  return reach
}

/** The host's own reach. */
export const UNLIMITED: Reach = unlimitedReach(HOST_ACTOR)

/** Whose reach it is, and what their role on the tenant account allows. */
interface ReachHolder {
  readonly userId: number
  readonly by: AuditActor
  readonly capabilities: readonly string[]
  readonly renewed: Reach['renewed']
}

/** The reach of a user over a company and its descendants. */
export function reachOf(companyId: number, { userId, by, capabilities, renewed }: ReachHolder): Reach {
  return {
    companyId,
    userId,
    by,
    isLimited: true,
    within: async ({ companies }, companyIds) => await companies.within([...new Set(companyIds)], companyId),
    mayGrant: (granted) => granted.every((capability) => capabilities.includes(capability)),
    renewed,
  }
}

export async function covers(reach: Reach, repositories: Repositories, companyId: number): Promise<boolean> {
  return (await reach.within(repositories, [companyId])).has(companyId)
}

/** @throws NotFoundError @throws ForbiddenError alike for what is missing and what is out of reach */
export async function requireCompany(repositories: Repositories, reach: Reach, companyId: number): Promise<void> {
  if (await covers(reach, repositories, companyId)) return
  if (reach.isLimited) throw new ForbiddenError(`the company ${companyId} is not accessible`)
  throw new NotFoundError('company', companyId)
}

/**
 * Makes sure that a limited reach covers each company that has an API key of a user, revoked ones excepted: nobody
 * takes a key from a company that they do not manage.
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
  const within = await reach.within(repositories, companyIds)
  if (companyIds.every((id) => within.has(id))) return
  throw new ForbiddenError(
    `the user ${userId} has an API key of a company that is not accessible: somebody who manages that company must revoke it first`,
  )
}

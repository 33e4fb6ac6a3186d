import type { Repositories } from '../../ports/index.js'
import { ForbiddenError, NotFoundError } from '../../shared/errors.js'

/** Which companies somebody manages, and what they may hand on. */
export interface Reach {
  /** The company that it begins with, and goes down from; `undefined` for everything there is. */
  readonly companyId: number | undefined
  /** Whether what lies outside is refused as forbidden, rather than as missing. */
  readonly isLimited: boolean
  /** Which of these companies are within. */
  within(repositories: Repositories, companyIds: readonly number[]): Promise<ReadonlySet<number>>
  /** Whether a role with these capabilities may be granted. */
  mayGrant(capabilities: readonly string[]): boolean
}

/** The host's own reach: everything there is. */
export const UNLIMITED: Reach = {
  companyId: undefined,
  isLimited: false,
  within: async ({ companies }, companyIds) => {
    const found = await Promise.all(companyIds.map((id) => companies.get(id)))
    return new Set(found.flatMap((company) => (company === undefined ? [] : [company.id])))
  },
  mayGrant: () => true,
}

/** A company and its descendants (specification, Authentication, rule 4). */
export function reachOf(companyId: number, capabilities: readonly string[]): Reach {
  return {
    companyId,
    isLimited: true,
    within: async ({ companies }, companyIds) => await companies.within([...new Set(companyIds)], companyId),
    mayGrant: (granted) => granted.every((capability) => capabilities.includes(capability)),
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

import type { Repositories, UserRecord } from '../../ports/index.js'
import { ForbiddenError } from '../../shared/errors.js'
import type { Reach } from './reach.js'

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

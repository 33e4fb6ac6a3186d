import type { ContextRecord, Repositories } from '../ports/index.js'
import { ForbiddenError, NotFoundError } from '../shared/errors.js'
import type { Access } from '../tenancy-authorization/index.js'

/** The key of the application whose accounts hold contexts. */
export const ASSISTANT = 'assistant'

/** Whether a principal sees a context of its account. */
function sees({ principal }: Access, context: ContextRecord): boolean {
  if (context.accountId !== principal.accountId) return false
  return principal.sight === 'account' || context.userId === principal.userId || context.shareState === 1
}

/**
 * A context that the principal sees.
 * @throws NotFoundError where there is none, or it is another account's, or private to another user
 */
export async function findReadable(
  { contexts }: Repositories,
  access: Access,
  contextId: number,
): Promise<ContextRecord> {
  const context = await contexts.get(contextId)
  if (context === undefined || !sees(access, context)) throw new NotFoundError('context', contextId)
  return context
}

/**
 * A context that the principal may change: its own, or with `tenant:manage` any it sees.
 * A principal with sight of the whole account may change all of them.
 *
 * @throws NotFoundError as {@link findReadable}
 * @throws ForbiddenError where it is shared by another user
 */
export async function findWritable(
  repositories: Repositories,
  access: Access,
  contextId: number,
): Promise<ContextRecord> {
  const context = await findReadable(repositories, access, contextId)
  const { principal } = access
  if (principal.sight === 'account' || context.userId === principal.userId || access.can('tenant:manage'))
    return context
  throw new ForbiddenError(`the context ${contextId} is shared by another user, who alone may change it`)
}

import { recordChange } from '../audit/index.js'
import type { Clock, Repositories, Storage } from '../ports/index.js'
import { parseId } from '../shared/validate.js'
import { type Authorizer, type Principal, parsePrincipal } from '../tenancy-authorization/index.js'
import { ASSISTANT, findWritable } from './context-access.js'
import { removeContext } from './remove-contexts.js'

/** Deletes a context with its documents: at once for everybody who looks, on the disk by a job. */
export class DeleteContext {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #authorizer: Authorizer

  constructor(storage: Storage, clock: Clock, authorizer: Authorizer) {
    this.#storage = storage
    this.#clock = clock
    this.#authorizer = authorizer
  }

  /**
   * @throws NotFoundError `ERR_CONTEXT_NOT_FOUND`
   * @throws ForbiddenError where another user shares it
   */
  async execute(principal: Principal, contextId: number): Promise<void> {
    const access = await this.#authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'context:write')
    const id = parseId(contextId, 'contextId')
    const remove = async (repositories: Repositories): Promise<void> => {
      // An upload that is being settled holds it, and is a document by then.
      await repositories.contexts.lock(id)
      await findWritable(repositories, access, id)
      await removeContext(repositories, id, this.#clock.now().toISOString())
      await recordChange(repositories, access.by, this.#clock.now(), {
        action: 'context.deleted',
        companyId: access.companyId,
        targetId: id,
        details: { accountId: access.principal.accountId },
      })
    }
    await this.#storage.transaction(remove, { isolation: 'read committed' })
  }
}

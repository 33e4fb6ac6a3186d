import type { Storage } from '../ports/index.js'
import { parseId } from '../shared/validate.js'
import { type Authorizer, type Principal, parsePrincipal } from '../tenancy-authorization/index.js'
import { type Context, toContext, toSettings } from './context.js'
import { ASSISTANT, findReadable } from './context-access.js'
import type { ContextSettings } from './context-input.js'

/** Reads one context. */
export class GetContext {
  readonly #storage: Storage
  readonly #authorizer: Authorizer

  constructor(storage: Storage, authorizer: Authorizer) {
    this.#storage = storage
    this.#authorizer = authorizer
  }

  /** @throws NotFoundError `ERR_CONTEXT_NOT_FOUND` */
  async execute(principal: Principal, contextId: number): Promise<Context> {
    const access = await this.#authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'context:read')
    const id = parseId(contextId, 'contextId')
    return toContext(await this.#storage.read((repositories) => findReadable(repositories, access, id)))
  }

  /**
   * How a context's documents are cut and searched, those settings too that the specification does not show.
   * @throws NotFoundError `ERR_CONTEXT_NOT_FOUND`
   */
  async settings(principal: Principal, contextId: number): Promise<Required<ContextSettings>> {
    const access = await this.#authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'context:read')
    const id = parseId(contextId, 'contextId')
    return toSettings(await this.#storage.read((repositories) => findReadable(repositories, access, id)))
  }
}

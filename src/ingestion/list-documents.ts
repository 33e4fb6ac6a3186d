import { ASSISTANT, findReadable } from '../context/index.js'
import type { Storage } from '../ports/index.js'
import { parseId } from '../shared/validate.js'
import { type Authorizer, type Principal, parsePrincipal } from '../tenancy-authorization/index.js'
import { type Document, toDocument } from './document.js'

/** Lists the documents of a context, ordered by id. */
export class ListDocuments {
  readonly #storage: Storage
  readonly #authorizer: Authorizer

  constructor(storage: Storage, authorizer: Authorizer) {
    this.#storage = storage
    this.#authorizer = authorizer
  }

  /** @throws NotFoundError `ERR_CONTEXT_NOT_FOUND` */
  async execute(principal: Principal, contextId: number): Promise<Document[]> {
    const access = await this.#authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'context:read')
    const id = parseId(contextId, 'contextId')
    return await this.#storage.read(async (repositories) => {
      await findReadable(repositories, access, id)
      return (await repositories.documents.list(id)).map(toDocument)
    })
  }
}

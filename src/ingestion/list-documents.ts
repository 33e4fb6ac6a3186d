import { ASSISTANT, findReadable } from '../context/index.js'
import type { DocumentRepository, Storage } from '../ports/index.js'
import { RowList } from '../shared/row-list.js'
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

  /** Reading it throws a NotFoundError `ERR_CONTEXT_NOT_FOUND`, also where the context goes meanwhile. */
  execute(principal: Principal, contextId: number): RowList<Document> {
    const read = async <T>(list: (documents: DocumentRepository, id: number) => Promise<T>): Promise<T> => {
      const access = await this.#authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'context:read')
      const id = parseId(contextId, 'contextId')
      return await this.#storage.read(async (repositories) => {
        await findReadable(repositories, access, id)
        return await list(repositories.documents, id)
      })
    }
    return new RowList({
      read: async (page) => (await read((documents, id) => documents.list(id, page))).map(toDocument),
      ids: async (page) => await read((documents, id) => documents.listLiveIds(id, page)),
    })
  }
}

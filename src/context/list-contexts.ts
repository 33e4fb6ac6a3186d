import type { ContextFilter, Storage } from '../ports/index.js'
import { RowList } from '../shared/row-list.js'
import { type Authorizer, type Principal, parsePrincipal } from '../tenancy-authorization/index.js'
import { type Context, toContext } from './context.js'
import { ASSISTANT } from './context-access.js'

/** Lists the contexts of the account that the principal sees, ordered by id. */
export class ListContexts {
  readonly #storage: Storage
  readonly #authorizer: Authorizer

  constructor(storage: Storage, authorizer: Authorizer) {
    this.#storage = storage
    this.#authorizer = authorizer
  }

  execute(principal: Principal): RowList<Context> {
    const filter = async (): Promise<ContextFilter> => {
      const access = await this.#authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'context:read')
      const { accountId, userId, sight } = access.principal
      return { accountId, ...(sight !== 'account' && { visibleTo: userId }) }
    }
    return new RowList({
      read: async (page) => {
        const seen = await filter()
        return (await this.#storage.read(({ contexts }) => contexts.list(seen, page))).map(toContext)
      },
      ids: async (page) => {
        const seen = await filter()
        return await this.#storage.read(({ contexts }) => contexts.listIds(seen, page))
      },
    })
  }
}

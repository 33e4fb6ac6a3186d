import type { Storage } from '../ports/index.js'
import { type Authorizer, type Principal, parsePrincipal } from '../tenancy-authorization/index.js'
import { type Context, toContext } from './context.js'
import { ASSISTANT, sees } from './context-access.js'

/** Lists the contexts of the account that the principal sees, ordered by id. */
export class ListContexts {
  readonly #storage: Storage
  readonly #authorizer: Authorizer

  constructor(storage: Storage, authorizer: Authorizer) {
    this.#storage = storage
    this.#authorizer = authorizer
  }

  async execute(principal: Principal): Promise<Context[]> {
    const access = await this.#authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'context:read')
    const { accountId } = access.principal
    const records = await this.#storage.read(({ contexts }) => contexts.list({ accountId }))
    return records.filter((record) => sees(access, record)).map(toContext)
  }
}

import { recordChange } from '../audit/index.js'
import type { Clock, ContextRecord, Storage } from '../ports/index.js'
import { NotFoundError } from '../shared/errors.js'
import { parseId } from '../shared/validate.js'
import { type Authorizer, type Principal, parsePrincipal } from '../tenancy-authorization/index.js'
import { type Context, toContext } from './context.js'
import { ASSISTANT, findWritable } from './context-access.js'
import { type ContextChanges, parseContextChanges } from './context-input.js'

/** Replaces a context's texts; tools and starter prompts only where they are given. */
export class UpdateContext {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #authorizer: Authorizer

  constructor(storage: Storage, clock: Clock, authorizer: Authorizer) {
    this.#storage = storage
    this.#clock = clock
    this.#authorizer = authorizer
  }

  /**
   * @throws InvalidInputError naming the field
   * @throws NotFoundError `ERR_CONTEXT_NOT_FOUND`
   * @throws ForbiddenError where another user shares it
   */
  async execute(principal: Principal, contextId: number, input: ContextChanges): Promise<Context> {
    const access = await this.#authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'context:write')
    const id = parseId(contextId, 'contextId')
    const { settings, ...texts } = parseContextChanges(input)
    const changes = withoutUndefined({ ...texts, ...settings })
    const record = await this.#storage.transaction(async (repositories) => {
      await findWritable(repositories, access, id)
      await recordChange(repositories, access.by, this.#clock.now(), {
        action: 'context.updated',
        companyId: access.companyId,
        targetId: id,
        details: { accountId: access.principal.accountId },
      })
      return await repositories.contexts.update(id, changes)
    })
    if (record === undefined) throw new NotFoundError('context', id)
    return toContext(record)
  }
}

function withoutUndefined(
  changes: {
    readonly [Member in keyof ContextRecord]?: ContextRecord[Member] | undefined
  },
): Partial<ContextRecord> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
}

import { recordChange } from '../audit/index.js'
import type { Clock, StarterPromptWriter, Storage } from '../ports/index.js'
import { ForbiddenError, ModelError } from '../shared/errors.js'
import { type EngineLimits, requireBelow } from '../shared/limits.js'
import { type Authorizer, type Principal, parsePrincipal } from '../tenancy-authorization/index.js'
import { type Context, toContext } from './context.js'
import { ASSISTANT } from './context-access.js'
import { type NewContext, parseNewContext } from './context-input.js'

/** Names of the embedding models that a context may choose; the first is the default. */
export interface KnownModels {
  readonly ids: readonly string[]
}

/** Creates a context with all defaults filled in. */
export class CreateContext {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #authorizer: Authorizer
  readonly #writer: StarterPromptWriter
  readonly #models: KnownModels
  readonly #limits: EngineLimits

  constructor(
    storage: Storage,
    clock: Clock,
    authorizer: Authorizer,
    writer: StarterPromptWriter,
    models: KnownModels,
    limits: EngineLimits,
  ) {
    this.#storage = storage
    this.#clock = clock
    this.#authorizer = authorizer
    this.#writer = writer
    this.#models = models
    this.#limits = limits
  }

  /**
   * @throws InvalidInputError naming the field
   * @throws ModelError `ERR_MODEL_UNKNOWN`
   * @throws LimitReachedError where the company has as many contexts as it may
   * @throws ForbiddenError also where the account was deleted meanwhile
   */
  async execute(
    principal: Principal,
    input: NewContext,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<Context> {
    const access = await this.#authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'context:write')
    const { principal: who } = access
    const { settings, starterPrompts, ...texts } = parseNewContext(input)
    const { embeddingModel, ...numbers } = settings
    const model = this.#knownModel(embeddingModel)
    const prompts = starterPrompts ?? (await this.#writer.write(texts, options))
    // To write them may take long: what was taken from the caller meanwhile counts.
    if (starterPrompts === undefined) await this.#authorizer.authorize(who, ASSISTANT, 'context:write')
    const record = await this.#storage.transaction(async (repositories) => {
      const { companyId } = access
      requireBelow(this.#limits, 'contextsPerCompany', companyId, await repositories.contexts.count(companyId))
      const now = this.#clock.now()
      // Starter prompts take a while: the account may have been deleted meanwhile.
      if ((await repositories.accounts.get(who.accountId)) === undefined) {
        throw new ForbiddenError(`the account ${who.accountId} does not exist any more`)
      }
      const inserted = await repositories.contexts.insert({
        accountId: who.accountId,
        userId: who.userId,
        ...texts,
        ...numbers,
        starterPrompts: prompts,
        embeddingModel: model,
        shareState: 0,
        icon: null,
        created: now.toISOString(),
        deleted: null,
      })
      await recordChange(repositories, access.by, now, {
        action: 'context.created',
        companyId,
        targetId: inserted.id,
        details: { accountId: who.accountId },
      })
      return inserted
    })
    return toContext(record)
  }

  #knownModel(id: string | undefined): string {
    const { ids } = this.#models
    const model = id === undefined ? ids[0] : ids.find((known) => known === id)
    if (model !== undefined) return model
    throw new ModelError('ERR_MODEL_UNKNOWN', `settings.embeddingModel: no model named ${id}; known: ${ids.join(', ')}`)
  }
}

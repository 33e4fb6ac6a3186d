import type { z } from 'zod'
import { recordChange } from '../audit/index.js'
import { ForbiddenError, InvalidInputError, ModelError, NotFoundError } from '../kernel/errors.js'
import { type EngineLimits, requireBelow } from '../kernel/limits.js'
import { RowList } from '../kernel/lists.js'
import { choiceSchema, objectSchema, parseId, textSchema, validate } from '../kernel/validate.js'
import type { Clock, ContextFilter, ContextRecord, Repositories, StarterPromptWriter, Storage } from '../ports/index.js'
import { type Authorizer, type Principal, parsePrincipal } from '../tenancy/index.js'
import { ASSISTANT, type Context, findReadable, findWritable, toContext, toSettings } from './context.js'
import {
  type ContextChanges,
  type ContextSettings,
  type NewContext,
  parseContextChanges,
  parseNewContext,
} from './context-input.js'
import { removeContext } from './remove-contexts.js'

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

/** Names of the embedding models that a context may choose; the first is the default. */
interface KnownModels {
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

/** What `contexts.share` takes (specification, Share context). */
export interface ShareInput {
  /** 0 private, 1 shared with the account's other users. */
  readonly shareState: 0 | 1
  /** One emoji. */
  readonly icon?: string | undefined
}

/** The body of `PUT /context/share/{contextId}`. */
export const shareSchema: z.ZodType<ShareInput> = objectSchema({
  shareState: choiceSchema([0, 1]),
  icon: textSchema({ min: 1, max: 64 }).optional(),
})

/** Shares a context with the other users of its account, or makes it private again. */
export class ShareContext {
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
  async execute(principal: Principal, contextId: number, input: ShareInput): Promise<void> {
    const access = await this.#authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'context:write')
    const id = parseId(contextId, 'contextId')
    const { shareState, icon } = validate(shareSchema, input)
    if (icon !== undefined && !isOneGrapheme(icon)) throw new InvalidInputError('icon', 'must be a single character')
    await this.#storage.transaction(async (repositories) => {
      await findWritable(repositories, access, id)
      await recordChange(repositories, access.by, this.#clock.now(), {
        action: 'context.shared',
        companyId: access.companyId,
        targetId: id,
        details: { accountId: access.principal.accountId, shareState },
      })
      await repositories.contexts.update(id, { shareState, ...(icon !== undefined && { icon }) })
    })
  }
}

function isOneGrapheme(text: string): boolean {
  const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)
  return [...graphemes].length === 1
}

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

import type { z } from 'zod'
import { recordChange } from '../audit/index.js'
import { errorReason, ForbiddenError, InvalidInputError, NotFoundError } from '../kernel/errors.js'
import { type EngineLimits, requireBelow } from '../kernel/limits.js'
import { RowList } from '../kernel/lists.js'
import { choiceSchema, objectSchema, parseId, textSchema, validate } from '../kernel/validate.js'
import type {
  Clock,
  ContextFilter,
  ContextRecord,
  Repositories,
  StarterPromptWriter,
  Storage,
  VectorIndex,
} from '../ports/index.js'
import { type Access, type Authorizer, type Principal, parsePrincipal } from '../tenancy/index.js'
import { ASSISTANT, type Context, findReadable, findWritable, toContext } from './context.js'
import {
  type ContextChanges,
  type NewContext,
  parseContextChanges,
  parseNewContext,
  withoutUndefined,
} from './context-input.js'
import { type KnownModels, requireModel } from './known-models.js'
import { roomCheck } from './reindex-room.js'
import { changeChunkSettings, chunkSettingsOf, enqueueReindex } from './reindexing.js'
import { removeContext } from './remove-contexts.js'

/** The input of `contexts.share`. Specification: Share context. */
export interface ShareInput {
  /** 0 private, 1 shared with the other users of the account. */
  readonly shareState: 0 | 1
  /** One emoji. */
  readonly icon?: string | undefined
}

/** The body of `PUT /context/share/{contextId}`. */
export const shareSchema: z.ZodType<ShareInput> = objectSchema({
  shareState: choiceSchema([0, 1]),
  icon: textSchema({ min: 1, max: 64 }).optional(),
})

/** Contexts, as principals see and change them. */
export class Contexts {
  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    private readonly authorizer: Authorizer,
    private readonly promptWriter: StarterPromptWriter,
    private readonly models: KnownModels,
    private readonly limits: EngineLimits,
    private readonly vectors: Pick<VectorIndex, 'freeBytes'>,
  ) {}

  /**
   * Creates a context. Missing settings get their defaults, and missing starter prompts are written.
   *
   * @throws InvalidInputError naming the field
   * @throws ModelError `ERR_MODEL_UNKNOWN`
   * @throws LimitReachedError where the company has reached the limit of contexts
   * @throws ForbiddenError also where the account is deleted during the call
   */
  async create(
    principal: Principal,
    input: NewContext,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<Context> {
    const access = await this.#authorizeWriting(principal)
    const { accountId, userId } = access.principal
    const { settings, starterPrompts, ...texts } = parseNewContext(input)
    const { embeddingModel, ...numbers } = settings
    const model = requireModel(this.models, embeddingModel)
    const prompts = starterPrompts ?? (await this.promptWriter.write(texts, options))
    // The writer may take long. Check the rights a second time: the caller may have lost them since.
    if (starterPrompts === undefined) await this.#authorizeWriting(access.principal)
    const record = await this.storage.transaction(async (repositories) => {
      const { companyId } = access
      requireBelow(this.limits, 'contextsPerCompany', companyId, await repositories.contexts.count(companyId))
      const now = this.clock.now()
      // The account may also have been deleted since.
      if ((await repositories.accounts.get(accountId)) === undefined) {
        throw new ForbiddenError(
          `the account ${accountId} no longer exists`,
          errorReason('account-deleted', { account: accountId }),
        )
      }
      const inserted = await repositories.contexts.insert({
        accountId,
        userId,
        ...texts,
        ...numbers,
        starterPrompts: prompts,
        embeddingModel: model,
        shareState: 0,
        icon: null,
        generation: 0,
        lastGeneration: 0,
        reindexing: null,
        created: now.toISOString(),
        deleted: null,
      })
      await recordChange(repositories, access.by, now, {
        action: 'context.created',
        companyId,
        targetId: inserted.id,
        details: { accountId },
      })
      return inserted
    })
    return toContext(record)
  }

  /** Lists the contexts of the account that the principal can read, ordered by id. */
  list(principal: Principal): RowList<Context> {
    const filter = async (): Promise<ContextFilter> => {
      const access = await this.#authorizeReading(principal)
      const { accountId, userId, sight } = access.principal
      return { accountId, ...(sight !== 'account' && { visibleTo: userId }) }
    }
    return new RowList({
      read: async (page) => {
        const visible = await filter()
        return (await this.storage.read(({ contexts }) => contexts.list(visible, page))).map(toContext)
      },
      ids: async (page) => {
        const visible = await filter()
        return await this.storage.read(({ contexts }) => contexts.listIds(visible, page))
      },
    })
  }

  /** @throws NotFoundError `ERR_CONTEXT_NOT_FOUND` */
  async get(principal: Principal, contextId: number): Promise<Context> {
    return toContext(await this.#find(principal, contextId))
  }

  /**
   * Replaces the texts of a context. Tools, starter prompts and settings stay as they are when omitted. Another model,
   * chunk size or overlap starts a re-index: see {@link changeChunkSettings}.
   *
   * @throws InvalidInputError naming the field
   * @throws ModelError `ERR_MODEL_UNKNOWN`
   * @throws StorageFullError if the disk has no room for a second generation
   * @throws NotFoundError `ERR_CONTEXT_NOT_FOUND`
   * @throws ForbiddenError where another user shares it
   */
  async update(principal: Principal, contextId: number, input: ContextChanges): Promise<Context> {
    const access = await this.#authorizeWriting(principal)
    const id = parseId(contextId, 'contextId')
    const { settings, ...texts } = parseContextChanges(input)
    const { embeddingModel, chunkSizeTokens, overlap, reindexing, ...others } = settings
    const changes = withoutUndefined({ ...texts, ...others })
    const chunkChanges = withoutUndefined({ embeddingModel, chunkSizeTokens, overlap })
    if (embeddingModel !== undefined) requireModel(this.models, embeddingModel)
    const isCancelling = reindexing === null
    const isReindexing = isCancelling || Object.keys(chunkChanges).length > 0
    const requireRoom = isReindexing ? await roomCheck(this.vectors, this.models) : undefined
    const change = async (repositories: Repositories): Promise<ContextRecord | undefined> => {
      if (requireRoom !== undefined) {
        await enqueueReindex(repositories, id, { companyId: access.companyId })
        // A finishing upload also locks the context. After this lock, its document exists, and is re-indexed as well.
        await repositories.contexts.lock(id)
      }
      const current = await findWritable(repositories, access, id)
      const now = this.clock.now().toISOString()
      // Without a cancellation, omitted members stay as in the re-index in progress.
      const wantedChanges = isCancelling ? { ...chunkSettingsOf(current), ...chunkChanges } : chunkChanges
      const ofChunks =
        requireRoom && (await changeChunkSettings(repositories, current, wantedChanges, now, requireRoom))
      const all = { ...changes, ...ofChunks }
      if (Object.keys(all).length === 0) return current
      await recordChange(repositories, access.by, this.clock.now(), {
        action: 'context.updated',
        companyId: access.companyId,
        targetId: id,
        details: { accountId: access.principal.accountId },
      })
      return await repositories.contexts.update(id, all)
    }
    const record = await this.storage.transaction(change, isReindexing ? { isolation: 'read committed' } : {})
    if (record === undefined) throw new NotFoundError('context', id)
    return toContext(record)
  }

  /**
   * Shares a context with the other users of its account, or makes it private.
   *
   * @throws InvalidInputError naming the field
   * @throws NotFoundError `ERR_CONTEXT_NOT_FOUND`
   * @throws ForbiddenError where another user shares it
   */
  async share(principal: Principal, contextId: number, input: ShareInput): Promise<void> {
    const access = await this.#authorizeWriting(principal)
    const id = parseId(contextId, 'contextId')
    const { shareState, icon } = validate(shareSchema, input)
    if (icon !== undefined && !isOneGrapheme(icon)) {
      throw new InvalidInputError('icon', 'must be a single character', {
        reason: errorReason('not-a-single-character'),
      })
    }
    await this.storage.transaction(async (repositories) => {
      await findWritable(repositories, access, id)
      await recordChange(repositories, access.by, this.clock.now(), {
        action: 'context.shared',
        companyId: access.companyId,
        targetId: id,
        details: { accountId: access.principal.accountId, shareState },
      })
      await repositories.contexts.update(id, { shareState, ...(icon !== undefined && { icon }) })
    })
  }

  /**
   * Deletes a context with its documents. It is invisible at once; a job removes its data.
   *
   * @throws NotFoundError `ERR_CONTEXT_NOT_FOUND`
   * @throws ForbiddenError where another user shares it
   */
  async delete(principal: Principal, contextId: number): Promise<void> {
    const access = await this.#authorizeWriting(principal)
    const id = parseId(contextId, 'contextId')
    const remove = async (repositories: Repositories): Promise<void> => {
      // A finishing upload also locks the context. After this lock, its document exists, and is deleted as well.
      await repositories.contexts.lock(id)
      await findWritable(repositories, access, id)
      await removeContext(repositories, id, this.clock.now().toISOString())
      await recordChange(repositories, access.by, this.clock.now(), {
        action: 'context.deleted',
        companyId: access.companyId,
        targetId: id,
        details: { accountId: access.principal.accountId },
      })
    }
    await this.storage.transaction(remove, { isolation: 'read committed' })
  }

  async #authorizeReading(principal: Principal): Promise<Access> {
    return await this.authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'context:read')
  }

  async #authorizeWriting(principal: Principal): Promise<Access> {
    return await this.authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'context:write')
  }

  async #find(principal: Principal, contextId: number): Promise<ContextRecord> {
    const access = await this.#authorizeReading(principal)
    const id = parseId(contextId, 'contextId')
    return await this.storage.read((repositories) => findReadable(repositories, access, id))
  }
}

function isOneGrapheme(text: string): boolean {
  const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)
  return [...graphemes].length === 1
}

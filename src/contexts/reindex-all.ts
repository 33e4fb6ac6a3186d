import { recordChange } from '../audit/index.js'
import { pages } from '../kernel/lists.js'
import { pause } from '../kernel/scheduling/abort.js'
import { integerSchema, validate } from '../kernel/validate.js'
import type {
  Clock,
  ContextGenerations,
  ContextRecord,
  ContextReindexing,
  Repositories,
  Storage,
  VectorIndex,
} from '../ports/index.js'
import type { Reach } from '../tenancy/index.js'
import { chunkSettingsSchema, type NewChunkSettings, withoutUndefined } from './context-input.js'
import { type KnownModels, requireModel } from './known-models.js'
import { roomCheck } from './reindex-room.js'
import { changeChunkSettings, enqueueReindex, isRemovingGenerations } from './reindexing.js'

export interface ReindexAllOptions {
  /** Ends the run once this many documents are re-indexed. The context at that time goes on. Default: no limit. */
  readonly maxDocuments?: number | undefined
  /** Ends the run, which then throws the signal's reason. The context at that time goes on. Default: no signal. */
  readonly signal?: AbortSignal | undefined
}

/** The progress of one context. */
export interface ContextReindexProgress {
  readonly contextId: number
  readonly accountId: number
  readonly name: string
  /**
   * - `unchanged`: the context had these settings, and no re-index was in progress
   * - `running`: its documents are being re-indexed
   * - `done`: searches use the new settings
   * - `failed`: the re-index has stopped, and searches go on with the former settings
   * - `ended`: the context was deleted, or its re-index was cancelled or changed meanwhile
   */
  readonly state: 'unchanged' | 'running' | 'done' | 'failed' | 'ended'
  /** Completed documents that are re-indexed. */
  readonly documentsDone: number
  /** Completed documents. */
  readonly documentsTotal: number
  /** The reason of a failure, a sentence that ends in its code; otherwise null. */
  readonly error: string | null
}

const POLL_MS = 200
/** Few: the texts of a context may have a megabyte. */
const CONTEXTS_PER_READ = 10
const MAX_DOCUMENTS = integerSchema({ min: 1 }).optional()

/**
 * Re-indexes the contexts of all companies, one after the other, so that the disk has to hold one context twice, not
 * all. A second run continues where the first one ended: it passes over contexts that have the settings.
 */
export class ReindexAll {
  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    private readonly models: KnownModels,
    private readonly vectors: Pick<VectorIndex, 'freeBytes'>,
    private readonly reach: Pick<Reach, 'by'>,
  ) {}

  /**
   * Yields the progress of each context when it changes. Workers do the work, here or in other processes.
   *
   * @param onStarted called after each start, to wake the workers of this process
   * @throws InvalidInputError for invalid settings or options, before anything starts
   * @throws ModelError `ERR_MODEL_UNKNOWN`, before anything starts
   * @throws StorageFullError if the disk has no room for the next context twice
   */
  async *run(
    given: NewChunkSettings,
    options: ReindexAllOptions,
    onStarted: () => void,
  ): AsyncGenerator<ContextReindexProgress> {
    const settings = validate(chunkSettingsSchema, given)
    const most = validate(MAX_DOCUMENTS, options.maxDocuments, 'maxDocuments') ?? Number.POSITIVE_INFINITY
    if (settings.embeddingModel !== undefined) requireModel(this.models, settings.embeddingModel)
    const { signal } = options
    let done = 0
    const read = async (page: { readonly after: number; readonly limit: number }) => {
      return await this.storage.read(({ contexts }) => contexts.page(page))
    }
    for await (const page of pages(CONTEXTS_PER_READ, read)) {
      for (const { id } of page) {
        signal?.throwIfAborted()
        let hasRun = false
        for await (const progress of this.#reindex(id, settings, signal, onStarted)) {
          yield progress
          hasRun ||= progress.state === 'running'
          if (progress.state === 'running' && done + progress.documentsDone >= most) return
          if (progress.state === 'done') done += progress.documentsTotal
        }
        if (done >= most) return
        // The next context needs the room of the former generation.
        while (hasRun && (await this.storage.read((repositories) => isRemovingGenerations(repositories, id)))) {
          await pause(POLL_MS, signal)
        }
      }
    }
  }

  async *#reindex(
    id: number,
    settings: NewChunkSettings,
    signal: AbortSignal | undefined,
    onStarted: () => void,
  ): AsyncGenerator<ContextReindexProgress> {
    const started = await this.#start(id, settings)
    if (started === undefined) return
    const { context, isChanged } = started
    const { reindexing } = context
    let progress = await this.#progressOf(context, reindexing)
    if (reindexing === null) {
      yield { ...progress, state: isChanged ? 'done' : 'unchanged' }
      return
    }
    onStarted()
    yield { ...progress, state: 'running' }
    for (;;) {
      await pause(POLL_MS, signal)
      const present = await this.storage.read(({ contexts }) => contexts.generations(id))
      const state = stateOf(present, reindexing)
      const former = progress
      if (present !== undefined) progress = await this.#progressOf(context, present.reindexing)
      if (state !== 'running' || progress.documentsDone !== former.documentsDone) yield { ...progress, state }
      if (state !== 'running') return
    }
  }

  /** Starts a re-index, or finds the one in progress. @returns undefined for a context that is deleted */
  async #start(
    id: number,
    settings: NewChunkSettings,
  ): Promise<{ readonly context: ContextRecord; readonly isChanged: boolean } | undefined> {
    const requireRoom = await roomCheck(this.vectors, this.models)
    const start = async (repositories: Repositories) => {
      const { accounts, contexts } = repositories
      const known = await contexts.get(id)
      const companyId = known && (await accounts.get(known.accountId))?.companyId
      await enqueueReindex(repositories, id, { companyId })
      await contexts.lock(id)
      const context = await contexts.get(id)
      if (context === undefined) return undefined
      const now = this.clock.now()
      const given = withoutUndefined(settings)
      const changes = await changeChunkSettings(repositories, context, given, now.toISOString(), requireRoom)
      if (Object.keys(changes).length === 0) return { context, isChanged: false }
      await recordChange(repositories, this.reach.by, now, {
        action: 'context.updated',
        companyId: companyId ?? null,
        targetId: id,
        details: { accountId: context.accountId },
      })
      const changed = await contexts.update(id, changes)
      return changed && { context: changed, isChanged: true }
    }
    return await this.storage.transaction(start, { isolation: 'read committed' })
  }

  async #progressOf(
    { id, accountId, name }: ContextRecord,
    reindexing: ContextReindexing | null,
  ): Promise<Omit<ContextReindexProgress, 'state'>> {
    const { done, total } = await this.storage.read(async ({ documents, shadows }) => {
      if (reindexing !== null) return await shadows.progress(id, reindexing.generation)
      const count = await documents.count(id)
      return { done: count, total: count }
    })
    const error = reindexing?.error ?? null
    return { contextId: id, accountId, name, documentsDone: done, documentsTotal: total, error }
  }
}

function stateOf(present: ContextGenerations | undefined, awaited: ContextReindexing): ContextReindexProgress['state'] {
  if (present === undefined) return 'ended'
  const { generation, reindexing } = present
  if (reindexing === null) return generation === awaited.generation ? 'done' : 'ended'
  if (reindexing.generation !== awaited.generation) return 'ended'
  return reindexing.error === null ? 'running' : 'failed'
}

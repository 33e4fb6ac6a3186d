import { errorCodeOf, ReindexFailedError } from '../kernel/errors.js'
import { pause } from '../kernel/scheduling/abort.js'
import { parseId } from '../kernel/validate.js'
import type { ChunkSettings, ContextRecord, ReindexProgress, Storage } from '../ports/index.js'
import { type Authorizer, type Principal, parsePrincipal } from '../tenancy/index.js'
import { ASSISTANT, findReadable } from './context.js'
import type { ContextSettings } from './context-input.js'
import { chunkSettingsOf } from './reindexing.js'
import type { WaitingReasons } from './waiting.js'

/** A re-index in progress: the settings that it brings, and how far it is. */
export interface ContextReindexingView extends ChunkSettings {
  /** Completed documents that are re-indexed. */
  readonly documentsDone: number
  /** Completed documents. */
  readonly documentsTotal: number
  /** Null, or a sentence that ends in its error code. Set only if the re-index has stopped. */
  readonly error: string | null
  /** The code at the end of `error`. */
  readonly errorCode: string | null
  /**
   * Null, or a sentence that ends in its error code: the re-index waits, because the server of the new model is away, or a
   * disk is full or read-only. It goes on by itself.
   */
  readonly waiting: string | null
  /** The code at the end of `waiting`. */
  readonly waitingCode: string | null
}

/** All settings of a context with their present values. */
export interface ContextSettingsView extends Required<ContextSettings> {
  /** Null if the documents are indexed with these settings. */
  readonly reindexing: ContextReindexingView | null
}

/** Interval of the reads of a wait: another process may re-index the context. */
const POLL_MS = 200

/** The settings of contexts, and the progress of their re-indexes. */
export class ReadContextSettings {
  constructor(
    private readonly storage: Storage,
    private readonly waitingReasons: WaitingReasons,
    private readonly authorizer: Authorizer,
  ) {}

  /** @throws NotFoundError `ERR_CONTEXT_NOT_FOUND` */
  async execute(principal: Principal, contextId: number): Promise<ContextSettingsView> {
    const access = await this.authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'context:read')
    const id = parseId(contextId, 'contextId')
    return await this.storage.read(async (repositories) => {
      const context = await findReadable(repositories, access, id)
      const { reindexing } = context
      if (reindexing === null) return toSettings(context, null)
      const progress = await repositories.shadows.progress(id, reindexing.generation)
      const waiting =
        reindexing.error === null
          ? await this.waitingReasons.sentence(repositories.settings, reindexing.embeddingModel, 'the re-index')
          : null
      return toSettings(context, { ...progress, waiting })
    })
  }

  /**
   * Waits until no re-index of the context is in progress.
   *
   * @returns the settings from then on
   * @throws ReindexFailedError once the re-index has stopped
   * @throws NotFoundError `ERR_CONTEXT_NOT_FOUND`, also if the context is deleted during the wait
   */
  async whenReindexed(
    principal: Principal,
    contextId: number,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<ContextSettingsView> {
    for (;;) {
      signal?.throwIfAborted()
      const settings = await this.execute(principal, contextId)
      const { reindexing } = settings
      if (reindexing === null) return settings
      if (reindexing.error !== null) throw new ReindexFailedError(reindexing.error)
      await pause(POLL_MS, signal)
    }
  }
}

type WaitingProgress = ReindexProgress & Pick<ContextReindexingView, 'waiting'>

function toSettings(record: ContextRecord, progress: WaitingProgress | null): ContextSettingsView {
  return {
    ...chunkSettingsOf(record),
    maxSizeBytes: record.maxSizeBytes,
    topN: record.topN,
    scoreThreshold: record.scoreThreshold,
    searchMode: record.searchMode,
    findsEarly: record.findsEarly,
    reindexing: toReindexing(record, progress),
  }
}

function toReindexing({ reindexing }: ContextRecord, progress: WaitingProgress | null): ContextReindexingView | null {
  if (reindexing === null || progress === null) return null
  const { done: documentsDone, total: documentsTotal, waiting } = progress
  const { error } = reindexing
  return {
    ...chunkSettingsOf(reindexing),
    documentsDone,
    documentsTotal,
    error,
    errorCode: errorCodeOf(error),
    waiting,
    waitingCode: errorCodeOf(waiting),
  }
}

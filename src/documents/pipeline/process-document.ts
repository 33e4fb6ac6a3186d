import { ANALYZER_VERSION } from '../../analysis/index.js'
import { recordAway } from '../../contexts/index.js'
import type { JobHandler, JobRun } from '../../jobs/index.js'
import { AlcoveError, ModelError, QuotaExceededError, StorageError, VectorInvalidError } from '../../kernel/errors.js'
import { recordDocumentEvent } from '../../outbox/index.js'
import {
  type Clock,
  type ContextGenerations,
  type ContextRecord,
  type DocumentRepository,
  type EmbeddingModel,
  type Repositories,
  type ShadowRepository,
  type Span,
  type Telemetry,
} from '../../ports/index.js'
import { collectionOf, contextFor } from '../collections.js'
import { toDocument } from '../document.js'
import { INGEST_DOCUMENT } from '../document-jobs.js'
import type { EmbeddingModels } from '../embedding-models.js'
import { deleteVersions } from '../versions.js'
import { DocumentRun, type ProcessedDocument, type ProcessingPorts, type StartedDocument } from './document-run.js'
import type { LateWrites } from './late-writes.js'
import { PendingVectors } from './pending-vectors.js'
import { CHUNKS_PER_REMOVAL } from './stored-chunks.js'
import { excessOf } from './text-quota.js'

/** Delay until another process has a chance to take the job of a shadow whose model this one lacks. */
const OTHER_PROCESS_MS = 1_000

/** A re-index is nearly at its end while fewer documents than this lack their shadow. */
const FEW_SHADOWS = 16
/** In the second half of each such time since the start of the re-index, other documents of its context are held back. */
const HOLD_PERIOD_MS = 20_000
/** Delay until the next try of a document that is held back. */
const HELD_BACK_MS = 500

/** Makes searchable chunks from the bytes of a document. Keeps the work of earlier runs. */
export class ProcessDocument implements JobHandler {
  readonly kind: string = INGEST_DOCUMENT
  readonly spanName = 'alcove.ingest'
  readonly #ports: ProcessingPorts
  /** Called when deliveries of an event may have been queued. */
  onDeliveriesQueued: () => void = () => undefined

  constructor(
    ports: Omit<ProcessingPorts, 'pendingVectors'>,
    private readonly models: EmbeddingModels,
    private readonly lateWrites: LateWrites,
    private readonly clock: Clock,
    private readonly telemetry: Telemetry,
  ) {
    this.#ports = { ...ports, pendingVectors: new PendingVectors() }
  }

  async run(job: JobRun, span: Span): Promise<void> {
    const startedAt = performance.now()
    const started = await this.#start(job)
    if (started === undefined) {
      await job.complete(async () => undefined)
      return
    }
    if (started === 'held back') {
      await job.postpone(async () => undefined, HELD_BACK_MS)
      return
    }
    const { document, context } = started
    span.label({ 'alcove.model.id': context.embeddingModel })
    span.set({
      'alcove.context.id': context.id,
      'alcove.document.id': document.publicId,
      'alcove.document.size': document.sizeBytes,
    })
    const model = this.#modelOf(started)
    // A new document gets its words first. Another one that waits for the model would only read its file again.
    if (!started.isFresh) await model.checkAvailable?.()
    const documentRun = new DocumentRun(this.#ports, job, started, model)
    try {
      const processed = await documentRun.process()
      await this.#ports.tracer.span('alcove.ingest.complete', {}, async () => {
        await this.#complete(job, started, processed, documentRun)
      })
      this.#reportCompletion(started, processed, span, performance.now() - startedAt)
    } catch (error) {
      // First: writes that still run would add data after its removal.
      await documentRun.close()
      if (error instanceof QuotaExceededError) await documentRun.discard().catch(() => undefined)
      const { name } = collectionOf(context, model.profile)
      await this.lateWrites.removeIfDeleted({ id: document.id, context }, name).catch(() => undefined)
      throw error
    } finally {
      await documentRun.close()
    }
  }

  #reportCompletion(
    { document, context }: StartedDocument,
    { receipt }: ProcessedDocument,
    span: Span,
    durationMs: number,
  ): void {
    const { bytes, characters, chunks, windows, windowsReused } = receipt
    span.set({
      'alcove.document.characters': characters,
      'alcove.document.chunks': chunks,
      'alcove.document.windows': windows,
      'alcove.document.windows_reused': windowsReused,
    })
    const [contextId, documentId] = [context.id, document.publicId]
    const fields = { contextId, documentId, bytes, characters, chunks, windows, windowsReused }
    this.telemetry.record({ name: 'ingestion.completed', level: 'info', fields, durationMs })
  }

  /**
   * During a change of models, a process may lack the next one, which another process has: the shadow waits for that.
   *
   * @throws ModelError
   */
  #modelOf({ document: { generation }, context: { embeddingModel } }: StartedDocument): EmbeddingModel {
    if (generation === null || this.models.ids.includes(embeddingModel)) return this.models.get(embeddingModel)
    throw new ModelError(
      'ERR_MODEL_UNAVAILABLE',
      `this process does not have the embedding model ${embeddingModel} of a re-index: open it with that model too, or end it`,
      { retryAfterMs: OTHER_PROCESS_MS },
    )
  }

  /** Sets `started`. @returns the document and its context; undefined if the document needs no processing */
  async #start(job: JobRun): Promise<StartedDocument | 'held back' | undefined> {
    let started = await this.#tryStart(job)
    while (started === 'chunks left') started = await this.#tryStart(job)
    return started
  }

  /**
   * One step of {@link #start}. A document that was reset still has its chunks, which may be damaged. They are removed
   * first, one part in each step.
   */
  async #tryStart(job: JobRun): Promise<StartedDocument | 'chunks left' | 'held back' | undefined> {
    return await job.transaction(async ({ documents, contexts, chunks, shadows }) => {
      const document = await documents.get(job.subject)
      const stored = document && (await contexts.get(document.contextId))
      const context = stored && contextFor(stored, document)
      if (document === undefined || context === undefined || document.completed !== null) return undefined
      if (document.generation === null && (await isHeldBack(shadows, context, this.clock.now()))) return 'held back'
      if (document.started !== null) return { document, context, isFresh: false }
      const removed = await chunks.remove(document.id, { fromOrdinal: 0, limit: CHUNKS_PER_REMOVAL })
      if (removed > 0) return 'chunks left'
      await documents.update(document.id, { started: this.clock.now().toISOString() })
      return { document, context, isFresh: true }
    })
  }

  /**
   * Completes the document and its job in one transaction, then notifies listeners. A replacement becomes the current
   * version in the same transaction, and the version that it replaces is deleted. A shadow waits for the switch.
   */
  async #complete(
    job: JobRun,
    { document: { id, generation, sizeBytes }, context }: StartedDocument,
    { receipt, unwrittenChunks }: ProcessedDocument,
    documentRun: DocumentRun,
  ): Promise<void> {
    let isEventRecorded = false as boolean
    const completed = await job.complete(async (repositories) => {
      const { documents, chunks, contexts } = repositories
      await documentRun.clearAway(repositories)
      if (unwrittenChunks.length > 0) await chunks.insert(id, unwrittenChunks)
      else await requireWords(documents, id)
      const now = this.clock.now().toISOString()
      const replaces = (await documents.get(id))?.replaces ?? null
      const replaced = generation === null ? replaces : null
      if (replaced !== null) await deleteVersions(repositories, [replaced], now)
      await documents.update(id, {
        completed: now,
        replaces: generation === null ? null : replaces,
        error: null,
        chunkCount: receipt.chunks,
        receipt,
        wordsVersion: ANALYZER_VERSION,
        embeddedChunks: receipt.chunks,
        // A shadow has the excess of its version.
        ...(generation === null && { excessBytes: excessOf(sizeBytes, receipt.characters) }),
      })
      // After the update, which waits for a switch that changes the same row: this read sees the switch.
      requireGeneration(context, await contexts.generations(context.id), generation)
      const document = await documents.get(id)
      if (document !== undefined && generation === null) {
        const data = { replacement: replaced !== null, chunks: receipt.chunks }
        isEventRecorded = await recordDocumentEvent(repositories, this.clock, 'document.completed', document, data)
      }
      return document
    })
    if (completed === undefined || generation !== null) return
    if (isEventRecorded) this.onDeliveriesQueued()
    documentRun.emitFindable({ isCompleted: true })
    this.#ports.events.emit('document.completed', toDocument(completed))
  }

  /** Records the final failure. Written chunks, words and vectors stay, but no search finds them. */
  async fail(repositories: Repositories, documentId: number, error: unknown): Promise<void> {
    const { documents } = repositories
    const sentence = failureSentence(error)
    // Nothing is left of a text that did not fit. Other documents keep what they have written.
    const released = error instanceof QuotaExceededError ? { excessBytes: 0 } : {}
    await documents.update(documentId, { error: sentence, ...released })
    const document = await documents.get(documentId)
    // The shadow of a re-index is no document of its own.
    if (document?.generation !== null || document.deleted !== null) return
    const data = { replacement: document.replaces !== null, error: sentence }
    await recordDocumentEvent(repositories, this.clock, 'document.failed', document, data)
  }

  /** Records that the documents of a model wait. The worker reports why. */
  async postponed({ documents, contexts, settings }: Repositories, documentId: number): Promise<void> {
    const document = await documents.get(documentId)
    const stored = document && (await contexts.get(document.contextId))
    // A shadow waits for the model of the re-index, not for that of its context.
    const context = stored && contextFor(stored, document)
    if (context !== undefined) await recordAway(settings, context.embeddingModel, this.clock.now())
  }

  failed(documentId: number): void {
    this.onDeliveriesQueued()
    const { storage, events } = this.#ports
    void storage
      .read(({ documents }) => documents.get(documentId))
      .then((document) => {
        if (document?.generation === null) events.emit('document.failed', toDocument(document))
      })
      .catch(() => undefined)
  }
}

/**
 * A switch needs a moment in which all completed documents have their shadow. Under steady uploads it would not come by
 * itself. Documents wait a part of the time only: a shadow whose model is away must not hold them back for long.
 */
async function isHeldBack(shadows: ShadowRepository, { id, reindexing }: ContextRecord, now: Date): Promise<boolean> {
  if (reindexing?.error !== null) return false
  const elapsedMs = now.getTime() - Date.parse(reindexing.started)
  if (elapsedMs % HOLD_PERIOD_MS < HOLD_PERIOD_MS / 2) return false
  const { done, total } = await shadows.progress(id, reindexing.generation)
  return total - done < FEW_SHADOWS
}

/** Chunks and vectors of a former generation must not be completed: the next run makes those of the present one. */
function requireGeneration(context: ContextRecord, now: ContextGenerations | undefined, ofShadow: number | null): void {
  const present = ofShadow === null ? now?.generation : now?.reindexing?.generation
  if (present !== context.generation)
    throw new StorageError('the context was re-indexed meanwhile', { isTransient: true })
}

/** Without its words, a document must not be completed: a repair may have reset them during this run. */
async function requireWords(documents: DocumentRepository, id: number): Promise<void> {
  if ((await documents.get(id))?.wordsVersion === ANALYZER_VERSION) return
  throw new StorageError('words that were written for the document are missing', { isTransient: true })
}

/** One sentence that ends in its code, for the document's record. Unforeseen errors reveal nothing of the engine. */
function failureSentence(error: unknown): string {
  if (!(error instanceof AlcoveError))
    return 'The document could not be processed because of an internal error (ERR_INTERNAL)'
  if (error instanceof VectorInvalidError)
    return `The embedding model gave vectors that cannot be used: check the model (${error.code})`
  return `${error.message.replace(/\.$/, '')} (${error.code})`
}

import { ANALYZER_VERSION } from '../analysis/index.js'
import type { JobHandler, JobRun } from '../jobs/index.js'
import { AlcoveError, StorageError, VectorInvalidError } from '../kernel/errors.js'
import type { Clock, ContextGenerations, ContextRecord, DocumentRepository, Repositories } from '../ports/index.js'
import { collectionOf, contextFor } from './collections.js'
import { toDocument } from './document.js'
import { INGEST_DOCUMENT } from './document-jobs.js'
import type { EmbeddingModels } from './embedding-models.js'
import { awayKey, clearAway } from './model-away.js'
import { CHUNKS_PER_REMOVAL } from './pipeline/chunks.js'
import {
  DocumentRun,
  type ProcessedDocument,
  type ProcessingPorts,
  type StartedDocument,
} from './pipeline/document-run.js'
import type { LateWrites } from './pipeline/late-writes.js'
import { PendingVectors } from './pipeline/pending-vectors.js'
import { deleteVersions } from './versions.js'

/** Makes searchable chunks from the bytes of a document. Keeps the work of earlier runs. */
export class ProcessDocument implements JobHandler {
  readonly kind: string = INGEST_DOCUMENT
  readonly #ports: ProcessingPorts
  readonly #models: EmbeddingModels
  readonly #lateWrites: LateWrites
  readonly #clock: Clock

  constructor(
    ports: Omit<ProcessingPorts, 'pendingVectors'>,
    models: EmbeddingModels,
    lateWrites: LateWrites,
    clock: Clock,
  ) {
    this.#ports = { ...ports, pendingVectors: new PendingVectors() }
    this.#models = models
    this.#lateWrites = lateWrites
    this.#clock = clock
  }

  async run(job: JobRun): Promise<void> {
    const started = await this.#start(job)
    if (started === undefined) {
      await job.complete(async () => undefined)
      return
    }
    const { document, context } = started
    const model = this.#models.get(context.embeddingModel)
    // A new document gets its words first. Another one that waits for the model would only read its file again.
    if (!started.isFresh) await model.checkAvailable?.()
    const documentRun = new DocumentRun(this.#ports, job, started, model)
    try {
      const processed = await documentRun.process()
      await this.#complete(job, started, processed, documentRun)
    } catch (error) {
      // First: writes that still run would add data after its removal.
      await documentRun.close()
      const { name } = collectionOf(context, model.profile)
      await this.#lateWrites.removeIfDeleted({ id: document.id, context }, name).catch(() => undefined)
      throw error
    } finally {
      await documentRun.close()
    }
  }

  /** Sets `started`. @returns the document and its context; undefined if the document needs no processing */
  async #start(job: JobRun): Promise<StartedDocument | undefined> {
    let started = await this.#tryStart(job)
    while (started === 'chunks left') started = await this.#tryStart(job)
    return started
  }

  /**
   * One step of {@link #start}. A document that was reset still has its chunks, which may be damaged. They are removed
   * first, one part in each step.
   */
  async #tryStart(job: JobRun): Promise<StartedDocument | 'chunks left' | undefined> {
    return await job.transaction(async ({ documents, contexts, chunks }) => {
      const document = await documents.get(job.subject)
      const stored = document && (await contexts.get(document.contextId))
      const context = stored && contextFor(stored, document)
      if (document === undefined || context === undefined || document.completed !== null) return undefined
      if (document.started !== null) return { document, context, isFresh: false }
      const removed = await chunks.remove(document.id, { fromOrdinal: 0, limit: CHUNKS_PER_REMOVAL })
      if (removed > 0) return 'chunks left'
      await documents.update(document.id, { started: this.#clock.now().toISOString() })
      return { document, context, isFresh: true }
    })
  }

  /**
   * Completes the document and its job in one transaction, then notifies listeners. A replacement becomes the current
   * version in the same transaction, and the version that it replaces is deleted. A shadow waits for the switch.
   */
  async #complete(
    job: JobRun,
    { document: { id, generation }, context }: StartedDocument,
    { receipt, unwrittenChunks }: ProcessedDocument,
    documentRun: DocumentRun,
  ): Promise<void> {
    const completed = await job.complete(async (repositories) => {
      const { documents, chunks, contexts } = repositories
      await clearAway(repositories.settings, receipt.embeddingModel)
      if (unwrittenChunks.length > 0) await chunks.insert(id, unwrittenChunks)
      else await requireWords(documents, id)
      const now = this.#clock.now().toISOString()
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
      })
      // After the update, which waits for a switch that changes the same row: this read sees the switch.
      requireGeneration(context, await contexts.generations(context.id), generation)
      return await documents.get(id)
    })
    if (completed === undefined || generation !== null) return
    documentRun.emitFindable({ isCompleted: true })
    this.#ports.events.emit('document.completed', toDocument(completed))
  }

  /** Records the final failure. Written chunks, words and vectors stay, but no search finds them. */
  async fail({ documents }: Repositories, documentId: number, error: unknown): Promise<void> {
    await documents.update(documentId, { error: failureSentence(error) })
  }

  /** Records why the documents of a model wait: {@link waitingFor} reads it. */
  async postponed({ documents, contexts, settings }: Repositories, documentId: number, error: unknown): Promise<void> {
    const document = await documents.get(documentId)
    const context = document && (await contexts.get(document.contextId))
    if (context !== undefined) await settings.put(awayKey(context.embeddingModel), failureSentence(error))
  }

  failed(documentId: number): void {
    const { storage, events } = this.#ports
    void storage
      .read(({ documents }) => documents.get(documentId))
      .then((document) => {
        if (document?.generation === null) events.emit('document.failed', toDocument(document))
      })
      .catch(() => undefined)
  }
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

import { ANALYZER_VERSION } from '../analysis/index.js'
import type { JobHandler, JobRun } from '../jobs/index.js'
import { StorageError } from '../kernel/errors.js'
import type { Clock, DocumentRepository, Repositories } from '../ports/index.js'
import { collectionOf } from './collections.js'
import { toDocument } from './document.js'
import type { EmbeddingModels } from './embedding-models.js'
import { INGEST_DOCUMENT } from './enqueue.js'
import { CHUNKS_PER_REMOVAL } from './pipeline/chunk-writer.js'
import {
  DocumentRun,
  failureSentence,
  type Processed,
  type ProcessingPorts,
  type Subject,
} from './pipeline/document-run.js'
import type { LateWrites } from './pipeline/late-writes.js'
import { EmbeddingsUnderWay } from './pipeline/window-embedder.js'

/** Turns the bytes of a document into searchable chunks; what an earlier run has written is kept. */
export class ProcessDocument implements JobHandler {
  readonly kind: string = INGEST_DOCUMENT
  readonly #ports: ProcessingPorts
  readonly #models: EmbeddingModels
  readonly #lateWrites: LateWrites
  readonly #clock: Clock

  constructor(ports: Omit<ProcessingPorts, 'underWay'>, models: EmbeddingModels, lateWrites: LateWrites, clock: Clock) {
    this.#ports = { ...ports, underWay: new EmbeddingsUnderWay() }
    this.#models = models
    this.#lateWrites = lateWrites
    this.#clock = clock
  }

  async run(run: JobRun): Promise<void> {
    let subject = await this.#begin(run)
    while (subject === 'not cleared') subject = await this.#begin(run)
    if (subject === undefined) {
      await run.complete(async () => undefined)
      return
    }
    const model = this.#models.get(subject.context.embeddingModel)
    const documentRun = new DocumentRun(this.#ports, run, subject, model)
    try {
      await this.#complete(run, subject, await documentRun.process(), () => documentRun.tellFindable())
    } catch (error) {
      // What is still being written would come back behind what is removed.
      await documentRun.close()
      const { name } = collectionOf(subject.context, model.profile)
      await this.#lateWrites.removeIfDeleted(subject.document, name).catch(() => undefined)
      throw error
    } finally {
      await documentRun.close()
    }
  }

  /** What was written stays, unseen. */
  async fail({ documents }: Repositories, documentId: number, error: unknown): Promise<void> {
    await documents.update(documentId, { error: failureSentence(error) })
  }

  failed(documentId: number): void {
    const { storage, events } = this.#ports
    void storage
      .read(({ documents }) => documents.get(documentId))
      .then((document) => {
        if (document !== undefined) events.emit('document.failed', toDocument(document))
      })
      .catch(() => undefined)
  }

  /**
   * The document and its context, `started` set; `undefined` where there is nothing to do. What was written before a
   * document was put back to the beginning is cleared away first, in steps: it may be what is wrong with it.
   */
  async #begin(run: JobRun): Promise<Subject | 'not cleared' | undefined> {
    return await run.transaction(async ({ documents, contexts, chunks }) => {
      const document = await documents.get(run.subject)
      const context = document && (await contexts.get(document.contextId))
      if (document === undefined || context === undefined || document.completed !== null) return undefined
      if (document.started !== null) return { document, context, isFresh: false }
      const removed = await chunks.remove(document.id, { fromOrdinal: 0, limit: CHUNKS_PER_REMOVAL })
      if (removed > 0) return 'not cleared'
      await documents.update(document.id, { started: this.#clock.now().toISOString() })
      return { document, context, isFresh: true }
    })
  }

  async #complete(
    run: JobRun,
    { document: { id } }: Subject,
    { receipt, rows }: Processed,
    tellFindable: () => void,
  ): Promise<void> {
    const completed = await run.complete(async ({ documents, chunks }) => {
      if (rows.length > 0) await chunks.insert(id, rows)
      else await requireWords(documents, id)
      await documents.update(id, {
        completed: this.#clock.now().toISOString(),
        error: null,
        chunkCount: receipt.chunks,
        receipt,
        wordsVersion: ANALYZER_VERSION,
        embeddedChunks: receipt.chunks,
      })
      return await documents.get(id)
    })
    if (completed === undefined) return
    tellFindable()
    this.#ports.events.emit('document.completed', toDocument(completed))
  }
}

/** A repair that has found words damaged puts documents back, and they must stay so. */
async function requireWords(documents: DocumentRepository, id: number): Promise<void> {
  if ((await documents.get(id))?.wordsVersion === ANALYZER_VERSION) return
  throw new StorageError('words of the document are gone that were written before', { isTransient: true })
}

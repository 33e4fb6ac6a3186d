import type { JobHandler, JobRun } from '../jobs/index.js'
import {
  BACKUP_JOB,
  type Clock,
  type ContextRecord,
  type DocumentRecord,
  type FileStore,
  type IngestionReceipt,
  type Repositories,
  type Storage,
  type TextExtractor,
  type VectorIndex,
} from '../ports/index.js'
import { AlcoveError, ExtractionError, VectorInvalidError } from '../shared/errors.js'
import { pause } from '../shared/pause.js'
import { itemsUntilAborted } from '../shared/until-aborted.js'
import type { Chunk } from './chunking/chunker.js'
import { toDocument } from './document.js'
import type { DocumentEventEmitter } from './document-events.js'
import { type EmbeddingModels, windowTokensFor } from './embedding-models.js'
import { INGEST_DOCUMENT } from './job-kinds.js'
import { chunkStream, emptySummary, type TextSummary } from './processing/chunk-stream.js'
import { DocumentWriter } from './processing/document-writer.js'
import { EmbeddingsUnderWay } from './processing/embeddings-under-way.js'
import { prefetch } from './processing/prefetch.js'
import { CHUNKS_PER_REMOVAL } from './processing/remove-chunks.js'
import { batchByWindows } from './processing/window-batch.js'
import { type EmbeddedBatch, WindowEmbedder } from './processing/window-embedder.js'
import { collectionOf } from './vector-collection.js'

/** Windows that are embedded in one call: some seconds of work at the most. */
const WINDOWS_PER_BATCH = 256
const DROP_PAUSES_MS = [100, 300, 1_000]

interface Subject {
  readonly document: DocumentRecord
  readonly context: ContextRecord
}

/** Turns the bytes of a document into searchable chunks; what an earlier run has written is kept. */
export class ProcessDocument implements JobHandler {
  readonly kind: string = INGEST_DOCUMENT
  readonly #storage: Storage
  readonly #fileStore: FileStore
  readonly #extractor: TextExtractor
  readonly #index: VectorIndex
  readonly #models: EmbeddingModels
  readonly #clock: Clock
  readonly #events: DocumentEventEmitter
  readonly #underWay = new EmbeddingsUnderWay()

  constructor(
    storage: Storage,
    fileStore: FileStore,
    extractor: TextExtractor,
    index: VectorIndex,
    models: EmbeddingModels,
    clock: Clock,
    events: DocumentEventEmitter,
  ) {
    this.#storage = storage
    this.#fileStore = fileStore
    this.#extractor = extractor
    this.#index = index
    this.#models = models
    this.#clock = clock
    this.#events = events
  }

  async run(run: JobRun): Promise<void> {
    let subject = await this.#begin(run)
    while (subject === 'not cleared') subject = await this.#begin(run)
    if (subject === undefined) {
      await run.complete(async () => undefined)
      return
    }
    try {
      const receipt = await this.#process(run, subject)
      await this.#complete(run, subject.document, receipt)
    } catch (error) {
      await this.#dropIfDeleted(subject).catch(() => undefined)
      throw error
    }
  }

  /** What was written stays, unseen. */
  async fail({ documents }: Repositories, documentId: number, error: unknown): Promise<void> {
    await documents.update(documentId, { error: sentence(error) })
  }

  failed(documentId: number): void {
    void this.#storage
      .read(({ documents }) => documents.get(documentId))
      .then((document) => {
        if (document !== undefined) this.#events.emit('document.failed', toDocument(document))
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
      if (document.started !== null) return { document, context }
      const removed = await chunks.remove(document.id, { fromOrdinal: 0, limit: CHUNKS_PER_REMOVAL })
      if (removed > 0) return 'not cleared'
      await documents.update(document.id, { started: this.#clock.now().toISOString() })
      return { document, context }
    })
  }

  async #process(run: JobRun, { document, context }: Subject): Promise<IngestionReceipt> {
    const began = performance.now()
    const model = this.#models.get(context.embeddingModel)
    const tokenizer = await model.tokenizer()
    const collection = collectionOf(context, model.profile)
    const writer = new DocumentWriter(this.#index, run, collection, document.id)
    const embedder = new WindowEmbedder(this.#storage, this.#index, model, context.id, collection, this.#underWay)
    const written = await writer.resume(this.#storage)
    const totals = { chunks: 0, windows: 0, reused: 0, embedMs: 0 }
    const summary = emptySummary()

    const source = {
      fileName: document.originalName,
      sizeBytes: document.sizeBytes,
      open: () => this.#fileStore.read(document.uuid),
    }
    const chunks = chunkStream(
      // Whoever deletes a document, or closes the engine, does not wait for an extractor that hangs.
      itemsUntilAborted(this.#extractor.extract(source, { signal: run.signal }), run.signal),
      tokenizer,
      {
        chunkSizeTokens: context.chunkSizeTokens,
        overlap: context.overlap,
        windowTokens: windowTokensFor(model, tokenizer, 'passage'),
      },
      summary,
    )
    const fresh = withoutWritten(counted(chunks, totals), { written, embedder, writer, totals })
    const batches = prefetch(embedded(batchByWindows(fresh, WINDOWS_PER_BATCH), embedder, run.signal))
    try {
      for await (const batch of batches) {
        totals.windows += batch.windowCount
        totals.reused += batch.reused
        totals.embedMs += batch.embedMs
        await writer.write(batch)
        this.#events.emit('document.progress', {
          contextId: context.id,
          fileName: document.uuid,
          charactersExtracted: summary.characters,
          windowsEmbedded: totals.windows,
        })
      }
      if (summary.tokens === 0) throw new ExtractionError('ERR_NO_TEXT', 'The file has no text')
      await writer.finish(this.#storage)
    } finally {
      embedder.close()
    }
    if (totals.chunks < written.length) await writer.truncate(totals.chunks)
    return receiptOf({
      document,
      context,
      summary,
      totals,
      indexMs: writer.indexMs,
      totalMs: performance.now() - began,
    })
  }

  async #complete(run: JobRun, document: DocumentRecord, receipt: IngestionReceipt): Promise<void> {
    const completed = await run.complete(async ({ documents }) => {
      const changes = { completed: this.#clock.now().toISOString(), error: null, chunkCount: receipt.chunks, receipt }
      await documents.update(document.id, changes)
      return await documents.get(document.id)
    })
    if (completed !== undefined) this.#events.emit('document.completed', toDocument(completed))
  }

  /** A document deleted meanwhile: its purge may have come before the last write. */
  async #dropIfDeleted({ document, context }: Subject): Promise<void> {
    const { isLive, hasContext, isBackup } = await this.#storage.read(async ({ documents, contexts, jobs }) => ({
      isLive: (await documents.get(document.id)) !== undefined,
      hasContext: (await contexts.get(context.id)) !== undefined,
      isBackup: await jobs.isHeld(BACKUP_JOB),
    }))
    if (isLive) return
    const { name } = collectionOf(context, this.#models.get(context.embeddingModel).profile)
    // Nobody else would look for it before the next start.
    await severalTimes(async () => {
      // A backup may be about to copy what the context had when it began: its purge waits for that, and drops it.
      if (hasContext || isBackup) await this.#index.deleteDocument(name, document.id, 0)
      else await this.#index.drop(name)
    })
  }
}

/** Counts what goes by: chunks are made ahead of those that are embedded. */
async function* counted(chunks: AsyncIterable<Chunk>, totals: { chunks: number }): AsyncGenerator<Chunk> {
  for await (const chunk of chunks) {
    totals.chunks += 1
    yield chunk
  }
}

/** Leaves out the chunks that an earlier run has written, as long as they are the same; their windows count as embedded. */
async function* withoutWritten(
  chunks: AsyncIterable<Chunk>,
  run: {
    readonly written: readonly string[]
    readonly embedder: WindowEmbedder
    readonly writer: DocumentWriter
    readonly totals: { windows: number }
  },
): AsyncGenerator<Chunk> {
  let isSame = true
  for await (const chunk of chunks) {
    const hash: string | undefined = isSame ? run.written[chunk.ordinal] : undefined
    if (hash !== undefined) {
      isSame = (await run.embedder.toNewChunk(chunk)).hash === hash
      if (isSame) {
        run.totals.windows += chunk.windows.length
        continue
      }
      await run.writer.truncate(chunk.ordinal)
    }
    yield chunk
  }
}

async function* embedded(
  batches: ReturnType<typeof batchByWindows>,
  embedder: WindowEmbedder,
  signal: AbortSignal,
): AsyncGenerator<EmbeddedBatch> {
  for await (const batch of prefetch(batches)) yield await embedder.embed(batch, signal)
}

/** Tries again after a moment; the last error is thrown. */
async function severalTimes(work: () => Promise<void>): Promise<void> {
  for (const pauseMs of DROP_PAUSES_MS) {
    try {
      await work()
      return
    } catch {
      await pause(pauseMs)
    }
  }
  await work()
}

function receiptOf(made: {
  readonly document: DocumentRecord
  readonly context: ContextRecord
  readonly summary: TextSummary
  readonly totals: {
    readonly chunks: number
    readonly windows: number
    readonly reused: number
    readonly embedMs: number
  }
  readonly indexMs: number
  readonly totalMs: number
}): IngestionReceipt {
  const { document, context, summary, totals } = made
  return {
    bytes: document.sizeBytes,
    characters: summary.characters,
    pages: summary.pages,
    tokens: summary.tokens,
    chunks: totals.chunks,
    windows: totals.windows,
    windowsReused: totals.reused,
    embeddingModel: context.embeddingModel,
    durationsMs: {
      extract: Math.round(summary.extractMs),
      embed: Math.round(totals.embedMs),
      index: Math.round(made.indexMs),
      total: Math.round(made.totalMs),
    },
    warnings: summary.warnings,
  }
}

/** One sentence that ends in its code; what the engine did not foresee tells nothing of its inside. */
function sentence(error: unknown): string {
  if (!(error instanceof AlcoveError))
    return 'The document could not be processed because of an internal error (ERR_INTERNAL)'
  if (error instanceof VectorInvalidError)
    return `The embedding model gave vectors that cannot be used: check the model (${error.code})`
  return `${error.message.replace(/\.$/, '')} (${error.code})`
}

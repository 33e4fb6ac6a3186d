import { ANALYZER_VERSION } from '../../analysis/index.js'
import { clearAway } from '../../contexts/index.js'
import type { JobRun } from '../../jobs/index.js'
import { ExtractionError, isTransientError, LeaseLostError } from '../../kernel/errors.js'
import { pause } from '../../kernel/scheduling/abort.js'
import { prefetch } from '../../kernel/scheduling/prefetch.js'
import {
  type ContextRecord,
  type DocumentRecord,
  displayNameOf,
  type EmbeddingModel,
  type FileStore,
  type IngestionReceipt,
  type NewChunk,
  type Repositories,
  type Storage,
  type TextExtractor,
  type Tracer,
  type VectorIndex,
} from '../../ports/index.js'
import { collectionOf } from '../collections.js'
import { readMeasured } from '../languages/known-languages.js'
import { withLanguageWarning } from '../languages/language-warning.js'
import type { DocumentEventEmitter } from '../watch/document-events.js'
import { ChunkWriter } from './chunk-writer.js'
import { extractedBatches } from './extracted-batches.js'
import type { IndexWords, NamedWordsOwner } from './index-words.js'
import type { PendingVectors } from './pending-vectors.js'
import { RunReport } from './run-report.js'
import { removeChunks, storedChunks } from './stored-chunks.js'
import { TextQuota } from './text-quota.js'
import { VectorWriter } from './vector-writer.js'
import { batchByWindows, type ChunkBatch, type EmbeddedBatch, WindowEmbedder } from './window-embedder.js'
import { WordFeed } from './word-feed.js'

/** Windows that one call embeds: some seconds of work at most. */
const WINDOWS_PER_BATCH = 256
/** A document with at most this many windows is small: it is written as a whole, after everything is computed. */
const SMALL_DOCUMENT_WINDOWS = 64
/** If the vectors of a small document take longer than this, its words become findable before them. */
const EARLY_WORDS_MS = 250

/** The ports and shared objects that the processing of documents needs. */
export interface ProcessingPorts {
  readonly storage: Storage
  readonly fileStore: FileStore
  readonly extractor: TextExtractor
  readonly index: VectorIndex
  readonly words: IndexWords
  readonly events: DocumentEventEmitter
  readonly pendingVectors: PendingVectors
  readonly tracer: Tracer
}

/** A document whose processing has started. */
export interface StartedDocument {
  readonly document: DocumentRecord
  /** As the document sees it: see `contextFor`. */
  readonly context: ContextRecord
  /** True if no earlier run has written chunk rows of it. */
  readonly isFresh: boolean
}

/** The data that the transaction that completes a document records. */
export interface ProcessedDocument {
  readonly receipt: IngestionReceipt
  /** The document's chunks, if their rows are not written yet. */
  readonly unwrittenChunks: readonly NewChunk[]
}

/**
 * One run that processes a document, in phases: it writes all chunks, then all words, then the vectors. From the end of
 * the second phase on, searches by words can find the document. Each phase continues the work of earlier runs.
 *
 * Each run extracts the text. That is cheap compared to the vectors, and shows if the stored chunks are still right.
 */
export class DocumentRun {
  readonly #document: DocumentRecord
  readonly #context: ContextRecord
  readonly #isFresh: boolean
  readonly #chunks: ChunkWriter
  readonly #vectors: VectorWriter
  readonly #embedder: WindowEmbedder
  readonly #report: RunReport
  readonly #quota: TextQuota
  #wordFeed: WordFeed | undefined
  /** True if this run, or an earlier one, has emitted `document.findable`. */
  #isFindableEmitted: boolean

  constructor(
    private readonly ports: ProcessingPorts,
    private readonly job: JobRun,
    { document, context, isFresh }: StartedDocument,
    private readonly model: EmbeddingModel,
  ) {
    const { storage, index, events, pendingVectors } = ports
    const collection = collectionOf(context, model.profile)
    this.#document = document
    this.#context = context
    this.#isFresh = isFresh
    this.#chunks = new ChunkWriter(storage, job, document)
    this.#vectors = new VectorWriter(index, job, collection, document.id)
    this.#embedder = new WindowEmbedder(storage, index, model, context, collection, pendingVectors)
    this.#report = new RunReport(events, document, context)
    this.#quota = new TextQuota(storage, document, context)
    // Nobody sees a shadow.
    this.#isFindableEmitted =
      document.generation !== null || (document.wordsVersion === ANALYZER_VERSION && document.replaces === null)
  }

  /**
   * Does all work except the completion of the document.
   * @throws ExtractionError and others if the document cannot be processed
   */
  async process(): Promise<ProcessedDocument> {
    if (!this.#isFresh) await this.#chunks.resume()
    const smallDocument = await this.#stage('extract', async () => await this.#writeChunks())
    if (this.#report.text.tokens === 0) throw new ExtractionError('ERR_NO_TEXT', 'The file has no text')
    if (smallDocument !== undefined) {
      const unwrittenChunks = await this.#processSmall(smallDocument)
      this.#report.emitProgress('embedding', this.#report.embedded)
      return { receipt: await this.#receipt(), unwrittenChunks }
    }
    await this.#chunks.end(this.#report.chunks)
    await this.#stage('words', async () => {
      if (this.#wordFeed === undefined) await this.#indexWords(this.#chunks.wordsVersion)
      else await this.#finishWords(this.#wordFeed)
    })
    await this.#stage('embed', async () => await this.#embedChunks())
    await this.#stage('index', async () => await this.#vectors.finish(this.#report.windows))
    // A second time: during the embedding, which may be long, a repair may have removed the words.
    await this.#indexWords(ANALYZER_VERSION)
    return { receipt: await this.#receipt(), unwrittenChunks: [] }
  }

  async #receipt(): Promise<IngestionReceipt> {
    const receipt = this.#report.receipt(this.#vectors.indexMs)
    if (receipt.language === null) return receipt
    const measured = await this.ports.storage.read(async ({ settings }) => await readMeasured(settings, this.model))
    return await withLanguageWarning(receipt, measured)
  }

  /** Runs a stage within its span. */
  async #stage<T>(name: 'extract' | 'words' | 'embed' | 'index', work: () => Promise<T>): Promise<T> {
    const labels = name === 'embed' ? { 'alcove.model.id': this.#context.embeddingModel } : {}
    return await this.ports.tracer.span(`alcove.ingest.${name}`, { labels }, work)
  }

  /** Emits `document.findable` once, if the context has `findsEarly`. A replacement must be completed before that. */
  emitFindable({ isCompleted = false }: { readonly isCompleted?: boolean } = {}): void {
    if (this.#isFindableEmitted || !(isCompleted ? this.#context.findsEarly : this.#findsEarly)) return
    this.#isFindableEmitted = true
    this.ports.events.emit('document.findable', { contextId: this.#context.id, fileName: this.#document.uuid })
  }

  /** Forgets that documents wait for the model. Does nothing for a model that cannot be away. */
  async clearAway({ settings }: Pick<Repositories, 'settings'>): Promise<void> {
    if (this.#canBeAway) await clearAway(settings, this.#context.embeddingModel)
  }

  get #canBeAway(): boolean {
    return this.model.checkAvailable !== undefined
  }

  /** True if searches by words may find the document before it is completed. They must not find a replacement. */
  get #findsEarly(): boolean {
    return this.#context.findsEarly && this.#document.replaces === null
  }

  /** Stops the writes, and the waits of other documents for vectors of this one. */
  async close(): Promise<void> {
    this.#embedder.close()
    await this.#wordFeed?.abandon()
  }

  /** Extracts the text and writes its chunks. @returns the chunks of a small document, which are not written yet */
  async #writeChunks(): Promise<ChunkBatch<NewChunk> | undefined> {
    const extracted = { document: this.#document, context: this.#context, model: this.model }
    const batches = extractedBatches(
      this.ports,
      extracted,
      SMALL_DOCUMENT_WINDOWS + 1,
      this.#report.text,
      this.job.signal,
    )
    let smallDocument: ChunkBatch<NewChunk> | undefined
    for await (const batch of prefetch(batches)) {
      await this.#quota.hold(this.#report.text.characters)
      // Only the last batch can have so few windows. If it is the first one too, it is the whole document.
      const isSmall = batch.windowCount <= SMALL_DOCUMENT_WINDOWS && this.#report.chunks === 0
      this.#report.chunks += batch.chunks.length
      this.#report.windows += batch.windowCount
      if (isSmall && this.#chunks.isAtBeginning) {
        smallDocument = batch
        continue
      }
      if (this.#isFresh) this.#wordFeed ??= this.#startWords()
      const [isWritten] = await Promise.all([this.#chunks.write(batch.chunks), this.#wordFeed?.push(batch.chunks)])
      if (isWritten) this.#report.emitProgress('reading', this.#chunks.embeddedWindows)
    }
    await this.#quota.hold(this.#report.text.characters)
    return smallDocument
  }

  /** Removes what was written of a text that does not fit in the quota: it would use room that nobody counts. */
  async discard(): Promise<void> {
    await this.ports.words.remove(this.#wordsOwner)
    await removeChunks(this.job, this.#document.id)
  }

  /**
   * Indexes words and computes vectors at the same time. If the vectors take long, the chunk rows are written before
   * them, so that searches by words find the document.
   * @returns the chunks, if their rows are not written yet
   */
  async #processSmall(batch: ChunkBatch<NewChunk>): Promise<readonly NewChunk[]> {
    const embedding = this.#stage('embed', async () => await this.#embedSmall(batch))
    // Handles a rejection of the embedding even if the words fail first. Then their error is thrown.
    const settled = embedding.then(
      () => undefined,
      () => undefined,
    )
    try {
      const startedAt = performance.now()
      await this.#stage('words', async () => await this.#writeWords(batch.chunks))
      this.#report.countWordsSince(startedAt)
      let isEmbedded = false
      const embedded = embedding.then((embeddedBatch) => {
        isEmbedded = true
        return embeddedBatch
      })
      // While the model is away, words find the document.
      if (this.#findsEarly) await pause(EARLY_WORDS_MS, embedded.catch(throwUnlessTransient))
      const isFindableEarly = this.#findsEarly && !isEmbedded
      if (isFindableEarly) await this.#writeEarly(batch.chunks)
      const vectors = await embedded
      await this.#stage('index', async () => await this.#vectors.add([vectors]))
      return isFindableEarly ? [] : batch.chunks
    } finally {
      await settled
    }
  }

  async #embedSmall(batch: ChunkBatch<NewChunk>): Promise<EmbeddedBatch> {
    await this.#vectors.resume(0, 0)
    const embedded = await this.#embedder.embed(batch, this.job.signal)
    this.#report.countEmbedded(embedded)
    return embedded
  }

  /** Writes the chunk rows, and records that the words are indexed: the document becomes findable by its words. */
  async #writeEarly(rows: readonly NewChunk[]): Promise<void> {
    const { id } = this.#document
    await this.job.transaction(
      async ({ chunks, documents }) => {
        await chunks.insert(id, rows)
        await documents.update(id, { wordsVersion: ANALYZER_VERSION })
      },
      { isProgress: true },
    )
    this.emitFindable()
  }

  /** Starts to index the words of a new, large document, while its chunks are made and written. */
  #startWords(): WordFeed {
    return new WordFeed((chunks) => this.#writeWords(chunks))
  }

  async #writeWords(chunks: AsyncIterable<NewChunk> | Iterable<NewChunk>): Promise<void> {
    const beforeWrite = async (): Promise<void> => this.job.signal.throwIfAborted()
    await this.ports.words.write(this.#wordsOwner, chunks, { beforeWrite })
  }

  async #finishWords(feed: WordFeed): Promise<void> {
    const startedAt = performance.now()
    await feed.end()
    const isRecorded = await this.ports.words.record(this.#wordsOwner, { job: this.job, isWanted })
    if (!isRecorded) throw new LeaseLostError('the document was deleted')
    this.#report.countWordsSince(startedAt)
    this.emitFindable()
  }

  /** Indexes the words, unless the index has them. @param version recorded version of the words in the index */
  async #indexWords(version: number | null): Promise<void> {
    const { words } = this.ports
    const startedAt = performance.now()
    if (version === ANALYZER_VERSION) {
      if (await words.has(this.#wordsOwner, this.#report.chunks)) return
      await this.job.transaction(({ documents }) => documents.update(this.#document.id, { wordsVersion: null }))
    }
    const isIndexed = await words.run(this.#wordsOwner, { job: this.job, isWanted })
    if (!isIndexed) throw new LeaseLostError('the document was deleted')
    this.#report.countWordsSince(startedAt)
    this.emitFindable()
  }

  async #embedChunks(): Promise<void> {
    const { embeddedChunks, embeddedWindows } = this.#chunks
    const fromOrdinal = await this.#vectors.resume(embeddedChunks, embeddedWindows)
    this.#report.embedded = fromOrdinal === 0 ? 0 : embeddedWindows
    this.#report.emitProgress('embedding', this.#report.embedded)
    const chunks = storedChunks(this.ports.storage, this.#document.id, fromOrdinal)
    let isKnownBack = false
    for await (const batch of prefetch(this.#embeddedBatches(batchByWindows(chunks, WINDOWS_PER_BATCH)))) {
      this.#report.countEmbedded(batch)
      if (this.#canBeAway && !isKnownBack && batch.reused < batch.windowCount) {
        // The end of a large document may be an hour away.
        await this.job.transaction((repositories) => this.clearAway(repositories))
        isKnownBack = true
      }
      await this.#vectors.write(batch)
      this.#report.emitProgress('embedding', this.#report.embedded)
    }
  }

  async *#embeddedBatches(batches: AsyncIterable<ChunkBatch<NewChunk>>): AsyncGenerator<EmbeddedBatch> {
    for await (const batch of prefetch(batches)) yield await this.#embedder.embed(batch, this.job.signal)
  }

  get #wordsOwner(): NamedWordsOwner {
    return { id: this.#document.id, context: this.#context, name: displayNameOf(this.#document) }
  }
}

function throwUnlessTransient(error: unknown): void {
  if (!isTransientError(error)) throw error
}

/** The words of a document are indexed only until it is completed: another run may have completed it. */
function isWanted({ completed }: DocumentRecord): boolean {
  return completed === null
}

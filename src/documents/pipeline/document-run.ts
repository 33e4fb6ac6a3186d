import { ANALYZER_VERSION } from '../../analysis/index.js'
import type { JobRun } from '../../jobs/index.js'
import { itemsUntilAborted, pause } from '../../kernel/abort.js'
import { AlcoveError, ExtractionError, LeaseLostError, VectorInvalidError } from '../../kernel/errors.js'
import type {
  ContextRecord,
  DocumentRecord,
  EmbeddingModel,
  FileStore,
  IngestionReceipt,
  NewChunk,
  Storage,
  TextExtractor,
  Tokenizer,
  VectorIndex,
} from '../../ports/index.js'
import { collectionOf } from '../collections.js'
import type { DocumentEventEmitter } from '../document-events.js'
import { windowTokensFor } from '../embedding-models.js'
import { chunkStream, emptySummary, hashedChunk, prefetch, type TextSummary } from './chunk-stream.js'
import { ChunkWriter, storedChunks } from './chunk-writer.js'
import type { IndexWords } from './index-words.js'
import { VectorWriter } from './vector-writer.js'
import {
  batchByWindows,
  type ChunkBatch,
  type EmbeddedBatch,
  type EmbeddingsUnderWay,
  WindowEmbedder,
} from './window-embedder.js'
import { WordFeed } from './word-feed.js'

/** Windows that are embedded in one call: some seconds of work at the most. */
const WINDOWS_PER_BATCH = 256
/** A document of so many windows is written as a whole, when all of it is computed. */
const WINDOWS_OF_SMALL_DOCUMENT = 64
/** A small document whose vectors take longer than that is findable by its words before. */
const GRACE_MS = 250

/** Words are indexed of a document that is not completed: it is deleted otherwise, or another run has completed it. */
function isWanted({ completed }: DocumentRecord): boolean {
  return completed === null
}

/** A document that is to be processed. */
export interface Subject {
  readonly document: DocumentRecord
  readonly context: ContextRecord
  /** Whether no earlier run has written chunk rows of it. */
  readonly isFresh: boolean
}

/** What the processing of documents works with. */
export interface ProcessingPorts {
  readonly storage: Storage
  readonly fileStore: FileStore
  readonly extractor: TextExtractor
  readonly index: VectorIndex
  readonly words: IndexWords
  readonly events: DocumentEventEmitter
  readonly underWay: EmbeddingsUnderWay
}

/** What the transaction that completes a document records. */
export interface Processed {
  readonly receipt: IngestionReceipt
  /** The document's chunks, where their rows are not written yet. */
  readonly rows: readonly NewChunk[]
}

/**
 * One run through a document, in phases: all chunks are written, then all words, from which on it can be found by them,
 * then the vectors. Each phase goes on from what an earlier run has written. The text is extracted in every run: that is
 * cheap beside the vectors, and tells whether what was written is still right.
 */
export class DocumentRun {
  readonly #ports: ProcessingPorts
  readonly #run: JobRun
  readonly #subject: Subject
  readonly #model: EmbeddingModel
  readonly #chunks: ChunkWriter
  readonly #vectors: VectorWriter
  readonly #embedder: WindowEmbedder
  readonly #began = performance.now()
  readonly #summary: TextSummary = emptySummary()
  readonly #totals = { chunks: 0, windows: 0, embedded: 0, reused: 0, embedMs: 0, wordsMs: 0 }
  #feed: WordFeed | undefined
  /** Whether listeners know, by this run or an earlier one, that it can be found. */
  #isToldFindable: boolean

  constructor(ports: ProcessingPorts, run: JobRun, subject: Subject, model: EmbeddingModel) {
    const { storage, index, underWay } = ports
    const { document, context } = subject
    const collection = collectionOf(context, model.profile)
    this.#ports = ports
    this.#run = run
    this.#subject = subject
    this.#model = model
    this.#chunks = new ChunkWriter(storage, run, document)
    this.#vectors = new VectorWriter(index, run, collection, document.id)
    this.#embedder = new WindowEmbedder(storage, index, model, context.id, collection, underWay)
    this.#isToldFindable = document.wordsVersion === ANALYZER_VERSION
  }

  /**
   * Does everything but complete the document.
   * @throws ExtractionError and others where it cannot be processed
   */
  async process(): Promise<Processed> {
    if (!this.#subject.isFresh) await this.#chunks.resume()
    const small = await this.#takeChunks(await this.#model.tokenizer())
    if (this.#summary.tokens === 0) throw new ExtractionError('ERR_NO_TEXT', 'The file has no text')
    if (small !== undefined) {
      const rows = await this.#processSmall(small)
      this.#tellProgress(this.#totals.embedded)
      return { receipt: this.#receipt(), rows }
    }
    await this.#chunks.end(this.#totals.chunks)
    if (this.#feed === undefined) await this.#indexWords(this.#chunks.wordsVersion)
    else await this.#endWords(this.#feed)
    await this.#embedChunks()
    // They were written some time ago: a repair may have removed them.
    await this.#indexWords(ANALYZER_VERSION)
    return { receipt: this.#receipt(), rows: [] }
  }

  /** Tells, once, that the document can be found by its words, where its context wants that before it is completed. */
  tellFindable(): void {
    const { document, context } = this.#subject
    if (this.#isToldFindable || !context.findsEarly) return
    this.#isToldFindable = true
    this.#ports.events.emit('document.findable', { contextId: context.id, fileName: document.uuid })
  }

  /** No other document is to wait any longer for vectors that this one had under way; nothing is written any more. */
  async close(): Promise<void> {
    this.#embedder.close()
    await this.#feed?.abandon()
  }

  /** Extracts the text and writes its chunks. @returns the chunks of a small document, which are not written yet */
  async #takeChunks(tokenizer: Tokenizer): Promise<ChunkBatch<NewChunk> | undefined> {
    let small: ChunkBatch<NewChunk> | undefined
    for await (const batch of prefetch(this.#extracted(tokenizer))) {
      // Only the last batch has no more windows than that.
      const isSmall = batch.windowCount <= WINDOWS_OF_SMALL_DOCUMENT && this.#totals.chunks === 0
      this.#totals.chunks += batch.chunks.length
      this.#totals.windows += batch.windowCount
      if (isSmall && this.#chunks.isAtBeginning) {
        small = batch
        continue
      }
      if (this.#subject.isFresh) this.#feed ??= this.#beginWords()
      const [isWritten] = await Promise.all([this.#chunks.write(batch.chunks), this.#feed?.push(batch.chunks)])
      if (isWritten) this.#tellProgress(this.#chunks.embeddedWindows)
    }
    return small
  }

  /** Indexes the words of a large document that is new, while its chunks are made and written. */
  #beginWords(): WordFeed {
    const { words } = this.#ports
    const beforeWrite = async (): Promise<void> => this.#run.signal.throwIfAborted()
    return new WordFeed((chunks) => words.write(this.#subject.document, chunks, { beforeWrite }))
  }

  async #endWords(feed: WordFeed): Promise<void> {
    const began = performance.now()
    await feed.end()
    const isDone = await this.#ports.words.record(this.#subject.document, { run: this.#run, isWanted })
    if (!isDone) throw new LeaseLostError('the document was deleted')
    this.#totals.wordsMs += performance.now() - began
    this.tellFindable()
  }

  async *#extracted(tokenizer: Tokenizer): AsyncGenerator<ChunkBatch<NewChunk>> {
    const { fileStore, extractor } = this.#ports
    const { document, context } = this.#subject
    const { signal } = this.#run
    const source = {
      fileName: document.originalName,
      sizeBytes: document.sizeBytes,
      open: () => fileStore.read(document.uuid),
    }
    const chunks = chunkStream(
      // Whoever deletes a document, or closes the engine, does not wait for an extractor that hangs.
      itemsUntilAborted(extractor.extract(source, { signal }), signal),
      tokenizer,
      {
        chunkSizeTokens: context.chunkSizeTokens,
        overlap: context.overlap,
        windowTokens: windowTokensFor(this.#model, tokenizer, 'passage'),
      },
      this.#summary,
    )
    const { fingerprint } = this.#model.profile
    for await (const batch of batchByWindows(chunks, WINDOWS_OF_SMALL_DOCUMENT + 1)) {
      const hashed = batch.chunks.map(async (chunk) => await hashedChunk(chunk, fingerprint))
      yield { chunks: await Promise.all(hashed), windowCount: batch.windowCount }
    }
  }

  /**
   * Indexes words and computes vectors at the same time. Where the vectors take long, the chunks are written meanwhile,
   * and the document can be found.
   * @returns the chunks, where their rows are not written yet
   */
  async #processSmall(batch: ChunkBatch<NewChunk>): Promise<readonly NewChunk[]> {
    const { document, context } = this.#subject
    const embedding = this.#embedSmall(batch)
    // It is waited for in any case, but what fails first may be something else.
    const settled = embedding.then(
      () => undefined,
      () => undefined,
    )
    try {
      const began = performance.now()
      const beforeWrite = async (): Promise<void> => this.#run.signal.throwIfAborted()
      await this.#ports.words.write(document, batch.chunks, { beforeWrite })
      this.#totals.wordsMs += performance.now() - began
      let isEmbedded = false
      const embedded = embedding.then((made) => {
        isEmbedded = true
        return made
      })
      if (context.findsEarly) await pause(GRACE_MS, embedded)
      const isLate = context.findsEarly && !isEmbedded
      if (isLate) await this.#writeEarly(batch.chunks)
      await this.#vectors.add([await embedded])
      return isLate ? [] : batch.chunks
    } finally {
      await settled
    }
  }

  async #embedSmall(batch: ChunkBatch<NewChunk>): Promise<EmbeddedBatch> {
    await this.#vectors.resume(0, 0)
    const embedded = await this.#embedder.embed(batch, this.#run.signal)
    this.#countEmbedded(embedded)
    return embedded
  }

  async #writeEarly(rows: readonly NewChunk[]): Promise<void> {
    const { id } = this.#subject.document
    await this.#run.transaction(
      async ({ chunks, documents }) => {
        await chunks.insert(id, rows)
        await documents.update(id, { wordsVersion: ANALYZER_VERSION })
      },
      { isProgress: true },
    )
    this.tellFindable()
  }

  /** @param version of the words that the index should have */
  async #indexWords(version: number | null): Promise<void> {
    const { document } = this.#subject
    const { words } = this.#ports
    const began = performance.now()
    if (version === ANALYZER_VERSION) {
      if (await words.has(document, this.#totals.chunks)) return
      await this.#run.transaction(({ documents }) => documents.update(document.id, { wordsVersion: null }))
    }
    const isDone = await words.run(document, { run: this.#run, isWanted })
    if (!isDone) throw new LeaseLostError('the document was deleted')
    this.#totals.wordsMs += performance.now() - began
    this.tellFindable()
  }

  async #embedChunks(): Promise<void> {
    const { storage } = this.#ports
    const { embeddedChunks, embeddedWindows } = this.#chunks
    const from = await this.#vectors.resume(embeddedChunks, embeddedWindows)
    this.#totals.embedded = from === 0 ? 0 : embeddedWindows
    const chunks = storedChunks(storage, this.#subject.document.id, from)
    for await (const batch of prefetch(this.#embedded(batchByWindows(chunks, WINDOWS_PER_BATCH)))) {
      this.#countEmbedded(batch)
      await this.#vectors.write(batch)
      this.#tellProgress(this.#totals.embedded)
    }
    await this.#vectors.finish(this.#totals.windows)
  }

  async *#embedded(batches: AsyncIterable<ChunkBatch<NewChunk>>): AsyncGenerator<EmbeddedBatch> {
    for await (const batch of prefetch(batches)) yield await this.#embedder.embed(batch, this.#run.signal)
  }

  #countEmbedded({ windowCount, reused, embedMs }: EmbeddedBatch): void {
    this.#totals.embedded += windowCount
    this.#totals.reused += reused
    this.#totals.embedMs += embedMs
  }

  #tellProgress(windowsEmbedded: number): void {
    const { document, context } = this.#subject
    this.#ports.events.emit('document.progress', {
      contextId: context.id,
      fileName: document.uuid,
      charactersExtracted: this.#summary.characters,
      windowsEmbedded,
    })
  }

  #receipt(): IngestionReceipt {
    const [indexMs, totalMs] = [this.#vectors.indexMs, performance.now() - this.#began]
    return toReceipt({ ...this.#subject, summary: this.#summary, totals: this.#totals, indexMs, totalMs })
  }
}

/** What was done to a document. */
interface Work {
  readonly document: DocumentRecord
  readonly context: ContextRecord
  readonly summary: TextSummary
  readonly totals: {
    readonly chunks: number
    readonly windows: number
    readonly reused: number
    readonly embedMs: number
    readonly wordsMs: number
  }
  readonly indexMs: number
  readonly totalMs: number
}

function toReceipt({ document, context, summary, totals, indexMs, totalMs }: Work): IngestionReceipt {
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
      words: Math.round(totals.wordsMs),
      embed: Math.round(totals.embedMs),
      index: Math.round(indexMs),
      total: Math.round(totalMs),
    },
    warnings: summary.warnings,
  }
}

/** One sentence that ends in its code, for the document's record; an unforeseen error tells nothing of the engine's inside. */
export function failureSentence(error: unknown): string {
  if (!(error instanceof AlcoveError))
    return 'The document could not be processed because of an internal error (ERR_INTERNAL)'
  if (error instanceof VectorInvalidError)
    return `The embedding model gave vectors that cannot be used: check the model (${error.code})`
  return `${error.message.replace(/\.$/, '')} (${error.code})`
}

import { ANALYZER_VERSION } from '../../analysis/index.js'
import type { JobRun } from '../../jobs/index.js'
import { StorageError } from '../../kernel/errors.js'
import { type RetryOptions, retry, TimeSlice } from '../../kernel/waiting.js'
import {
  BACKUP_JOB,
  type DocumentRecord,
  type LexicalIndex,
  type NewChunk,
  type Storage,
  type VectorIndex,
} from '../../ports/index.js'
import { wordCollectionOf } from '../collections.js'
import { chunkTerms, storedChunks } from './chunks.js'

/**
 * Limits of one addition to the index: chunks, and terms (about 1 MB of English). Few, large additions are faster: 10 MB
 * took 3.8 s in 24 additions, and 2.5 s in 12.
 */
const CHUNKS_PER_WRITE = 1_024
const TERMS_PER_WRITE = 180_000

/** The document that owns the words. */
type WordsOwner = Pick<DocumentRecord, 'id' | 'contextId'>

/** The job that indexes the words, and its conditions. */
interface WordsRun {
  readonly job: Pick<JobRun, 'transaction' | 'signal'>
  /** True while this run should index the words of the document. It receives the current record. */
  readonly isWanted: (document: DocumentRecord) => boolean
  /** Pause after each 10 ms of work, in milliseconds. Default: 0. */
  readonly restMs?: number
}

type RecordingRun = Pick<WordsRun, 'job' | 'isWanted'>

/** Thrown if this run should no longer index the words of the document. */
class NotWantedError extends Error {}

/** Makes the words of documents from the text of their chunks, and adds them to the word index. */
export class IndexWords {
  readonly #storage: Storage
  readonly #index: LexicalIndex

  constructor(storage: Storage, index: LexicalIndex) {
    this.#storage = storage
    this.#index = index
  }

  /** @returns true if the index has exactly this number of chunks of the document */
  async has({ id, contextId }: WordsOwner, chunkCount: number): Promise<boolean> {
    return (await this.#index.count(wordCollectionOf(contextId), id)) === chunkCount
  }

  /**
   * Indexes the words of a document's stored chunks. Once the index has all of them, it records that on the document.
   * The document's `wordsVersion` must not be the analyzer's version yet: searches would find it by half of its words.
   *
   * @returns false if the document is no longer wanted; then some of its words may be in the index
   * @throws StorageError if the index has lost words, or the document has no chunks
   * @throws LeaseLostError
   */
  async run(document: WordsOwner, { job, isWanted, restMs = 0 }: WordsRun): Promise<boolean> {
    return await whileWanted(async () => {
      await this.write(document, storedChunks(this.#storage, document.id), {
        restMs,
        beforeWrite: async () => {
          job.signal.throwIfAborted()
          const current = await this.#storage.read(({ documents }) => documents.get(document.id))
          requireWanted(current, isWanted)
          // Another run has indexed it: this run would add a second copy of its words.
          if (current?.wordsVersion === ANALYZER_VERSION) throw new NotWantedError()
        },
      })
      await this.#record(document, { job, isWanted })
    })
  }

  /**
   * Records on a document that the index has all of its words.
   * @returns false if the document is no longer wanted
   * @throws LeaseLostError
   */
  async record(document: WordsOwner, recordingRun: RecordingRun): Promise<boolean> {
    return await whileWanted(async () => await this.#record(document, recordingRun))
  }

  async #record({ id }: WordsOwner, { job, isWanted }: RecordingRun): Promise<void> {
    await job.transaction(
      async ({ documents }) => {
        await documents.update(id, { wordsVersion: ANALYZER_VERSION })
        // After the update, which locks the row: this read sees the committed changes of other transactions.
        requireWanted(await documents.get(id), isWanted)
      },
      { isProgress: true },
    )
  }

  /**
   * Replaces the document's words in the index by the words of these chunks. It records nothing on the document.
   *
   * @throws StorageError if the index has lost words, or there are no chunks
   */
  async write(
    document: WordsOwner,
    chunks: AsyncIterable<NewChunk> | Iterable<NewChunk>,
    { beforeWrite, restMs }: { readonly beforeWrite: () => Promise<void>; readonly restMs?: number },
  ): Promise<void> {
    const collection = wordCollectionOf(document.contextId)
    const slice = new TimeSlice(restMs)
    let [ordinals, terms]: [number[], string[][]] = [[], []]
    let [termCount, written] = [0, 0]
    let writing: Promise<void> = Promise.resolve()
    /** Starts a write once the previous one is finished. The caller makes the terms of further chunks during the write. */
    const flush = async (): Promise<void> => {
      await writing
      await beforeWrite()
      writing = this.#index.add(collection, { documentId: document.id, chunks: ordinals, terms })
      // No unhandled rejection: the next `await writing` throws the error.
      writing.catch(() => undefined)
      written += ordinals.length
      ;[ordinals, terms, termCount] = [[], [], 0]
    }
    await beforeWrite()
    await this.#index.deleteDocument(collection, document.id, 0)
    try {
      for await (const { ordinal, content } of chunks) {
        ordinals.push(ordinal)
        const termsOfChunk = await chunkTerms(content, slice)
        terms.push(termsOfChunk)
        termCount += termsOfChunk.length
        if (ordinals.length >= CHUNKS_PER_WRITE || termCount >= TERMS_PER_WRITE) await flush()
      }
      if (ordinals.length > 0) await flush()
      await writing
    } finally {
      await writing.catch(() => undefined)
    }
    if (written === 0) throw new StorageError('the document has no chunks', { isTransient: true })
    if (await this.has(document, written)) return
    throw new StorageError('words that were just written for the document are missing', { isTransient: true })
  }
}

function requireWanted(document: DocumentRecord | undefined, isWanted: WordsRun['isWanted']): void {
  if (document === undefined || !isWanted(document)) throw new NotWantedError()
}

/** @returns false if the work stopped because the document is no longer wanted */
async function whileWanted(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (error instanceof NotWantedError) return false
    throw error
  }
}

/** Most chunks that wait for the word index. Above it, {@link WordFeed.push} waits. */
const MAX_WAITING = 512

/**
 * Passes the chunks of a document to the indexing of their words, while further chunks are made. If the indexing is
 * slower, the maker of the chunks waits, so that memory does not grow.
 */
export class WordFeed {
  readonly #indexing: Promise<void>
  #waiting: NewChunk[] = []
  #isComplete = false
  #failure: { readonly error: unknown } | undefined
  /** Wakes the side that waits for the other. */
  #wake: () => void = () => undefined

  /** @param index indexes all chunks; it is called at once */
  constructor(index: (chunks: AsyncIterable<NewChunk>) => Promise<void>) {
    this.#indexing = index(this.#chunks()).catch((error: unknown) => {
      this.#failure = { error }
      this.#wake()
    })
  }

  /** Adds the next chunks. @throws the error of the indexing */
  async push(chunks: readonly NewChunk[]): Promise<void> {
    this.#waiting.push(...chunks)
    this.#wake()
    while (this.#waiting.length > MAX_WAITING && this.#failure === undefined) await this.#nextChange()
    this.#throwFailure()
  }

  /** Resolves once all chunks are indexed. @throws the error of the indexing */
  async end(): Promise<void> {
    this.#isComplete = true
    this.#wake()
    await this.#indexing
    this.#throwFailure()
  }

  /** Stops the indexing before the last chunk. Resolves once its writes are finished. */
  async abandon(): Promise<void> {
    this.#failure ??= { error: new Error('the indexing of this document was aborted') }
    this.#wake()
    await this.#indexing
  }

  async *#chunks(): AsyncGenerator<NewChunk> {
    for (;;) {
      this.#throwFailure()
      const chunks = this.#waiting
      this.#waiting = []
      this.#wake()
      yield* chunks
      if (chunks.length > 0) continue
      if (this.#isComplete) return
      await this.#nextChange()
    }
  }

  /** Waits for the next change by the other side. */
  async #nextChange(): Promise<void> {
    await new Promise<void>((resolve) => {
      const wakeOtherWaiter = this.#wake
      this.#wake = () => {
        this.#wake = () => undefined
        wakeOtherWaiter()
        resolve()
      }
    })
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }
}

/** Any failure may pass: the document is gone, so nothing else depends on this work. */
const REMOVAL_RETRY: RetryOptions = { backoff: { firstMs: 150, maxRetries: 3 }, isTransient: () => true }

/** Removes from the indexes data of a deleted document that a run wrote after the deletion, perhaps after its purge. */
export class LateWrites {
  readonly #storage: Storage
  readonly #vectors: VectorIndex
  readonly #words: LexicalIndex

  constructor(storage: Storage, vectors: VectorIndex, words: LexicalIndex) {
    this.#storage = storage
    this.#vectors = vectors
    this.#words = words
  }

  /**
   * Does nothing if the document is live.
   * @param vectorCollection the collection of its vectors; undefined if the run wrote none
   */
  async removeIfDeleted({ id, contextId }: WordsOwner, vectorCollection?: string): Promise<void> {
    const { isLive, hasContext, isBackup } = await this.#storage.read(async ({ documents, contexts, jobs }) => ({
      isLive: (await documents.get(id)) !== undefined,
      hasContext: (await contexts.get(contextId)) !== undefined,
      isBackup: await jobs.isHeld(BACKUP_JOB),
    }))
    if (isLive) return
    const removeFrom = async (index: VectorIndex | LexicalIndex, name: string): Promise<void> => {
      // A backup may still copy this collection. The context's purge waits for the backup, then drops the collection.
      if (hasContext || isBackup) await index.deleteDocument(name, id, 0)
      else await index.drop(name)
    }
    // Without this removal, the data stays until the sweep of the next start.
    const remove = async (): Promise<void> => {
      await removeFrom(this.#words, wordCollectionOf(contextId))
      if (vectorCollection !== undefined) await removeFrom(this.#vectors, vectorCollection)
    }
    await retry(remove, REMOVAL_RETRY)
  }
}

import { ANALYZER_VERSION } from '../../analysis/index.js'
import type { JobRun } from '../../jobs/index.js'
import { StorageError } from '../../kernel/errors.js'
import { TimeSlice } from '../../kernel/time-slice.js'
import type { DocumentRecord, LexicalIndex, NewChunk, Storage } from '../../ports/index.js'
import { wordCollectionOf } from '../collections.js'
import { chunkTerms } from './chunk-stream.js'
import { storedChunks } from './chunk-writer.js'

/**
 * The index is given so many chunks at once, or fewer that have so many terms, which are about 1 MB of
 * English: it likes few, large additions. 10 MB in 24 of them took 3.8 s, in 12 of them 2.5.
 */
const [CHUNKS_PER_WRITE, TERMS_PER_WRITE] = [1_024, 180_000]

/** A document whose words are indexed. */
export type WordsOwner = Pick<DocumentRecord, 'id' | 'contextId'>

/** On whose behalf words are indexed. */
interface WordsRun {
  readonly run: Pick<JobRun, 'transaction' | 'signal'>
  /** Whether the words of the document, as it is by now, are to be indexed by this run. */
  readonly isWanted: (document: DocumentRecord) => boolean
  /** Pause after each 10 ms of work, in milliseconds; default 0. */
  readonly restMs?: number
}

/** The document is no longer one whose words this run indexes. */
class NotWanted extends Error {}

/** Puts the words of documents into the word index, made from the text of their chunks. */
export class IndexWords {
  readonly #storage: Storage
  readonly #index: LexicalIndex

  constructor(storage: Storage, index: LexicalIndex) {
    this.#storage = storage
    this.#index = index
  }

  /** Whether the index has as many chunks of a document as the document has. */
  async has({ id, contextId }: WordsOwner, chunks: number): Promise<boolean> {
    return (await this.#index.count(wordCollectionOf(contextId), id)) === chunks
  }

  /**
   * Indexes the words of a document's stored chunks, and records that on the document, when all of them are there.
   * The document's `wordsVersion` must be another than the analyzer's: it would be found by half of its words.
   *
   * @returns false where the document is not wanted any longer; some of its words may be in the index then
   * @throws StorageError where the index has not kept what it was given, or the document has no chunks
   * @throws LeaseLostError
   */
  async run(document: WordsOwner, { run, isWanted, restMs = 0 }: WordsRun): Promise<boolean> {
    return await whileWanted(async () => {
      await this.write(document, storedChunks(this.#storage, document.id), {
        restMs,
        beforeWrite: async () => {
          run.signal.throwIfAborted()
          const now = await this.#storage.read(({ documents }) => documents.get(document.id))
          requireWanted(now, isWanted)
          // Another run has indexed it: a second copy of its words would stay.
          if (now?.wordsVersion === ANALYZER_VERSION) throw new NotWanted()
        },
      })
      await this.#record(document, { run, isWanted })
    })
  }

  /**
   * Records on a document that all of its words are in the index.
   * @returns false where the document is not wanted any longer
   * @throws LeaseLostError
   */
  async record(document: WordsOwner, wanted: Pick<WordsRun, 'run' | 'isWanted'>): Promise<boolean> {
    return await whileWanted(async () => await this.#record(document, wanted))
  }

  async #record({ id }: WordsOwner, { run, isWanted }: Pick<WordsRun, 'run' | 'isWanted'>): Promise<void> {
    await run.transaction(
      async ({ documents }) => {
        await documents.update(id, { wordsVersion: ANALYZER_VERSION })
        // The row is held from here on: somebody who changed it before has come to an end, and is seen.
        requireWanted(await documents.get(id), isWanted)
      },
      { isProgress: true },
    )
  }

  /**
   * Puts the words of these chunks in the place of whatever the index has of their document. Records nothing.
   *
   * @throws StorageError where the index has not kept all of them, or there are none
   */
  async write(
    document: WordsOwner,
    chunks: AsyncIterable<NewChunk> | Iterable<NewChunk>,
    { beforeWrite, restMs }: { readonly beforeWrite: () => Promise<void>; readonly restMs?: number },
  ): Promise<void> {
    const collection = wordCollectionOf(document.contextId)
    const slice = new TimeSlice(restMs)
    let [ordinals, terms]: [number[], string[][]] = [[], []]
    let [count, written] = [0, 0]
    let writing: Promise<void> = Promise.resolve()
    /** Begins a write once the one before has ended: the terms of further chunks are made meanwhile. */
    const flush = async (): Promise<void> => {
      await writing
      await beforeWrite()
      writing = this.#index.add(collection, { documentId: document.id, chunks: ordinals, terms })
      // Whoever waits for it next is told.
      writing.catch(() => undefined)
      written += ordinals.length
      ;[ordinals, terms, count] = [[], [], 0]
    }
    await beforeWrite()
    await this.#index.deleteDocument(collection, document.id, 0)
    try {
      for await (const { ordinal, content } of chunks) {
        ordinals.push(ordinal)
        const ofChunk = await chunkTerms(content, slice)
        terms.push(ofChunk)
        count += ofChunk.length
        if (ordinals.length >= CHUNKS_PER_WRITE || count >= TERMS_PER_WRITE) await flush()
      }
      if (ordinals.length > 0) await flush()
      await writing
    } finally {
      await writing.catch(() => undefined)
    }
    if (written === 0) throw new StorageError('the document has no chunks', { isTransient: true })
    if (await this.has(document, written)) return
    throw new StorageError('words of the document are gone that were just written', { isTransient: true })
  }
}

function requireWanted(document: DocumentRecord | undefined, isWanted: WordsRun['isWanted']): void {
  if (document === undefined || !isWanted(document)) throw new NotWanted()
}

/** @returns false where the work ended because the document is not wanted any longer */
async function whileWanted(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (error instanceof NotWanted) return false
    throw error
  }
}

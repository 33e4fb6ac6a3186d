import { ANALYZER_VERSION, definitionsIn, definitionTerms } from '../../analysis/index.js'
import type { JobRun } from '../../jobs/index.js'
import { StorageError } from '../../kernel/errors.js'
import { TimeSlice } from '../../kernel/scheduling/time-slice.js'
import {
  type DocumentRecord,
  displayNameOf,
  type LexicalIndex,
  type NewChunk,
  type Storage,
} from '../../ports/index.js'
import { type GenerationOwner, wordCollectionOf } from '../collections.js'
import { chunkTerms } from './chunks.js'
import { namesFor } from './name-terms.js'
import { storedChunks } from './stored-chunks.js'

/**
 * Limits of one addition to the index: chunks, and terms (about 1 MB of English). Few, large additions are faster: 10 MB
 * took 3.8 s in 24 additions, and 2.5 s in 12.
 */
const CHUNKS_PER_WRITE = 1_024
const TERMS_PER_WRITE = 180_000

/** The version that owns the words. */
export interface WordsOwner {
  readonly id: number
  /** Its context, in the generation of the version. */
  readonly context: GenerationOwner
}

/** A version whose words are written. */
export interface NamedWordsOwner extends WordsOwner {
  /** Its name as users see it: searches find its chunks by the words of the name too. */
  readonly name: string
}

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
  constructor(
    private readonly storage: Storage,
    private readonly index: LexicalIndex,
  ) {}

  /** Removes the words of a document that searches do not find. */
  async remove({ id, context }: WordsOwner): Promise<void> {
    await this.index.deleteDocument(wordCollectionOf(context), id, 0)
  }

  /** @returns true if the index has exactly this number of chunks of the document */
  async has({ id, context }: WordsOwner, chunkCount: number): Promise<boolean> {
    return (await this.index.count(wordCollectionOf(context), id)) === chunkCount
  }

  /**
   * Indexes the words of a document's stored chunks. Once the index has all of them, it records that on the document.
   * The document's `wordsVersion` must not be the analyzer's version yet: searches would find it by half of its words.
   *
   * @returns false if the document is no longer wanted; then some of its words may be in the index
   * @throws StorageError if the index has lost words, the document has no chunks, or it got another name meanwhile
   * @throws LeaseLostError
   */
  async run(document: NamedWordsOwner, { job, isWanted, restMs = 0 }: WordsRun): Promise<boolean> {
    return await whileWanted(async () => {
      await this.write(document, storedChunks(this.storage, document.id), {
        restMs,
        beforeWrite: async () => {
          job.signal.throwIfAborted()
          const current = await this.storage.read(({ documents }) => documents.get(document.id))
          requireWanted(current, isWanted)
          if (current?.wordsVersion === ANALYZER_VERSION) throw new NotWantedError()
        },
      })
      await this.#record(document, { job, isWanted: (current) => isWanted(current) && isNamed(current, document.name) })
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
   * Replaces the document's words in the index by the words of these chunks. Searches find each chunk all the time. It
   * records nothing on the document.
   *
   * @throws StorageError if the index has lost words, or there are no chunks
   */
  async write(
    document: NamedWordsOwner,
    chunks: AsyncIterable<NewChunk> | Iterable<NewChunk>,
    { beforeWrite, restMs }: { readonly beforeWrite: () => Promise<void>; readonly restMs?: number },
  ): Promise<void> {
    const collection = wordCollectionOf(document.context)
    const slice = new TimeSlice(restMs)
    const namesOf = namesFor(document.name)
    let [ordinals, terms, names]: [number[], string[][], (readonly string[])[]] = [[], [], []]
    let [termCount, written, end] = [0, 0, 0]
    let writing: Promise<void> = Promise.resolve()
    /** Starts a write once the previous one is finished. The caller makes the terms of further chunks during the write. */
    const flush = async (): Promise<void> => {
      await writing
      await beforeWrite()
      writing = this.index.add(collection, { documentId: document.id, chunks: ordinals, terms, names })
      // No unhandled rejection: the next `await writing` throws the error.
      writing.catch(() => undefined)
      written += ordinals.length
      ;[ordinals, terms, names, termCount] = [[], [], [], 0]
    }
    await beforeWrite()
    try {
      for await (const { ordinal, content, headings } of chunks) {
        ordinals.push(ordinal)
        names.push([...namesOf(headings), ...definitionsIn(content).flatMap(definitionTerms)])
        end = ordinal + 1
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
    // Words of an earlier run may have been those of more chunks.
    await this.index.deleteDocument(collection, document.id, end)
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

/** Another name needs other words: the run fails, and its job begins again. */
function isNamed(document: DocumentRecord, name: string): boolean {
  if (displayNameOf(document) === name) return true
  throw new StorageError('the document got another name meanwhile', { isTransient: true })
}

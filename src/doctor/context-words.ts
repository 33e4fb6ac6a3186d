import { termsOf } from '../analysis/index.js'
import {
  countWithoutWords,
  type GenerationOwner,
  INDEX_WORDS,
  isOfOlderAnalyzer,
  wordCollectionOf,
} from '../documents/index.js'
import {
  AlcoveError,
  type ContextRecord,
  type DocumentRecord,
  type LexicalIndex,
  type LexicalQuery,
  type Storage,
  StorageError,
  VectorsDamagedError,
} from '../ports/index.js'
import type { Finding } from './finding.js'

/** Reads one collection of an index. After the first failure it reads nothing more. */
export abstract class CollectionReader {
  /** The error of the failed read; undefined if no read failed. */
  failure: unknown

  /** True if the collection cannot be read now, and is not known to be damaged. Then nothing is known of its content. */
  get isUnknown(): boolean {
    return this.failure !== undefined && !this.isDamaged
  }

  get isDamaged(): boolean {
    return this.failure instanceof VectorsDamagedError
  }

  /**
   * Keeps the error as the failure if it is damage, a storage error or an unforeseen error. Throws other errors of the
   * engine: they are refusals.
   * @returns undefined after a failure
   */
  protected async tryRead<T>(read: () => Promise<T>): Promise<T | undefined> {
    if (this.failure !== undefined) return undefined
    try {
      return await read()
    } catch (error) {
      const isFailure = error instanceof StorageError || error instanceof VectorsDamagedError
      if (error instanceof AlcoveError && !isFailure) throw error
      this.failure = error
      return undefined
    }
  }
}

/** Documents of one {@link ContextWords.sample} that are searched for by their own words. The words of all are counted. */
const SAMPLES_PER_CALL = 8
const TERMS_PER_SAMPLE = 16
/** For a document with more chunks, any of its chunks counts as found. */
const MAX_HITS = 1_000

/** The words of a context, as far as they can be read. */
export class ContextWords extends CollectionReader {
  readonly collection: string
  /** Number of chunks in the word index, by document id. Documents without words are not in it. */
  counts: ReadonlyMap<number, number> = new Map()
  readonly #storage: Storage
  readonly #index: LexicalIndex
  readonly #contextId: number

  constructor(storage: Storage, index: LexicalIndex, context: GenerationOwner) {
    super()
    this.#storage = storage
    this.#index = index
    this.#contextId = context.id
    this.collection = wordCollectionOf(context)
  }

  async count(): Promise<void> {
    this.counts = (await this.tryRead(() => this.#index.countByDocument(this.collection))) ?? this.counts
  }

  /** @returns the number of completed documents that this version of the analyzer has not indexed */
  async countUnindexed(): Promise<number> {
    return await countWithoutWords(this.#storage, this.#contextId)
  }

  /**
   * Searches for one chunk of some of the documents by its own words.
   * @returns the ordinal of a chunk that is not found, by document id
   */
  async sample(documents: readonly DocumentRecord[], signal: AbortSignal): Promise<ReadonlyMap<number, number>> {
    const problems = new Map<number, number>()
    const step = Math.max(1, documents.length / SAMPLES_PER_CALL)
    for (let position = 0; position < documents.length; position += step) {
      const document = documents[Math.floor(position)]
      if (document === undefined) continue
      signal.throwIfAborted()
      const ordinal = Math.floor(document.chunkCount / 2)
      const query = await this.#queryFor(document.id, ordinal)
      if (query.size === 0) continue
      const isFound = await this.tryRead(async () => await this.#finds(document, ordinal, query))
      if (isFound === false) problems.set(document.id, ordinal)
    }
    return problems
  }

  async #queryFor(documentId: number, ordinal: number): Promise<LexicalQuery> {
    const [chunk] = await this.#storage.read(({ chunks }) => chunks.page(documentId, { ordinal, limit: 1 }))
    const terms = new Set(termsOf(chunk?.content ?? ''))
    return new Map([...terms].slice(0, TERMS_PER_SAMPLE).map((term) => [term, 1]))
  }

  async #finds({ id, chunkCount }: DocumentRecord, ordinal: number, query: LexicalQuery): Promise<boolean> {
    const limit = Math.min(chunkCount, MAX_HITS)
    const { hits } = await this.#index.search(this.collection, query, { limit, documents: { only: [id] } })
    return hits.some(({ chunk }) => chunk === ordinal || chunkCount > MAX_HITS)
  }
}

/** Facts about the words of a context. */
export interface WordEvidence {
  readonly words: ContextWords
  /** Names of its collections in the word index. */
  readonly wordCollections: readonly string[]
  /** Number of completed documents that this version of the analyzer has not indexed. */
  readonly unindexed: number
  /** True if a job waits or runs. It indexes these documents, and removes words of older versions. */
  readonly isIndexWaiting: boolean
  /** True if a job waits or runs that builds damaged words again. */
  readonly isMendWaiting: boolean
}

/** The problems of a context's words as a whole. */
export function wordFindings(
  context: ContextRecord,
  { words, wordCollections, unindexed, isIndexWaiting, isMendWaiting }: WordEvidence,
): Finding[] {
  const outdated = isIndexWaiting ? [] : wordCollections.filter(isOfOlderAnalyzer)
  return [
    ...(unindexed > 0 && !isIndexWaiting ? [unindexedDocuments(context, unindexed)] : []),
    ...outdated.map((collection) => ofOtherVersion(context, collection)),
    ...(words.isDamaged && !isMendWaiting ? [unreadable(context, words.collection)] : []),
    ...(words.isUnknown ? [unreadableNow(context, words)] : []),
  ]
}

function unindexedDocuments({ id, name }: ContextRecord, unindexed: number): Finding {
  const documents = unindexed === 1 ? 'a document' : `${unindexed} documents`
  return {
    code: 'words-missing',
    subject: { contextId: id, job: INDEX_WORDS },
    message: `Context ${id} (${name}) has ${documents} whose words are not indexed, and no job indexes them.`,
    repairKind: 'index-words',
  }
}

function ofOtherVersion({ id, name }: ContextRecord, collection: string): Finding {
  return {
    code: 'words-of-other-version',
    subject: { contextId: id, collection },
    message: `Context ${id} (${name}) has words of an older version of the engine, in the collection ${collection}: they are no damage, and no search reads them.`,
    repairKind: 'index-words',
  }
}

function unreadable({ id, name }: ContextRecord, collection: string): Finding {
  return {
    code: 'words-unreadable',
    subject: { contextId: id, collection },
    message: `Context ${id} (${name}) has words that cannot be read, in the collection ${collection}.`,
    repairKind: 'drop-words',
  }
}

/** Has no repair: a collection that only cannot be read for a while must not be removed. */
function unreadableNow({ id, name }: ContextRecord, { collection, failure }: ContextWords): Finding {
  const reason = failure instanceof AlcoveError ? failure.message : 'the word index failed'
  return {
    code: 'words-unreadable',
    subject: { contextId: id, collection },
    message: `Context ${id} (${name}) has words that cannot be read now, in the collection ${collection}: ${reason}.`,
    advice: 'They may be undamaged: check the disk, then run the doctor again. The engine has not changed them.',
  }
}

export function wordsWithoutDocument({ id }: ContextRecord, collection: string, documentId: number): Finding {
  return {
    code: 'words-without-document',
    subject: { contextId: id, documentId, collection },
    message: `Collection ${collection} has words of document ${documentId}, which context ${id} does not have.`,
    repairKind: 'remove-words',
  }
}

export function wordsWithoutContext(contextId: number, collection: string): Finding {
  return {
    code: 'words-without-context',
    subject: { contextId, collection },
    message: `Collection ${collection} has words of context ${contextId}, which does not exist.`,
    repairKind: 'sweep',
  }
}

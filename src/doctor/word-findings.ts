import { termsOf } from '../analysis/index.js'
import { countWithoutWords, INDEX_WORDS, isOfOlderAnalyzer, wordCollectionOf } from '../documents/index.js'
import {
  AlcoveError,
  type ContextRecord,
  type DocumentRecord,
  type LexicalIndex,
  type LexicalQuery,
  type Storage,
} from '../ports/index.js'
import type { Finding } from './finding.js'
import { CollectionReading } from './leftover-check.js'

/** What is known of the words of a context. */
export interface WordKnowledge {
  readonly words: ContextWords
  /** Of its collections in the word index. */
  readonly wordNames: readonly string[]
  /** Completed documents that this version of the analyzer has not indexed. */
  readonly unindexed: number
  /** Whether a job waits, or is under way, that indexes what is not indexed and removes what is outdated. */
  readonly isIndexWaiting: boolean
}

/** What is wrong with the words of a context as a whole. */
export function wordFindings(
  context: ContextRecord,
  { words, wordNames, unindexed, isIndexWaiting }: WordKnowledge,
): Finding[] {
  const outdated = isIndexWaiting ? [] : wordNames.filter(isOfOlderAnalyzer)
  return [
    ...(unindexed > 0 && !isIndexWaiting ? [unindexedFinding(context, unindexed)] : []),
    ...outdated.map((collection) => ofOtherVersion(context, collection)),
    ...(words.isDamaged ? [unreadable(context, words.collection)] : []),
    ...(words.isUnknown ? [unreadableNow(context, words)] : []),
  ]
}

export function wordsWithoutDocument({ id }: ContextRecord, collection: string, documentId: number): Finding {
  return {
    code: 'words-without-document',
    subject: { contextId: id, documentId, collection },
    message: `Collection ${collection} has words of a document ${documentId}, which context ${id} does not have.`,
    mend: 'remove-words',
  }
}

export function wordsWithoutContext(contextId: number, collection: string): Finding {
  return {
    code: 'words-without-context',
    subject: { contextId, collection },
    message: `Collection ${collection} has words of a context ${contextId} that is not there.`,
    mend: 'sweep',
  }
}

function unindexedFinding({ id, name }: ContextRecord, unindexed: number): Finding {
  const whose = unindexed === 1 ? 'a document whose' : `${unindexed} documents whose`
  return {
    code: 'words-missing',
    subject: { contextId: id, job: INDEX_WORDS },
    message: `Context ${id} (${name}) has ${whose} words are not indexed, and nothing is going to index them.`,
    mend: 'index-words',
  }
}

function ofOtherVersion({ id, name }: ContextRecord, collection: string): Finding {
  return {
    code: 'words-of-other-version',
    subject: { contextId: id, collection },
    message: `Context ${id} (${name}) has words that an older version of the engine has indexed, in the collection ${collection}: that is no damage, and nothing reads them any more.`,
    mend: 'index-words',
  }
}

function unreadable({ id, name }: ContextRecord, collection: string): Finding {
  return {
    code: 'words-unreadable',
    subject: { contextId: id, collection },
    message: `Context ${id} (${name}) has words that cannot be read, in the collection ${collection}.`,
    mend: 'drop-words',
  }
}

/** Nothing is removed because it cannot be read for a while. */
function unreadableNow({ id, name }: ContextRecord, { collection, failure }: ContextWords): Finding {
  const reason = failure instanceof AlcoveError ? failure.message : 'the word index failed'
  return {
    code: 'words-unreadable',
    subject: { contextId: id, collection },
    message: `Context ${id} (${name}) has words that cannot be read now, in the collection ${collection}: ${reason}.`,
    advice: 'They may be whole: look after the disk, and verify again; nothing was done to them.',
  }
}

/** Documents, of those that are looked at together, which are searched for by words of theirs. All of them are counted. */
const SAMPLES_PER_LOOK = 8
const TERMS_PER_SAMPLE = 16
/** Of a document with more chunks it is enough that one of them is found. */
const MOST_HITS = 1_000

/** The words of a context, as far as they can be read. */
export class ContextWords extends CollectionReading {
  readonly collection: string
  /** Chunks in the word index, of each document that has any. */
  counts: ReadonlyMap<number, number> = new Map()
  readonly #storage: Storage
  readonly #index: LexicalIndex
  readonly #contextId: number

  constructor(storage: Storage, index: LexicalIndex, contextId: number) {
    super()
    this.#storage = storage
    this.#index = index
    this.#contextId = contextId
    this.collection = wordCollectionOf(contextId)
  }

  async count(): Promise<void> {
    this.counts = (await this.reading(() => this.#index.countByDocument(this.collection))) ?? this.counts
  }

  /** How many completed documents are not indexed by this version of the analyzer. */
  async countUnindexed(): Promise<number> {
    return await countWithoutWords(this.#storage, this.#contextId)
  }

  /**
   * Searches for a chunk of some of the documents by its own words.
   * @returns by document, the ordinal of a chunk that is not found
   */
  async sample(documents: readonly DocumentRecord[], signal: AbortSignal): Promise<ReadonlyMap<number, number>> {
    const problems = new Map<number, number>()
    const step = Math.max(1, documents.length / SAMPLES_PER_LOOK)
    for (let at = 0; at < documents.length; at += step) {
      const document = documents[Math.floor(at)]
      if (document === undefined) continue
      signal.throwIfAborted()
      const ordinal = Math.floor(document.chunkCount / 2)
      const query = await this.#questionFor(document.id, ordinal)
      if (query.size === 0) continue
      const isFound = await this.reading(async () => await this.#finds(document, ordinal, query))
      if (isFound === false) problems.set(document.id, ordinal)
    }
    return problems
  }

  async #questionFor(documentId: number, ordinal: number): Promise<LexicalQuery> {
    const [chunk] = await this.#storage.read(({ chunks }) => chunks.page(documentId, { ordinal, limit: 1 }))
    const terms = new Set(termsOf(chunk?.content ?? ''))
    return new Map([...terms].slice(0, TERMS_PER_SAMPLE).map((term) => [term, 1]))
  }

  async #finds({ id, chunkCount }: DocumentRecord, ordinal: number, query: LexicalQuery): Promise<boolean> {
    const limit = Math.min(chunkCount, MOST_HITS)
    const { hits } = await this.#index.search(this.collection, query, { limit, documents: { only: [id] } })
    return hits.some(({ chunk }) => chunk === ordinal || chunkCount > MOST_HITS)
  }
}

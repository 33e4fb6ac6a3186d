import { termsOf } from '../../analysis/index.js'
import type { DocumentRecord, LexicalIndex, LexicalQuery, Storage } from '../../ports/index.js'
import { countWithoutWords } from '../count-without-words.js'
import { wordCollectionOf } from '../vector-collection.js'
import { CollectionReading } from './collection-reading.js'

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

import { inBatches } from '../../kernel/batches.js'
import { VectorsDamagedError } from '../../kernel/errors.js'
import type { TurnTaker } from '../../kernel/scheduling/fair-scheduler.js'
import {
  bm25Maximum,
  type ChunkKey,
  type LexicalAnswer,
  type LexicalIndex,
  type LexicalStatistics,
  type SearchMode,
  type SimilarTerms,
  type Telemetry,
  type Tracer,
  tracerOf,
  type VectorCollection,
  type VectorHit,
  type VectorIndex,
} from '../../ports/index.js'
import type { WeighedWords } from '../history-words.js'
import type { PromptKnowledge } from '../prompt.js'
import { type PartChoice, type PromptPart, withHistory } from '../prompt-parts.js'
import type { SearchTurns } from '../search-turns.js'
import type { StoredDocuments, VisibleDocuments } from '../searchable-documents.js'
import { BestWindows, clamp, type KnownChunks, toMapKey, type UnembeddedChunks } from './near-chunks.js'
import { joinParts } from './part-words.js'
import type { WordHit, WordSide } from './word-side.js'

/** Maximum number of hits by words. If so many are below the threshold, further ones are hardly above it. */
const MAX_WORD_HITS = 3_200
/** Maximum number of chunks in one call of the vector index. */
const MAX_CHUNKS_PER_CALL = 256
const NO_WORDS: LexicalAnswer = { hits: [], maximum: 0, scoresOf: async (chunks) => chunks.map(() => 0) }

/** The similar terms of an answer without any. */
const NONE_SIMILAR: ReadonlyMap<string, SimilarTerms> = new Map()

/** The inputs of a search for chunks, and the places where it searches. */
export interface ChunkQuery {
  readonly mode: SearchMode
  /** Maximum number of results. */
  readonly topN: number
  /** Minimum similarity of a result, 0 to 1. */
  readonly scoreThreshold: number
  /** Vectors of the prompt's windows. The model may still compute them while the word index is read. */
  readonly vectors: Promise<readonly Float32Array[]>
  readonly collection: VectorCollection
  /** The documents that meaning may find. */
  readonly visible: VisibleDocuments
  /** The whole prompt. */
  readonly whole: PromptPart
  /** The parts of a prompt with several; otherwise none. */
  readonly parts: readonly PromptPart[]
  /** Words of the messages before the prompt. */
  readonly before: WeighedWords
  /** Gets the part of the prompt that decides, once the word index has answered. */
  readonly choice: PartChoice
  /** Statistics of the words of several contexts together. Default: those of the word collection. */
  readonly statistics?: LexicalStatistics | undefined
  readonly wordCollection: string
  /** The documents that words may find. */
  readonly wordVisible: VisibleDocuments
  readonly knowledge: Pick<PromptKnowledge, 'measure'>
  /** A search asks it only if an index has nothing at all. */
  readonly stored: Pick<StoredDocuments, 'hasAny'>
  /** Computes the similarity of chunks that have no vectors yet. */
  readonly unembedded: Pick<UnembeddedChunks, 'compare'>
  readonly taker: TurnTaker
  readonly signal: AbortSignal | undefined
}

/** The answer of the vector index. */
export interface MeaningSide {
  readonly found: BestWindows
  /** The highest similarity that a chunk outside `found` can have; -1 if there is no such chunk. */
  readonly unseenSimilarity: number
}

/** The answers of both indexes. */
export interface BothSides {
  readonly meaning: MeaningSide
  readonly words: WordSide
  /** The hits by words whose scores count. */
  readonly hits: readonly WordHit[]
  /** The highest score by words that counts for a chunk which the word index did not find. */
  readonly unseenWordScore: number
}

/** Combines both sides. Words that do not tell chunks apart do not count. */
export function combineSides(words: WordSide, meaning: MeaningSide, query: ChunkQuery): BothSides {
  if (areWordsSelective(words)) {
    return { words, meaning, hits: words.found, unseenWordScore: words.unseenWordScore }
  }
  // Only words can find documents without vectors, so these hits stay.
  const hits = words.found.filter(({ documentId }) => !query.visible.has(documentId))
  return { words, meaning, hits, unseenWordScore: 0 }
}

/** Minimum mean of the inverse document frequencies of a question. Below it, most chunks have the question's words. */
const MIN_IDF = 0.3

/** True if the words of a question tell chunks apart. */
export function areWordsSelective({ maximum, part: { terms } }: WordSide): boolean {
  return maximum >= bm25Maximum(new Map([...terms].map(([term, weight]) => [term, weight * MIN_IDF])))
}

/** True if any chunk may have a word of the question that counts. */
export function mayHaveWords({ hits, unseenWordScore }: BothSides): boolean {
  return hits.length > 0 || unseenWordScore > 0
}

/** The indexes that a search reads. */
export interface SearchIndexes {
  readonly vectors: VectorIndex
  readonly words: LexicalIndex
  /** Receives the name of a collection of words that is gone although documents have words in it. */
  readonly onWordsLost: (collection: string) => void
}

/** Reads each side of a search, in its turn: the vector index and the word index. */
export class IndexReader {
  readonly #vectors: VectorIndex
  readonly #words: LexicalIndex
  readonly #onWordsLost: SearchIndexes['onWordsLost']
  readonly #tracer: Tracer

  constructor(
    { vectors, words, onWordsLost }: SearchIndexes,
    private readonly turns: SearchTurns,
    private readonly telemetry: Telemetry,
  ) {
    this.#vectors = vectors
    this.#words = words
    this.#onWordsLost = onWordsLost
    this.#tracer = tracerOf(telemetry)
  }

  /**
   * @returns the chunks of the `limit` nearest windows that the search may find
   * @throws VectorsDamagedError also if the collection is gone
   */
  async searchVectors(query: ChunkQuery, limit: number): Promise<MeaningSide> {
    const { collection, visible, taker, signal } = query
    const vectors = await query.vectors
    const options = { limit, ...visible.indexOptions }
    const searches = vectors.map((vector) => async () => await this.#vectors.search(collection, vector, options))
    const answers = await this.#tracer.span('alcove.search.vectors', {}, async (span) => {
      const read = await this.turns.vectors.all(taker, searches, signal)
      span.set({ 'alcove.search.hits': read.flat().length })
      return read
    })
    const hits = answers.flat()
    if (hits.length === 0) await this.#refuseLostVectors(query)
    const found = new BestWindows()
    for (const hit of hits) {
      if (!visible.has(hit.documentId)) visible.hide(hit.documentId)
      else if (!visible.isMissing({ documentId: hit.documentId, ordinal: hit.chunk })) found.addHit(hit)
    }
    return { found, unseenSimilarity: highestUnseenSimilarity(answers, limit) }
  }

  /**
   * @param wanted number of chunks; 3,200 at the most
   * @param tolerance share by which scores may be too low
   * @returns the best chunks by words that the search may find
   */
  async searchWords(query: ChunkQuery, wanted: number, tolerance = 0): Promise<WordSide> {
    const limit = Math.min(wanted, MAX_WORD_HITS)
    const { whole, parts, before, choice } = query
    const read = async (some: readonly PromptPart[]): Promise<WordSide[]> => {
      const answers = await this.#searchParts(query, some, limit, tolerance)
      return some.map((part, at) => toWordSide(query, part, answers[at] ?? NO_WORDS, limit))
    }
    const none = toWordSide(query, whole, NO_WORDS, limit)
    const [ofWhole = none, ...ofParts] = await read([whole, ...parts])
    const words = joinParts(ofWhole, ofParts, choice.decided?.part)
    const coverage = clamp((words.found[0]?.wordScore ?? 0) / (words.maximum || 1))
    const decided = choice.decide({ part: words.part, coverage })
    if (before.terms.size === 0) return words
    const [leaning = none] = await read([withHistory(decided.part, before, decided.coverage)])
    const withLeaning = (side: WordSide): WordSide => (side.part === decided.part ? leaning : side)
    return joinParts(withLeaning(ofWhole), ofParts.map(withLeaning), leaning.part)
  }

  async #searchParts(
    query: ChunkQuery,
    parts: readonly PromptPart[],
    limit: number,
    tolerance: number,
  ): Promise<readonly LexicalAnswer[]> {
    const searches = parts.map((part) => async () => await this.#searchPart(query, part, limit, tolerance))
    return await this.#readWords(query, [], () =>
      this.#tracer.span('alcove.search.words', {}, async (span) => {
        const read = await this.turns.words.all(query.taker, searches, query.signal)
        const hits = read.reduce((sum, answer) => sum + answer.hits.length, 0)
        span.set({ 'alcove.search.hits': hits })
        if (hits === 0) await this.#refuseLostWords(query)
        return read
      }),
    )
  }

  async #searchPart(
    { wordCollection, wordVisible, statistics }: ChunkQuery,
    { terms, similarTo }: PromptPart,
    limit: number,
    tolerance: number,
  ): Promise<LexicalAnswer> {
    const options = { limit, tolerance, similarTo, ...wordVisible.indexOptions, ...(statistics && { statistics }) }
    return await this.#words.search(wordCollection, terms, options)
  }

  /** @returns the scores by words, in the order of the chunks */
  async readWordScores(
    query: ChunkQuery,
    { scorers }: WordSide,
    chunks: readonly ChunkKey[],
  ): Promise<readonly number[]> {
    if (chunks.length === 0) return []
    const keys = chunks.map(({ documentId, ordinal }) => ({ documentId, chunk: ordinal }))
    const reads = scorers.map(({ scoresOf, factor }) => async (): Promise<readonly number[]> => {
      return (await scoresOf(keys)).map((score) => score * factor)
    })
    const attributes = { 'alcove.search.hits': chunks.length }
    return await this.#readWords(query, [], () =>
      this.#tracer.span('alcove.search.words', { attributes }, async () => {
        const scores = await this.turns.words.all(query.taker, reads, query.signal)
        return keys.map((_, at) => Math.max(0, ...scores.map((ofScorer) => ofScorer[at] ?? 0)))
      }),
    )
  }

  /**
   * Reads similarities from the vector index into `known`, and marks the chunks that have no vectors yet as waiting.
   */
  async compare(query: ChunkQuery, hits: readonly WordHit[], known: KnownChunks): Promise<void> {
    const unknown = hits.filter((hit) => !known.has(hit))
    for (const part of inBatches(unknown, MAX_CHUNKS_PER_CALL)) {
      const keys = part.map(({ documentId, ordinal }) => ({ documentId, chunk: ordinal }))
      const vectors = await query.vectors
      const readNearest = async () => await this.#vectors.nearestWindows(query.collection, vectors, keys)
      const attributes = { 'alcove.search.hits': keys.length }
      const nearest = await this.#tracer.span('alcove.search.vectors', { attributes }, async () => {
        return await this.turns.vectors.one(query.taker, readNearest, query.signal)
      })
      part.forEach((hit, row) => {
        const window = nearest[row]
        if (window === undefined) known.setWaiting(hit, true)
        else known.bestWindows.addHit({ documentId: hit.documentId, chunk: hit.ordinal, ...window })
      })
    }
  }

  /** An index answers for a collection that is gone, such as a removed file, as for one that was never made. */
  async #refuseLostVectors({ collection, visible, stored, taker, signal }: ChunkQuery): Promise<void> {
    if (visible.isEmpty) return
    const count = async (): Promise<number> => (await this.#vectors.countByDocument(collection.name)).size
    if ((await this.turns.vectors.one(taker, count, signal)) > 0 || !(await stored.hasAny(visible, 'meaning'))) return
    throw new VectorsDamagedError(
      `the vectors of collection ${collection.name} are missing: "alcove doctor --repair" makes them again`,
    )
  }

  async #refuseLostWords({ wordCollection, wordVisible, stored, taker, signal }: ChunkQuery): Promise<void> {
    if (wordVisible.isEmpty) return
    const count = async (): Promise<number> => (await this.#words.statistics(wordCollection, [])).chunks
    if ((await this.turns.words.one(taker, count, signal)) > 0 || !(await stored.hasAny(wordVisible, 'words'))) return
    this.#onWordsLost(wordCollection)
    throw new VectorsDamagedError(
      `the words of collection ${wordCollection} are missing: a running engine, or "alcove doctor --repair", makes them again`,
    )
  }

  /**
   * Reads the word index. If its data is damaged, a search that also uses meaning goes on with `emptyAnswer`: meaning
   * still finds chunks, and the doctor reports the damage too.
   */
  async #readWords<T>({ mode }: ChunkQuery, emptyAnswer: T, read: () => Promise<T>): Promise<T> {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof VectorsDamagedError) || mode === 'keyword') throw error
      this.telemetry.record({ name: 'search.words.unreadable', level: 'warn', error })
      return emptyAnswer
    }
  }
}

/** @returns the chunks of an answer that the search may find, without those that are missing */
function toWordSide({ wordVisible }: ChunkQuery, part: PromptPart, answer: LexicalAnswer, limit: number): WordSide {
  const { hits, maximum, shortfall = 0, similar = NONE_SIMILAR, idfs = part.terms, scoresOf } = answer
  const found = new Map<string, WordHit>()
  for (const { documentId, chunk, score } of hits) {
    const hit = { documentId, ordinal: chunk, wordScore: score }
    const key = toMapKey(hit)
    if (!wordVisible.has(documentId)) wordVisible.hide(documentId)
    else if (!wordVisible.isMissing(hit) && !found.has(key)) found.set(key, hit)
  }
  return {
    part,
    parts: [],
    found: [...found.values()],
    maximum,
    shortfall,
    similar,
    idfs,
    scorers: [{ scoresOf, factor: 1 }],
    unseenWordScore: hits.length < limit ? 0 : (hits.at(-1)?.score ?? 0),
    isComplete: hits.length < limit || limit >= MAX_WORD_HITS,
  }
}

/**
 * A window that an answer does not have is at most as similar as the last one that it has.
 *
 * @returns the highest similarity that a window outside the answers can have; -1 if there is no such window
 */
function highestUnseenSimilarity(answers: readonly (readonly VectorHit[])[], limit: number): number {
  const full = answers.filter((hits) => hits.length >= limit)
  return Math.max(-1, ...full.map((hits) => Math.max(0, hits.at(-1)?.similarity ?? 0)))
}

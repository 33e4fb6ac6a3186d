import type {
  ChunkKey,
  LexicalIndex,
  LexicalQuery,
  SearchMode,
  VectorCollection,
  VectorHit,
  VectorIndex,
} from '../ports/index.js'
import type { TurnTaker } from '../shared/fair-turns.js'
import { BestWindows, clamp, type NearChunk, nameOf } from './best-windows.js'
import { candidateLimits, type FusionQuestion, fuse } from './fusion.js'
import { byRelevance, type FoundBy, type RankedChunk } from './ranked-chunk.js'
import type { SearchTurns } from './search-turns.js'
import type { VisibleDocuments } from './visible-documents.js'

/** By how much more is asked for where that was not enough. */
const WIDER = 4

/** What is looked for, and where. */
export interface ChunkQuery {
  readonly mode: SearchMode
  readonly topN: number
  /** Least similarity, 0 to 1. */
  readonly scoreThreshold: number
  /** Vectors of the prompt's windows; they may still be computed while the words are looked for. */
  readonly vectors: Promise<readonly Float32Array[]>
  readonly collection: VectorCollection
  readonly visible: VisibleDocuments
  readonly terms: LexicalQuery
  readonly wordCollection: string
  readonly wordVisible: VisibleDocuments
  /** How much of the prompt the model's vocabulary knows, 0 to 1. */
  readonly knowledge: () => Promise<number>
  /** How near chunks are that have no vectors yet; those that are gone are left out. */
  readonly embedNow: (chunks: readonly ChunkKey[]) => Promise<readonly NearChunk[]>
  readonly taker: TurnTaker
  readonly signal: AbortSignal | undefined
}

/** What one side has found. */
interface Side<Found> {
  readonly found: Found
  /** Whether there is no more. */
  readonly isWhole: boolean
}

interface WordSide extends Side<readonly WordHit[]> {
  readonly maximum: number
}

interface WordHit extends ChunkKey {
  readonly wordScore: number
}

interface MeaningSide extends Side<BestWindows> {
  /** The highest similarity that a chunk can have which is not there; -1 where there is none. */
  readonly unseen: number
}

/** Finds the best chunks: by meaning, by words, or by both in one pass. */
export class ChunkFinder {
  readonly #vectors: VectorIndex
  readonly #words: LexicalIndex
  readonly #turns: SearchTurns

  constructor(vectors: VectorIndex, words: LexicalIndex, turns: SearchTurns) {
    this.#vectors = vectors
    this.#words = words
    this.#turns = turns
  }

  /** The `topN` best chunks, the best first, none less similar than the threshold. */
  async find(query: ChunkQuery): Promise<RankedChunk[]> {
    if (query.mode === 'semantic' || query.terms.size === 0) return await this.#byMeaning(query)
    return query.mode === 'keyword' ? await this.#byWords(query) : await this.#byBoth(query)
  }

  /** Asks for more windows until enough of them belong to different chunks: several of one may be among the nearest. */
  async #byMeaning(query: ChunkQuery): Promise<RankedChunk[]> {
    const { topN, scoreThreshold } = query
    for (let limit = topN * 4; ; limit *= WIDER) {
      const { found, unseen } = await this.#meaning(query, limit)
      const ranked = found.ranked(scoreThreshold)
      const certain = ranked.filter(({ similarity }) => similarity >= unseen).length
      if (certain >= topN || unseen < scoreThreshold || unseen < 0) {
        return ranked.slice(0, topN).map((near) => ({ ...near, score: near.similarity, foundBy: ['meaning'] }))
      }
    }
  }

  async #byWords(query: ChunkQuery): Promise<RankedChunk[]> {
    const { topN, scoreThreshold } = query
    for (let limit = candidateLimits(topN).byMeaning; ; limit *= WIDER) {
      const words = await this.#hits(query, limit)
      if (!isTelling(words, query)) return await this.#byMeaning(query)
      const near = await this.#near(query, words.found, new BestWindows())
      const ranked = words.found
        .flatMap((hit): RankedChunk[] => {
          const place = near.get(nameOf(hit))
          if (place === undefined || place.similarity < scoreThreshold) return []
          return [{ ...place, score: Math.min(1, hit.wordScore / words.maximum), foundBy: ['words'] }]
        })
        .sort(byRelevance)
      if (ranked.length >= topN || words.isWhole) return ranked.slice(0, topN)
    }
  }

  async #byBoth(query: ChunkQuery): Promise<RankedChunk[]> {
    const { topN, scoreThreshold } = query
    const { byMeaning, byWords } = candidateLimits(topN)
    for (let times = 1; ; times *= WIDER) {
      const [words, meaning, modelKnowledge] = await Promise.all([
        this.#hits(query, byWords * times),
        this.#meaning(query, byMeaning * times),
        query.knowledge(),
      ])
      const hits = isTelling(words, query) ? words.found : []
      const near = await this.#near(query, hits, meaning.found)
      const question = { wordMaximum: words.maximum, modelKnowledge }
      const ranked = joined(meaning.found, hits, near, question).filter(
        ({ similarity }) => similarity >= scoreThreshold,
      )
      // What the vectors have not shown is less similar than what they have.
      const isWhole = meaning.unseen < scoreThreshold || (meaning.isWhole && words.isWhole)
      if (ranked.length >= topN || isWhole) return ranked.slice(0, topN)
    }
  }

  async #meaning(query: ChunkQuery, limit: number): Promise<MeaningSide> {
    const { collection, visible, taker, signal } = query
    const vectors = await query.vectors
    const options = { limit, ...visible.filter }
    const search = vectors.map((vector) => async () => await this.#vectors.search(collection, vector, options))
    const answers = await this.#turns.index.all(taker, search, signal)
    const found = new BestWindows()
    for (const hit of answers.flat()) {
      if (visible.has(hit.documentId)) found.add(hit)
      else visible.hide(hit.documentId)
    }
    // A window that was not asked for is at most as similar as the last one that was.
    const unseen = mostSimilarUnseen(answers, limit)
    return { found, unseen, isWhole: unseen < 0 }
  }

  async #hits(query: ChunkQuery, limit: number): Promise<WordSide> {
    const { terms, wordCollection, wordVisible, taker, signal } = query
    const options = { limit, ...wordVisible.filter }
    const search = async () => await this.#words.search(wordCollection, terms, options)
    const { hits, maximum } = await this.#turns.words.one(taker, search, signal)
    const found = new Map<string, WordHit>()
    for (const { documentId, chunk, score } of hits) {
      const hit = { documentId, ordinal: chunk, wordScore: score }
      if (!wordVisible.has(documentId)) wordVisible.hide(documentId)
      else if (!found.has(nameOf(hit))) found.set(nameOf(hit), hit)
    }
    return { found: [...found.values()], maximum, isWhole: hits.length < limit }
  }

  /** How near the chunks are that the words found: known, looked up, or computed where they have no vectors yet. */
  async #near(
    query: ChunkQuery,
    hits: readonly WordHit[],
    known: BestWindows,
  ): Promise<ReadonlyMap<string, NearChunk>> {
    const near = new Map(known.all().map((place) => [nameOf(place), place]))
    const unknown = hits.filter((hit) => !near.has(nameOf(hit)))
    if (unknown.length === 0) return near
    const keys = unknown.map(({ documentId, ordinal }) => ({ documentId, chunk: ordinal }))
    const vectors = await query.vectors
    const look = async () => await this.#vectors.nearestWindows(query.collection, vectors, keys)
    const places = await this.#turns.index.one(query.taker, look, query.signal)
    const without: ChunkKey[] = []
    unknown.forEach(({ documentId, ordinal }, at) => {
      const place = places[at]
      const key = { documentId, ordinal }
      if (place === undefined) without.push(key)
      else near.set(nameOf(key), { ...key, window: place.window, similarity: clamp(place.similarity) })
    })
    // The best by words come first: no more of them can be among the results.
    const embedded = without.length === 0 ? [] : await query.embedNow(without.slice(0, query.topN))
    for (const place of embedded) near.set(nameOf(place), place)
    return near
  }
}

/** All candidates, the best first. */
function joined(
  meaning: BestWindows,
  hits: readonly WordHit[],
  near: ReadonlyMap<string, NearChunk>,
  question: FusionQuestion,
): RankedChunk[] {
  const wordScores = new Map(hits.map((hit) => [nameOf(hit), hit.wordScore]))
  const candidates = [...near.values()].map((place) => {
    const wordScore = wordScores.get(nameOf(place)) ?? 0
    const foundBy: FoundBy[] = wordScore > 0 ? ['words'] : []
    if (meaning.get(place) !== undefined) foundBy.push('meaning')
    return { ...place, wordScore, foundBy }
  })
  return fuse(candidates, question)
}

/** Least mean of the inverse document frequencies of a question: below it, its words are in most chunks and tell nothing. */
const LEAST_IDF = 0.3
/** What bm25Maximum multiplies the sum of frequencies by. */
const MOST_PER_IDF = 2.2

/** Whether the words of a question tell chunks apart. */
function isTelling({ maximum }: WordSide, { terms }: ChunkQuery): boolean {
  let weights = 0
  for (const weight of terms.values()) weights += weight
  return maximum >= LEAST_IDF * MOST_PER_IDF * weights
}

/** The highest similarity that a window missing from the answers can have; -1 where none is missing. */
function mostSimilarUnseen(answers: readonly (readonly VectorHit[])[], limit: number): number {
  const full = answers.filter((hits) => hits.length >= limit)
  return Math.max(-1, ...full.map((hits) => Math.max(0, hits.at(-1)?.similarity ?? 0)))
}

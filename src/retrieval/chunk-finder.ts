import {
  bm25Maximum,
  type ChunkKey,
  type LexicalIndex,
  type LexicalQuery,
  type SearchMode,
  type Telemetry,
  type VectorCollection,
  type VectorHit,
  type VectorIndex,
} from '../ports/index.js'
import { VectorsDamagedError } from '../shared/errors.js'
import type { TurnTaker } from '../shared/fair-turns.js'
import { inParts } from '../shared/in-parts.js'
import { BestWindows, clamp, type NearChunk, nameOf } from './best-windows.js'
import { candidateLimits, type FusionQuestion, fuse } from './fusion.js'
import { byRelevance, type FoundBy, type RankedChunk } from './ranked-chunk.js'
import type { SearchTurns } from './search-turns.js'
import type { VisibleDocuments } from './visible-documents.js'

/** By how much more is asked for where that was not enough. */
const WIDER = 4
/** Chunks that the words find at the most: where so many are below the threshold, further ones are hardly above it. */
const MOST_BY_WORDS = 3_200
/** Chunks that are compared in one call of the vector index. */
const MOST_KEYS = 256

/** The indexes in which a search looks. */
export interface SearchIndexes {
  readonly vectors: VectorIndex
  readonly words: LexicalIndex
}

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
  readonly #telemetry: Telemetry

  constructor({ vectors, words }: SearchIndexes, turns: SearchTurns, telemetry: Telemetry) {
    this.#vectors = vectors
    this.#words = words
    this.#turns = turns
    this.#telemetry = telemetry
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
    const known = new KnownChunks()
    for (let limit = candidateLimits(topN).byMeaning; ; limit *= WIDER) {
      const words = await this.#hits(query, Math.min(limit, MOST_BY_WORDS))
      if (!isTelling(words, query)) return await this.#byBoth(query)
      await this.#compare(query, words.found, known)
      const ranked = words.found
        .flatMap((hit): RankedChunk[] => {
          const place = known.near.get(hit)
          if (place === undefined || place.similarity < scoreThreshold) return []
          return [{ ...place, score: clamp(hit.wordScore / words.maximum), foundBy: ['words'] }]
        })
        .sort(byRelevance)
      if (ranked.length >= topN || words.isWhole) return ranked.slice(0, topN)
    }
  }

  async #byBoth(query: ChunkQuery): Promise<RankedChunk[]> {
    const { topN, scoreThreshold, visible } = query
    const { byMeaning, byWords } = candidateLimits(topN)
    const known = new KnownChunks()
    for (let times = 1; ; times *= WIDER) {
      const [words, meaning, modelKnowledge] = await Promise.all([
        this.#hits(query, Math.min(byWords * times, MOST_BY_WORDS)),
        this.#meaning(query, byMeaning * times),
        query.knowledge(),
      ])
      // Words that say nothing find what has no vectors yet all the same.
      const hits = isTelling(words, query)
        ? words.found
        : words.found.filter(({ documentId }) => !visible.has(documentId))
      for (const place of meaning.found.all()) known.near.take(place)
      await this.#compare(query, hits, known)
      const question = { wordMaximum: words.maximum, modelKnowledge }
      const ranked = joined({ meaning: meaning.found, words: words.found, hits }, known, question).filter(
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
    const { hits, maximum } = await this.#turns.words.one(taker, search, signal).catch((error: unknown) => {
      // The doctor tells of it too; meaning finds what there is until then.
      if (!(error instanceof VectorsDamagedError) || query.mode === 'keyword') throw error
      this.#telemetry.record({ name: 'search.words.unreadable', level: 'warn', error })
      return { hits: [], maximum: 0 }
    })
    const found = new Map<string, WordHit>()
    for (const { documentId, chunk, score } of hits) {
      const hit = { documentId, ordinal: chunk, wordScore: score }
      if (!wordVisible.has(documentId)) wordVisible.hide(documentId)
      else if (!found.has(nameOf(hit))) found.set(nameOf(hit), hit)
    }
    return { found: [...found.values()], maximum, isWhole: hits.length < limit || limit >= MOST_BY_WORDS }
  }

  /** Finds out how near the chunks are that the words found: known, looked up, or computed where they have no vectors yet. */
  async #compare(query: ChunkQuery, hits: readonly WordHit[], known: KnownChunks): Promise<void> {
    const unknown = hits.filter((hit) => !known.has(hit))
    for (const part of inParts(unknown, MOST_KEYS)) {
      const keys = part.map(({ documentId, ordinal }) => ({ documentId, chunk: ordinal }))
      const vectors = await query.vectors
      const look = async () => await this.#vectors.nearestWindows(query.collection, vectors, keys)
      const places = await this.#turns.index.one(query.taker, look, query.signal)
      part.forEach((hit, row) => {
        const place = places[row]
        if (place === undefined) known.setWaiting(hit, true)
        else known.near.add({ documentId: hit.documentId, chunk: hit.ordinal, ...place })
      })
    }
    // The best by words come first: in each round as many as may be among the results, each once.
    const compared = hits.filter((hit) => known.isWaiting(hit)).slice(0, query.topN)
    for (const hit of compared) known.setWaiting(hit, false)
    if (compared.length === 0) return
    for (const place of await query.embedNow(compared)) known.near.take(place)
  }
}

/** How near chunks are, as far as one search knows. */
class KnownChunks {
  readonly near = new BestWindows()
  /** Chunks without vectors: whether they are still to be compared. What was compared, and is not near, is gone. */
  readonly #waiting = new Map<string, boolean>()

  /** Whether the vector index need not be asked. */
  has(key: ChunkKey): boolean {
    return this.near.get(key) !== undefined || this.#waiting.has(nameOf(key))
  }

  isWaiting(key: ChunkKey): boolean {
    return this.near.get(key) === undefined && this.#waiting.get(nameOf(key)) === true
  }

  setWaiting(key: ChunkKey, isWaiting: boolean): void {
    this.#waiting.set(nameOf(key), isWaiting)
  }
}

/** What both sides have found. */
interface BothSides {
  readonly meaning: BestWindows
  readonly words: readonly WordHit[]
  /** Those of the words' whose scores count. */
  readonly hits: readonly WordHit[]
}

/** All candidates, the best first. */
function joined({ meaning, words, hits }: BothSides, known: KnownChunks, question: FusionQuestion): RankedChunk[] {
  const wordScores = new Map(hits.map((hit) => [nameOf(hit), hit.wordScore]))
  const withWords = new Set(words.map(nameOf))
  const candidates = known.near.all().map((place) => {
    const foundBy: FoundBy[] = withWords.has(nameOf(place)) ? ['words'] : []
    if (meaning.get(place) !== undefined) foundBy.push('meaning')
    return { ...place, wordScore: wordScores.get(nameOf(place)) ?? 0, foundBy }
  })
  return fuse(candidates, question)
}

/** Least mean of the inverse document frequencies of a question: below it, its words are in most chunks and tell nothing. */
const LEAST_IDF = 0.3

/** Whether the words of a question tell chunks apart. */
function isTelling({ maximum }: WordSide, { terms }: ChunkQuery): boolean {
  return maximum >= bm25Maximum(new Map([...terms].map(([term, weight]) => [term, weight * LEAST_IDF])))
}

/** The highest similarity that a window missing from the answers can have; -1 where none is missing. */
function mostSimilarUnseen(answers: readonly (readonly VectorHit[])[], limit: number): number {
  const full = answers.filter((hits) => hits.length >= limit)
  return Math.max(-1, ...full.map((hits) => Math.max(0, hits.at(-1)?.similarity ?? 0)))
}

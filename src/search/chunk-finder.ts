import { VectorsDamagedError } from '../kernel/errors.js'
import { inParts } from '../kernel/in-parts.js'
import type { ChunkKey, LexicalAnswer, LexicalIndex, Telemetry, VectorHit, VectorIndex } from '../ports/index.js'
import {
  type BothSides,
  bothSides,
  type ChunkQuery,
  candidatesOf,
  hasWords,
  isTelling,
  joined,
  type MeaningSide,
  toBeCompleted,
  type WordHit,
  type WordSide,
} from './both-sides.js'
import { candidateLimits, type FusionQuestion, jointScore } from './fusion.js'
import { BestWindows, byRelevance, clamp, KnownChunks, nameOf, type RankedChunk } from './known-chunks.js'
import type { SearchTurns } from './search-turns.js'

/** By how much more is asked for where that was not enough. */
const WIDER = 4
/** Chunks that the words find at the most: where so many are below the threshold, further ones are hardly above it. */
const MOST_BY_WORDS = 3_200
const NO_WORDS: LexicalAnswer = { hits: [], maximum: 0, scoresOf: async (chunks) => chunks.map(() => 0) }
/** Scores by words may be too low by this share, where a search asks both sides. */
const TOLERANCE = 0.05
/** A chunk that neither side has found may be better than the last result by this factor, and is not looked for. */
const NEARLY = 1 + TOLERANCE
/**
 * Of the best by words, so many for each result are compared at once, before it is known which may be among the results. A
 * look for 30 chunks takes 3.1 ms, one for 25 takes 3.0, and a second one for 5 takes 2.0 (100,000 windows in LanceDB).
 */
const COMPARED_AT_ONCE = 6
/** Chunks of which it is found out at once, at the least, what one side does not know. */
const LEAST_AT_ONCE = 24
/** Chunks that are compared in one call of the vector index. */
const MOST_KEYS = 256

/** The indexes in which a search looks. */
export interface SearchIndexes {
  readonly vectors: VectorIndex
  readonly words: LexicalIndex
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
    const { topN } = query
    const known = new KnownChunks()
    for (let limit = candidateLimits(topN).byWords; ; limit *= WIDER) {
      const words = await this.#hits(query, Math.min(limit, MOST_BY_WORDS))
      if (!isTelling(words, query)) return await this.#byBoth(query)
      const ranked = await this.#similarEnough(query, words, known)
      if (ranked.length >= topN || words.isWhole) return ranked.slice(0, topN)
    }
  }

  /** The best by words that are similar enough: as many as are wanted, and those with the score of the last one. */
  async #similarEnough(
    { topN, scoreThreshold, ...query }: ChunkQuery,
    { found, maximum }: WordSide,
    known: KnownChunks,
  ): Promise<RankedChunk[]> {
    const ranked: RankedChunk[] = []
    let left = topN
    for (let [from, count] = [0, topN]; from < found.length && ranked.length < topN; count *= WIDER) {
      let to = Math.min(found.length, from + count)
      while (to < found.length && found[to]?.wordScore === found[to - 1]?.wordScore) to += 1
      const part = found.slice(from, to)
      const asked = { ...query, topN, scoreThreshold }
      await this.#lookUp(asked, part, known)
      left -= await embedWaiting(asked, part, known, left)
      for (const hit of part) {
        const place = known.near.get(hit)
        if (place === undefined || place.similarity < scoreThreshold) continue
        ranked.push({ ...place, score: clamp(hit.wordScore / maximum), foundBy: ['words'] })
      }
      from = to
    }
    return ranked.sort(byRelevance)
  }

  /**
   * Asks each side for its best, and for what the other side's best lack, where that decides. Asks for more, once, where a
   * chunk that neither has found may be better; and as often as it takes to have enough.
   */
  async #byBoth(query: ChunkQuery): Promise<RankedChunk[]> {
    const { topN, scoreThreshold } = query
    const { byMeaning, byWords } = candidateLimits(topN)
    const known = new KnownChunks()
    const wordScores = new Map<string, number>()
    for (let depth = 1; ; depth *= WIDER) {
      const [words, meaning, modelKnowledge] = await Promise.all([
        this.#comparedHits(query, Math.min(byWords * depth, MOST_BY_WORDS), known),
        this.#meaning(query, byMeaning * depth),
        query.knowledge(),
      ])
      for (const place of meaning.found.all()) known.near.take(place)
      const sides = bothSides(words, meaning, query)
      const question = { wordMaximum: words.maximum, modelKnowledge }
      for (const hit of sides.hits) wordScores.set(nameOf(hit), hit.wordScore)
      await this.#complete(query, sides, known, wordScores, question)
      const ranked = joined(sides, known, wordScores, question).filter(({ similarity }) => similarity >= scoreThreshold)
      // What the vectors have not shown is less similar than what they have.
      if (meaning.unseen < scoreThreshold) return ranked.slice(0, topN)
      const unseen = { similarity: meaning.unseen, wordScore: sides.unseenWordScore }
      const mostUnseen = jointScore(unseen, question, hasWords(sides))
      const isCertain = (ranked[topN - 1]?.score ?? -1) * NEARLY >= mostUnseen
      if (isCertain || (ranked.length >= topN && depth > 1)) return ranked.slice(0, topN)
    }
  }

  /** The best by words. Most of them are compared while the nearest are looked for. */
  async #comparedHits(query: ChunkQuery, limit: number, known: KnownChunks): Promise<WordSide> {
    const words = await this.#hits(query, limit, TOLERANCE)
    if (isTelling(words, query)) await this.#lookUp(query, words.found.slice(0, query.topN * COMPARED_AT_ONCE), known)
    return words
  }

  /**
   * Finds out what one side alone has found, as far as that may be among the results: of those that may be the best first,
   * until the others cannot be better than those that are known by then.
   *
   * @param wordScores by name; receives those that are looked up
   */
  async #complete(
    query: ChunkQuery,
    sides: BothSides,
    known: KnownChunks,
    wordScores: Map<string, number>,
    question: FusionQuestion,
  ): Promise<void> {
    const { hits, words } = sides
    // An index may have missed one of the nearest: the very best by words are compared in any case.
    await this.#lookUp(query, hits.slice(0, query.topN), known)
    let left = query.topN - (await embedWaiting(query, hits, known, query.topN))
    for (let count = Math.max(LEAST_AT_ONCE, query.topN * COMPARED_AT_ONCE); ; count *= WIDER) {
      const candidates = candidatesOf(sides, known, wordScores, query)
      const open = toBeCompleted(candidates, { ...query, question, hasWords: hasWords(sides) }).slice(0, count)
      if (open.length === 0) return
      const isOpen = new Set(open.map(nameOf))
      const toCompare = hits.filter((hit) => isOpen.has(nameOf(hit)))
      const toScore = open.filter((candidate) => !wordScores.has(nameOf(candidate)))
      const [scores] = await Promise.all([this.#score(query, words, toScore), this.#lookUp(query, toCompare, known)])
      left -= await embedWaiting(query, hits, known, left)
      for (const [at, candidate] of toScore.entries()) wordScores.set(nameOf(candidate), scores[at] ?? 0)
    }
  }

  /** Scores of chunks by words. */
  async #score(query: ChunkQuery, { scoresOf }: WordSide, chunks: readonly ChunkKey[]): Promise<readonly number[]> {
    if (chunks.length === 0) return []
    const keys = chunks.map(({ documentId, ordinal }) => ({ documentId, chunk: ordinal }))
    const look = async (): Promise<readonly number[]> => await scoresOf(keys)
    return await this.#readingWords(query, [], () => this.#turns.words.one(query.taker, look, query.signal))
  }

  async #meaning(query: ChunkQuery, limit: number): Promise<MeaningSide> {
    const { collection, visible, taker, signal } = query
    const vectors = await query.vectors
    const options = { limit, ...visible.filter }
    const search = vectors.map((vector) => async () => await this.#vectors.search(collection, vector, options))
    const answers = await this.#turns.index.all(taker, search, signal)
    const found = new BestWindows()
    for (const hit of answers.flat()) {
      if (!visible.has(hit.documentId)) visible.hide(hit.documentId)
      else if (!visible.isMissing({ documentId: hit.documentId, ordinal: hit.chunk })) found.add(hit)
    }
    // A window that was not asked for is at most as similar as the last one that was.
    return { found, unseen: mostSimilarUnseen(answers, limit) }
  }

  async #hits(query: ChunkQuery, limit: number, tolerance = 0): Promise<WordSide> {
    const { terms, wordCollection, wordVisible, taker, signal } = query
    const options = { limit, tolerance, ...wordVisible.filter }
    const search = async () => await this.#words.search(wordCollection, terms, options)
    const { hits, maximum, scoresOf } = await this.#readingWords(query, NO_WORDS, () =>
      this.#turns.words.one(taker, search, signal),
    )
    const found = new Map<string, WordHit>()
    for (const { documentId, chunk, score } of hits) {
      const hit = { documentId, ordinal: chunk, wordScore: score }
      if (!wordVisible.has(documentId)) wordVisible.hide(documentId)
      else if (!wordVisible.isMissing(hit) && !found.has(nameOf(hit))) found.set(nameOf(hit), hit)
    }
    const unseen = hits.length < limit ? 0 : (hits.at(-1)?.score ?? 0)
    const isWhole = hits.length < limit || limit >= MOST_BY_WORDS
    return { found: [...found.values()], maximum, scoresOf, unseen, isWhole }
  }

  /** @param nothing stands for what cannot be read because it is damaged. The doctor tells of it too; meaning finds what there is until then */
  async #readingWords<T>({ mode }: ChunkQuery, nothing: T, read: () => Promise<T>): Promise<T> {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof VectorsDamagedError) || mode === 'keyword') throw error
      this.#telemetry.record({ name: 'search.words.unreadable', level: 'warn', error })
      return nothing
    }
  }

  /** Finds out how near chunks are by the vector index, and which of them have no vectors yet. */
  async #lookUp(query: ChunkQuery, hits: readonly WordHit[], known: KnownChunks): Promise<void> {
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
  }
}

/**
 * Computes how near chunks are that have no vectors yet, each once, the best by words first.
 *
 * @param most chunks that are computed at most
 * @returns how many were computed
 */
async function embedWaiting(
  query: ChunkQuery,
  hits: readonly WordHit[],
  known: KnownChunks,
  most: number,
): Promise<number> {
  const waiting = hits.filter((hit) => known.isWaiting(hit)).slice(0, most)
  for (const hit of waiting) known.setWaiting(hit, false)
  if (waiting.length > 0) for (const place of await query.embedNow(waiting)) known.near.take(place)
  return waiting.length
}

/** The highest similarity that a window missing from the answers can have; -1 where none is missing. */
function mostSimilarUnseen(answers: readonly (readonly VectorHit[])[], limit: number): number {
  const full = answers.filter((hits) => hits.length >= limit)
  return Math.max(-1, ...full.map((hits) => Math.max(0, hits.at(-1)?.similarity ?? 0)))
}

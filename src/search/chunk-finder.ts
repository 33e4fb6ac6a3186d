import { inBatches } from '../kernel/batches.js'
import { VectorsDamagedError } from '../kernel/errors.js'
import {
  type ChunkKey,
  type LexicalAnswer,
  type LexicalIndex,
  type Telemetry,
  type Tracer,
  tracerOf,
  type VectorHit,
  type VectorIndex,
} from '../ports/index.js'
import { BestWindows, byRelevance, clamp, KnownChunks, type RankedChunk, toMapKey } from './chunks.js'
import {
  areWordsSelective,
  type BothSides,
  type ChunkQuery,
  type ChunkRanking,
  candidateLimits,
  combineSides,
  type FusionQuestion,
  jointScore,
  listCandidates,
  type MeaningSide,
  mayHaveWords,
  rankChunks,
  selectIncomplete,
  type WordHit,
  type WordSide,
} from './fusion.js'
import type { SearchTurns } from './search-turns.js'

/** Factor by which a search raises a limit that was too low. */
const WIDENING_FACTOR = 4
/** Maximum number of hits by words. If so many are below the threshold, further ones are hardly above it. */
const MAX_WORD_HITS = 3_200
const NO_WORDS: LexicalAnswer = { hits: [], maximum: 0, scoresOf: async (chunks) => chunks.map(() => 0) }
/** Share by which scores by words may be too low if a search asks both sides. */
const TOLERANCE = 0.05
/**
 * A chunk that neither side found may be better than the last result by this factor; the search does not look for it.
 */
const UNSEEN_MARGIN = 1 + TOLERANCE
/**
 * Number of the best hits by words, for each result, that are compared in one call, before the search knows which may
 * be among the results. A call for 30 chunks takes 3.1 ms, one for 25 takes 3.0 ms, and a second one for 5 takes 2.0 ms
 * (100,000 windows in LanceDB).
 */
const COMPARED_PER_RESULT = 6
/** Minimum number of chunks whose missing part of the score is read in one step. */
const MIN_COMPLETED = 24
/** Maximum number of chunks in one call of the vector index. */
const MAX_CHUNKS_PER_CALL = 256

/** The indexes that a search reads. */
export interface SearchIndexes {
  readonly vectors: VectorIndex
  readonly words: LexicalIndex
}

/** Finds the best chunks by meaning, by words, or by both together. */
export class ChunkFinder {
  readonly #vectors: VectorIndex
  readonly #words: LexicalIndex
  readonly #turns: SearchTurns
  readonly #telemetry: Telemetry
  readonly #tracer: Tracer

  constructor({ vectors, words }: SearchIndexes, turns: SearchTurns, telemetry: Telemetry) {
    this.#vectors = vectors
    this.#words = words
    this.#turns = turns
    this.#telemetry = telemetry
    this.#tracer = tracerOf(telemetry)
  }

  /** @returns the `topN` best chunks, the best first, none with a similarity below `scoreThreshold` */
  async find(query: ChunkQuery): Promise<ChunkRanking> {
    if (query.mode === 'semantic' || query.terms.size === 0) return await this.#findByMeaning(query)
    return query.mode === 'keyword' ? await this.#findByWords(query) : await this.#findByBoth(query)
  }

  /**
   * Reads more windows until enough of them belong to different chunks: several of one chunk may be among the nearest.
   */
  async #findByMeaning(query: ChunkQuery): Promise<ChunkRanking> {
    const { topN, scoreThreshold } = query
    for (let limit = topN * 4; ; limit *= WIDENING_FACTOR) {
      const { found, unseenSimilarity } = await this.#searchVectors(query, limit)
      const ranked = found.ranked(scoreThreshold)
      const certainCount = ranked.filter(({ similarity }) => similarity >= unseenSimilarity).length
      if (certainCount >= topN || unseenSimilarity < scoreThreshold || unseenSimilarity < 0) {
        const best = ranked.slice(0, topN)
        return {
          ranked: best.map((chunk) => ({ ...chunk, score: chunk.similarity, foundBy: ['meaning'] })),
          scale: { by: 'meaning' },
        }
      }
    }
  }

  async #findByWords(query: ChunkQuery): Promise<ChunkRanking> {
    const { topN } = query
    const known = new KnownChunks()
    for (let limit = candidateLimits(topN).byWords; ; limit *= WIDENING_FACTOR) {
      const words = await this.#searchWords(query, Math.min(limit, MAX_WORD_HITS))
      if (!areWordsSelective(words, query)) return await this.#findByBoth(query)
      const ranked = await this.#selectSimilar(query, words, known)
      if (ranked.length >= topN || words.isComplete) return { ranked: ranked.slice(0, topN), scale: { by: 'words' } }
    }
  }

  /** @returns at least `topN` of the best hits that are similar enough, with all that have the score of the last one */
  async #selectSimilar(query: ChunkQuery, { found, maximum }: WordSide, known: KnownChunks): Promise<RankedChunk[]> {
    const { topN, scoreThreshold } = query
    const ranked: RankedChunk[] = []
    let embeddingsLeft = topN
    for (let [from, count] = [0, topN]; from < found.length && ranked.length < topN; count *= WIDENING_FACTOR) {
      let to = Math.min(found.length, from + count)
      while (to < found.length && found[to]?.wordScore === found[to - 1]?.wordScore) to += 1
      const part = found.slice(from, to)
      await this.#compare(query, part, known)
      embeddingsLeft -= await embedWaiting(query, part, known, embeddingsLeft)
      for (const hit of part) {
        const chunk = known.bestWindows.get(hit)
        if (chunk === undefined || chunk.similarity < scoreThreshold) continue
        ranked.push({ ...chunk, score: clamp(hit.wordScore / maximum), foundBy: ['words'] })
      }
      from = to
    }
    return ranked.sort(byRelevance)
  }

  /**
   * Asks each side for its best chunks, then reads the missing parts of their scores where these can change the
   * results. Widens the search once if a chunk that neither side found may be better, and as often as `topN` results
   * need it.
   */
  async #findByBoth(query: ChunkQuery): Promise<ChunkRanking> {
    const { topN, scoreThreshold } = query
    const { byMeaning, byWords } = candidateLimits(topN)
    const known = new KnownChunks()
    const wordScores = new Map<string, number>()
    for (let depth = 1; ; depth *= WIDENING_FACTOR) {
      const [words, meaning, modelKnowledge] = await Promise.all([
        this.#searchWordsAndCompare(query, Math.min(byWords * depth, MAX_WORD_HITS), known),
        this.#searchVectors(query, byMeaning * depth),
        query.measureKnowledge(),
      ])
      for (const chunk of meaning.found.all()) known.bestWindows.add(chunk)
      const sides = combineSides(words, meaning, query)
      const question = { wordMaximum: words.maximum, modelKnowledge }
      for (const hit of sides.hits) wordScores.set(toMapKey(hit), hit.wordScore)
      await this.#complete(query, sides, known, wordScores, question)
      const candidates = rankChunks(sides, known, wordScores, question)
      const hasWords = candidates.some(({ wordScore = 0 }) => wordScore > 0)
      const ranked = candidates.filter(({ similarity }) => similarity >= scoreThreshold)
      const result = { ranked: ranked.slice(0, topN), scale: { by: 'both', question, hasWords } } as const
      // All chunks that the vector index did not return have a similarity below the threshold.
      if (meaning.unseenSimilarity < scoreThreshold) return result
      const unseen = { similarity: meaning.unseenSimilarity, wordScore: sides.unseenWordScore }
      const highestUnseen = jointScore(unseen, question, mayHaveWords(sides))
      const isCertain = (ranked[topN - 1]?.score ?? -1) * UNSEEN_MARGIN >= highestUnseen
      if (isCertain || (ranked.length >= topN && depth > 1)) return result
    }
  }

  /** Finds the best hits by words, and compares most of them while the vector index searches the nearest windows. */
  async #searchWordsAndCompare(query: ChunkQuery, limit: number, known: KnownChunks): Promise<WordSide> {
    const words = await this.#searchWords(query, limit, TOLERANCE)
    if (areWordsSelective(words, query)) {
      await this.#compare(query, words.found.slice(0, query.topN * COMPARED_PER_RESULT), known)
    }
    return words
  }

  /**
   * Reads the missing parts of the scores of chunks that one side found. Begins with the chunks that can have the
   * highest scores, and stops as soon as the others cannot be among the results.
   *
   * @param wordScores by the key of the chunk; receives the scores that are read
   */
  async #complete(
    query: ChunkQuery,
    sides: BothSides,
    known: KnownChunks,
    wordScores: Map<string, number>,
    question: FusionQuestion,
  ): Promise<void> {
    const { hits, words } = sides
    // An approximate vector index may miss one of the nearest windows, so the very best by words are always compared.
    await this.#compare(query, hits.slice(0, query.topN), known)
    let embeddingsLeft = query.topN - (await embedWaiting(query, hits, known, query.topN))
    for (let count = Math.max(MIN_COMPLETED, query.topN * COMPARED_PER_RESULT); ; count *= WIDENING_FACTOR) {
      const candidates = listCandidates(sides, known, wordScores, query)
      const rules = { ...query, question, hasWords: mayHaveWords(sides) }
      const incomplete = selectIncomplete(candidates, rules).slice(0, count)
      if (incomplete.length === 0) return
      const incompleteKeys = new Set(incomplete.map(toMapKey))
      const toCompare = hits.filter((hit) => incompleteKeys.has(toMapKey(hit)))
      const toScore = incomplete.filter((candidate) => !wordScores.has(toMapKey(candidate)))
      const [scores] = await Promise.all([
        this.#readWordScores(query, words, toScore),
        this.#compare(query, toCompare, known),
      ])
      embeddingsLeft -= await embedWaiting(query, hits, known, embeddingsLeft)
      for (const [index, candidate] of toScore.entries()) wordScores.set(toMapKey(candidate), scores[index] ?? 0)
    }
  }

  /** @returns the scores by words, in the order of the chunks */
  async #readWordScores(
    query: ChunkQuery,
    { scoresOf }: WordSide,
    chunks: readonly ChunkKey[],
  ): Promise<readonly number[]> {
    if (chunks.length === 0) return []
    const keys = chunks.map(({ documentId, ordinal }) => ({ documentId, chunk: ordinal }))
    const readScores = async (): Promise<readonly number[]> => await scoresOf(keys)
    const attributes = { 'alcove.search.hits': chunks.length }
    return await this.#readWords(query, [], () =>
      this.#tracer.span('alcove.search.words', { attributes }, async () => {
        return await this.#turns.words.one(query.taker, readScores, query.signal)
      }),
    )
  }

  async #searchVectors(query: ChunkQuery, limit: number): Promise<MeaningSide> {
    const { collection, visible, taker, signal } = query
    const vectors = await query.vectors
    const options = { limit, ...visible.filter }
    const searches = vectors.map((vector) => async () => await this.#vectors.search(collection, vector, options))
    const answers = await this.#tracer.span('alcove.search.vectors', {}, async (span) => {
      const read = await this.#turns.vectors.all(taker, searches, signal)
      span.set({ 'alcove.search.hits': read.flat().length })
      return read
    })
    const found = new BestWindows()
    for (const hit of answers.flat()) {
      if (!visible.has(hit.documentId)) visible.hide(hit.documentId)
      else if (!visible.isMissing({ documentId: hit.documentId, ordinal: hit.chunk })) found.addHit(hit)
    }
    return { found, unseenSimilarity: highestUnseenSimilarity(answers, limit) }
  }

  async #searchWords(query: ChunkQuery, limit: number, tolerance = 0): Promise<WordSide> {
    const { terms, wordCollection, wordVisible, statistics, taker, signal } = query
    const options = { limit, tolerance, ...wordVisible.filter, ...(statistics && { statistics }) }
    const search = async () => await this.#words.search(wordCollection, terms, options)
    const { hits, maximum, scoresOf } = await this.#readWords(query, NO_WORDS, () =>
      this.#tracer.span('alcove.search.words', {}, async (span) => {
        const read = await this.#turns.words.one(taker, search, signal)
        span.set({ 'alcove.search.hits': read.hits.length })
        return read
      }),
    )
    const found = new Map<string, WordHit>()
    for (const { documentId, chunk, score } of hits) {
      const hit = { documentId, ordinal: chunk, wordScore: score }
      const key = toMapKey(hit)
      if (!wordVisible.has(documentId)) wordVisible.hide(documentId)
      else if (!wordVisible.isMissing(hit) && !found.has(key)) found.set(key, hit)
    }
    const unseenWordScore = hits.length < limit ? 0 : (hits.at(-1)?.score ?? 0)
    const isComplete = hits.length < limit || limit >= MAX_WORD_HITS
    return { found: [...found.values()], maximum, scoresOf, unseenWordScore, isComplete }
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
      this.#telemetry.record({ name: 'search.words.unreadable', level: 'warn', error })
      return emptyAnswer
    }
  }

  /**
   * Reads similarities from the vector index into `known`, and marks the chunks that have no vectors yet as waiting.
   */
  async #compare(query: ChunkQuery, hits: readonly WordHit[], known: KnownChunks): Promise<void> {
    const unknown = hits.filter((hit) => !known.has(hit))
    for (const part of inBatches(unknown, MAX_CHUNKS_PER_CALL)) {
      const keys = part.map(({ documentId, ordinal }) => ({ documentId, chunk: ordinal }))
      const vectors = await query.vectors
      const readNearest = async () => await this.#vectors.nearestWindows(query.collection, vectors, keys)
      const attributes = { 'alcove.search.hits': keys.length }
      const nearest = await this.#tracer.span('alcove.search.vectors', { attributes }, async () => {
        return await this.#turns.vectors.one(query.taker, readNearest, query.signal)
      })
      part.forEach((hit, row) => {
        const window = nearest[row]
        if (window === undefined) known.setWaiting(hit, true)
        else known.bestWindows.addHit({ documentId: hit.documentId, chunk: hit.ordinal, ...window })
      })
    }
  }
}

/**
 * Computes the similarities of chunks that have no vectors yet, the best by words first. Each chunk is computed once.
 *
 * @param most maximum number of chunks to compute
 * @returns the number of chunks for which it tried
 */
async function embedWaiting(
  query: ChunkQuery,
  hits: readonly WordHit[],
  known: KnownChunks,
  most: number,
): Promise<number> {
  const waiting = hits.filter((hit) => known.isWaiting(hit)).slice(0, most)
  for (const hit of waiting) known.setWaiting(hit, false)
  if (waiting.length > 0) for (const chunk of await query.embedNow(waiting)) known.bestWindows.add(chunk)
  return waiting.length
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

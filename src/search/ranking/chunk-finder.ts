import { bm25Maximum } from '../../ports/index.js'
import {
  type ChunkRanking,
  candidateLimits,
  type FusionQuestion,
  isExact,
  jointScore,
  listCandidates,
  rankChunks,
  selectIncomplete,
  type WordScore,
} from './fusion.js'
import {
  areWordsSelective,
  type BothSides,
  type ChunkQuery,
  combineSides,
  type IndexReader,
  mayHaveWords,
} from './index-reader.js'
import { BEST_CHUNKS, byRelevance, clamp, KnownChunks, type RankedChunk, toMapKey } from './near-chunks.js'
import type { WordHit, WordSide } from './word-side.js'

/** Factor by which a search raises a limit that was too low. */
const WIDENING_FACTOR = 4
/** Share of the maximum by which scores of found chunks may be too low at first if a search asks both sides. */
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

/** Finds the best chunks by meaning, by words, or by both together. */
export class ChunkFinder {
  constructor(private readonly reader: IndexReader) {}

  /** @returns the `topN` best chunks, the best first, none with a similarity below `scoreThreshold` */
  async find(query: ChunkQuery): Promise<ChunkRanking> {
    const { mode, whole, choice } = query
    if (mode === 'semantic' || whole.terms.size === 0) {
      choice.decide({ part: whole, coverage: 1 })
      return await this.#findByMeaning(query)
    }
    return mode === 'keyword' ? await this.#findByWords(query) : await this.#findByBoth(query)
  }

  /**
   * Reads more windows until enough of them belong to different chunks: several of one chunk may be among the nearest.
   */
  async #findByMeaning(query: ChunkQuery): Promise<ChunkRanking> {
    const { topN, scoreThreshold } = query
    for (let limit = topN * 4; ; limit *= WIDENING_FACTOR) {
      const { found, unseenSimilarity } = await this.reader.searchVectors(query, limit)
      const ranked = found.ranked(scoreThreshold)
      const certainCount = ranked.filter(({ similarity }) => similarity >= unseenSimilarity).length
      if (certainCount >= topN || unseenSimilarity < scoreThreshold || unseenSimilarity < 0) {
        const best = ranked.slice(0, topN)
        return {
          ranked: best.map((chunk) => ({ ...chunk, score: chunk.similarity, foundBy: ['meaning'] })),
          scale: { by: 'meaning' },
          words: undefined,
        }
      }
    }
  }

  async #findByWords(query: ChunkQuery): Promise<ChunkRanking> {
    const { topN } = query
    const known = new KnownChunks()
    for (let limit = candidateLimits(topN).byWords; ; limit *= WIDENING_FACTOR) {
      const words = await this.reader.searchWords(query, limit)
      if (!areWordsSelective(words)) return await this.#findByBoth(query)
      const ranked = await this.#selectSimilar(query, words, known)
      if (ranked.length >= topN || words.isComplete)
        return { ranked: ranked.slice(0, topN), scale: { by: 'words' }, words }
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
      await this.reader.compare(query, part, known)
      embeddingsLeft -= await embedWaiting(query, part, known, embeddingsLeft)
      for (const hit of part) {
        const chunk = known.bestWindows.get(hit)
        if (chunk === undefined || chunk.similarity < scoreThreshold) continue
        const { question } = hit
        const score = clamp(hit.wordScore / maximum)
        ranked.push({ ...chunk, score, foundBy: ['words'], ...(question && { question }) })
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
    const wordScores = new Map<string, WordScore>()
    for (let depth = 1; ; depth *= WIDENING_FACTOR) {
      const [words, meaning, knowledge] = await Promise.all([
        this.#searchWordsAndCompare(query, byWords * depth, known),
        this.reader.searchVectors(query, byMeaning * depth),
        query.knowledge.measure(),
      ])
      for (const chunk of meaning.found.all()) known.bestWindows.add(chunk)
      const sides = combineSides(words, meaning, query)
      const question = { wordMaximum: words.maximum, ...knowledge }
      for (const hit of sides.hits) {
        const [key, { wordScore: least }] = [toMapKey(hit), hit]
        if (!isExact(wordScores.get(key))) wordScores.set(key, { least, most: least + words.shortfall })
      }
      await this.#complete(query, sides, known, wordScores, question)
      const candidates = rankChunks(sides, known, wordScores, question)
      const hasWords = candidates.some(({ wordScore = 0 }) => wordScore > 0)
      const ranked = candidates.filter(({ similarity }) => similarity >= scoreThreshold)
      const result = {
        ranked: ranked.slice(0, topN),
        scale: { by: 'both', question, hasWords, evidenceMaximum: evidenceMaximumOf(query, words, ranked) },
        words,
      } as const
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
    const words = await this.reader.searchWords(query, limit, TOLERANCE)
    if (areWordsSelective(words)) {
      await this.reader.compare(query, words.found.slice(0, query.topN * COMPARED_PER_RESULT), known)
    }
    return words
  }

  /**
   * Reads the missing parts of the scores of chunks that one side found. Begins with the chunks that can have the
   * highest scores, and stops as soon as the others cannot be among the results. The scores of the results are exact.
   *
   * @param wordScores by the key of the chunk; receives the scores that are read
   */
  async #complete(
    query: ChunkQuery,
    sides: BothSides,
    known: KnownChunks,
    wordScores: Map<string, WordScore>,
    question: FusionQuestion,
  ): Promise<void> {
    const { hits, words } = sides
    // An approximate vector index may miss one of the nearest windows, so the very best by words are always compared.
    await this.reader.compare(query, hits.slice(0, query.topN), known)
    let embeddingsLeft = query.topN - (await embedWaiting(query, hits, known, query.topN))
    for (let count = Math.max(MIN_COMPLETED, query.topN * COMPARED_PER_RESULT); ; count *= WIDENING_FACTOR) {
      const candidates = listCandidates(sides, known, wordScores, query)
      const rules = { ...query, question, hasWords: mayHaveWords(sides) }
      const incomplete = selectIncomplete(candidates, rules).slice(0, count)
      if (incomplete.length === 0) return
      const incompleteKeys = new Set(incomplete.map(toMapKey))
      const toCompare = hits.filter((hit) => incompleteKeys.has(toMapKey(hit)))
      const toScore = incomplete.filter((candidate) => !isExact(wordScores.get(toMapKey(candidate))))
      const [scores] = await Promise.all([
        this.reader.readWordScores(query, words, toScore),
        this.reader.compare(query, toCompare, known),
      ])
      embeddingsLeft -= await embedWaiting(query, hits, known, embeddingsLeft)
      for (const [index, candidate] of toScore.entries()) {
        const key = toMapKey(candidate)
        // A part of the prompt that does not decide counts only where it found the chunk.
        const score = Math.max(scores[index] ?? 0, wordScores.get(key)?.least ?? 0)
        wordScores.set(key, { least: score, most: score })
      }
    }
  }
}

/** @returns the `evidenceMaximum` of a {@link ScoreScale} */
function evidenceMaximumOf(
  { mode, wordVisible }: ChunkQuery,
  words: WordSide,
  ranked: readonly RankedChunk[],
): number | undefined {
  const isRead = mode === 'hybrid' && words.maximum > 0 && areWordsSelective(words)
  if (!isRead || !ranked.slice(0, BEST_CHUNKS).every(({ documentId }) => wordVisible.has(documentId))) return undefined
  // An identifier weighs four times as much as a word: an unknown one alone would hide all others.
  const weightOf = (term: string): number => Math.max(1, words.part.terms.get(term) ?? 1)
  return bm25Maximum(new Map([...words.idfs].map(([term, idf]) => [term, idf / weightOf(term)])))
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
  if (waiting.length === 0) return 0
  const { unembedded, vectors, taker, signal } = query
  const compared = await unembedded.compare(waiting, await vectors, taker, signal)
  for (const chunk of compared) known.bestWindows.add(chunk)
  return waiting.length
}

import type { ChunkKey } from '../../ports/index.js'
import { type FoundBy, type KnownChunks, type RankedChunk, toMapKey } from './chunks.js'
import { type FusionQuestion, fuse, jointScore } from './fusion.js'
import type { BothSides, ChunkQuery } from './sides.js'

/** One of the two parts of a chunk's score: the known value, or the highest value that it can have. */
type ScorePart = { readonly known: number } | { readonly least?: number; readonly most: number }

/** The score of a chunk by words lies between two numbers, which are equal once it is exact. */
export interface WordScore {
  readonly least: number
  readonly most: number
}

export function isExact(score: WordScore | undefined): boolean {
  return score !== undefined && score.least === score.most
}

/** A chunk that one side of a search found. The other side may not have its part of the score yet. */
export interface OpenCandidate extends ChunkKey {
  readonly similarity: ScorePart
  readonly wordScore: ScorePart
}

/** @returns the chunks that either side found, each with the known parts of its score, in any order */
export function listCandidates(
  { meaning, hits, words, unseenWordScore }: BothSides,
  known: KnownChunks,
  wordScores: ReadonlyMap<string, WordScore>,
  { visible, wordVisible }: ChunkQuery,
): OpenCandidate[] {
  const compared = known.bestWindows.all().map((chunk): OpenCandidate => {
    const hasNoWords = unseenWordScore === 0 || !wordVisible.has(chunk.documentId)
    const unseen = hasNoWords ? { known: 0 } : { most: unseenWordScore + words.shortfall }
    const wordScore = wordScores.get(toMapKey(chunk))
    return {
      ...chunk,
      similarity: { known: chunk.similarity },
      wordScore: wordScore === undefined ? unseen : partOf(wordScore),
    }
  })
  // Chunks that turned out to have no vectors are left out.
  const notCompared = hits
    .filter((hit) => !known.has(hit))
    .map((hit): OpenCandidate => {
      // A document without vectors, or one whose vectors are lost, can have any similarity up to 1.
      const hasBound = visible.has(hit.documentId) && meaning.unseenSimilarity >= 0
      const similarity = { most: hasBound ? meaning.unseenSimilarity : 1 }
      const { wordScore: least } = hit
      const wordScore = partOf(wordScores.get(toMapKey(hit)) ?? { least, most: least + words.shortfall })
      return { ...hit, similarity, wordScore }
    })
  return [...compared, ...notCompared]
}

/** The limits of a search, and the values that scores depend on. */
interface ScoringRules {
  readonly question: FusionQuestion
  /** True if any candidate has a word of the question. */
  readonly hasWords: boolean
  /** Maximum number of results. */
  readonly topN: number
  /** Minimum similarity of a result, 0 to 1. */
  readonly scoreThreshold: number
}

/**
 * Selects the candidates whose missing part of the score can change the results. All other candidates stay behind the
 * `topN` best, for every value of the missing part. After the threshold algorithm of Fagin, Lotem and Naor 2001, "Optimal
 * Aggregation Algorithms for Middleware".
 *
 * @returns the selected candidates, those with the highest possible score first
 */
export function selectIncomplete<Candidate extends OpenCandidate>(
  candidates: readonly Candidate[],
  { question, hasWords, topN, scoreThreshold }: ScoringRules,
): Candidate[] {
  const scoreOf = (similarity: number, wordScore: number): number =>
    jointScore({ similarity, wordScore }, question, hasWords)
  const certainScores = candidates
    .filter(({ similarity }) => lowestOf(similarity) >= scoreThreshold)
    .map(({ similarity, wordScore }) => scoreOf(lowestOf(similarity), lowestOf(wordScore)))
    .sort((one, other) => other - one)
  const scoreToReach = certainScores[topN - 1] ?? Number.NEGATIVE_INFINITY
  return candidates
    .filter(({ similarity, wordScore }) => !('known' in similarity && 'known' in wordScore))
    .filter(({ similarity }) => highestOf(similarity) >= scoreThreshold)
    .map((candidate) => {
      return { candidate, highest: scoreOf(highestOf(candidate.similarity), highestOf(candidate.wordScore)) }
    })
    .filter(({ highest }) => highest >= scoreToReach)
    .sort((one, other) => other.highest - one.highest)
    .map(({ candidate }) => candidate)
}

function partOf({ least, most }: WordScore): ScorePart {
  return least === most ? { known: least } : { least, most }
}

function lowestOf(part: ScorePart): number {
  return 'known' in part ? part.known : (part.least ?? 0)
}

function highestOf(part: ScorePart): number {
  return 'known' in part ? part.known : part.most
}

/** @returns all chunks whose similarity is known, with their joint score, the best first */
export function rankChunks(
  { meaning, words }: BothSides,
  known: KnownChunks,
  wordScores: ReadonlyMap<string, WordScore>,
  question: FusionQuestion,
): RankedChunk[] {
  const withWords = new Set(words.found.map(toMapKey))
  const candidates = known.bestWindows.all().map((chunk) => {
    const key = toMapKey(chunk)
    const wordScore = wordScores.get(key)?.least ?? 0
    const foundBy: FoundBy[] = wordScore > 0 || withWords.has(key) ? ['words'] : []
    if (meaning.found.get(chunk) !== undefined) foundBy.push('meaning')
    return { ...chunk, wordScore, foundBy }
  })
  return fuse(candidates, question)
}

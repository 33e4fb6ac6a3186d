import type { TurnTaker } from '../kernel/fair-scheduler.js'
import {
  bm25Maximum,
  type ChunkKey,
  type LexicalAnswer,
  type LexicalQuery,
  type LexicalStatistics,
  type SearchMode,
  type VectorCollection,
} from '../ports/index.js'
import {
  type BestWindows,
  byRelevance,
  clamp,
  type FoundBy,
  type KnownChunks,
  type NearChunk,
  type RankedChunk,
  toMapKey,
  type VisibleDocuments,
} from './chunks.js'

/** Maximum weight of meaning beside words. Measured quality changes by less than 0.01 for weights from 0.36 to 0.44. */
const MEANING_WEIGHT = 0.42

/**
 * Minimum value for the word maximum of a question: the maximum of one term that a third of the chunks have. Without
 * it, the only word of a question would decide the order even if every chunk has that word.
 */
const MIN_WORD_MAXIMUM = 2.2

/**
 * First limit for the vector index, in windows for each result: several windows of one chunk may be among the nearest.
 */
const WINDOWS_PER_RESULT = 4
const MIN_WINDOWS = 20
/** First limit for the word index, in chunks for each result. */
const WORD_HITS_PER_RESULT = 4
const MIN_WORD_HITS = 30

/** A chunk that at least one side found, with the parts of its score. */
export interface FusionCandidate {
  readonly documentId: number
  readonly ordinal: number
  /** Cosine of its nearest window, 0 to 1. Exact, whichever side found the chunk. */
  readonly similarity: number
  /** BM25. 0 for a chunk that has no word of the question, or whose score by words cannot change the results. */
  readonly wordScore: number
}

/** The properties of a question that scale the scores of its candidates. */
export interface FusionQuestion {
  /** The `maximum` of the word index's answer: the BM25 that no chunk can exceed. 0 for a question without terms. */
  readonly wordMaximum: number
  /** The result of `measureModelKnowledge` for the question, 0 to 1. */
  readonly modelKnowledge: number
}

/** The origin of the scores of a search. Scores of one origin are comparable. */
export type ScoreScale =
  | { readonly by: 'meaning' | 'words' }
  | {
      readonly by: 'both'
      readonly question: FusionQuestion
      /** True if any candidate has a word of the question: see {@link fuse}. */
      readonly hasWords: boolean
    }

/** The chunks that a search found. */
export interface ChunkRanking {
  /** The best first. */
  readonly ranked: readonly RankedChunk[]
  readonly scale: ScoreScale
}

/** The first limit for each side. */
interface CandidateLimits {
  /** Windows. */
  readonly byMeaning: number
  /** Chunks. */
  readonly byWords: number
}

/** @param topN maximum number of results of the search */
export function candidateLimits(topN: number): CandidateLimits {
  return {
    byMeaning: Math.max(MIN_WINDOWS, topN * WINDOWS_PER_RESULT),
    byWords: Math.max(MIN_WORD_HITS, topN * WORD_HITS_PER_RESULT),
  }
}

/**
 * Ranks chunks by words and meaning together: score = 1 - (1 - w · similarity) · (1 - (1 - w) · wordScore /
 * wordMaximum), where w is 0.42 · modelKnowledge. Each side alone raises the score. Both together count a little less
 * than their sum.
 *
 * - The scale of the words is the maximum of the question, not the best chunk. So meaning decides if every chunk has a
 *   word of the question, or if the best chunk has few of them.
 * - If no chunk has a word of the question, the score is the similarity.
 * - If the model knows nothing of the question, the words decide the order. Its similarity orders equal scores.
 *
 * The scores are normalised by their theoretical bounds, after Bruch, Gai and Ingber 2023, "An Analysis of Fusion
 * Functions for Hybrid Retrieval". The quality of their convex combination is within 0.005 of this function on every
 * data set measured.
 *
 * @returns all candidates with their joint scores, 0 to 1: the best first, equal ones by similarity, then by document,
 *   then by ordinal
 */
export function fuse<Candidate extends FusionCandidate>(
  candidates: readonly Candidate[],
  question: FusionQuestion,
): (Candidate & { readonly score: number })[] {
  const hasWords = candidates.some(({ wordScore }) => wordScore > 0)
  return candidates
    .map((candidate) => ({ ...candidate, score: jointScore(candidate, question, hasWords) }))
    .sort(byRelevance)
}

/**
 * Computes the score of one chunk: see {@link fuse}. The score never falls when the similarity or the word score rises.
 *
 * @param hasWords true if any candidate has a word of the question
 */
export function jointScore(
  { similarity, wordScore }: Pick<FusionCandidate, 'similarity' | 'wordScore'>,
  { wordMaximum, modelKnowledge }: FusionQuestion,
  hasWords: boolean,
): number {
  const meaningWeight = hasWords ? MEANING_WEIGHT * clamp(modelKnowledge) : 1
  const wordShare = clamp(wordScore / Math.max(wordMaximum, MIN_WORD_MAXIMUM))
  return joinEither(meaningWeight * clamp(similarity), (1 - meaningWeight) * wordShare)
}

/** 1 - (1 - one) · (1 - other), in a form that is exact if one of them is 0. Limits the result, because of rounding. */
function joinEither(one: number, other: number): number {
  return clamp(one + other - one * other)
}

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
  readonly terms: LexicalQuery
  /** Statistics of the words of several contexts together. Default: those of the word collection. */
  readonly statistics?: LexicalStatistics | undefined
  readonly wordCollection: string
  /** The documents that words may find. */
  readonly wordVisible: VisibleDocuments
  /** @returns how much of the prompt the model's vocabulary knows, 0 to 1 */
  readonly measureKnowledge: () => Promise<number>
  /** Computes the similarity of chunks that have no vectors yet. Leaves out chunks that are deleted. */
  readonly embedNow: (chunks: readonly ChunkKey[]) => Promise<readonly NearChunk[]>
  readonly taker: TurnTaker
  readonly signal: AbortSignal | undefined
}

/** The answer of the word index. */
export interface WordSide extends Pick<LexicalAnswer, 'maximum' | 'scoresOf'> {
  readonly found: readonly WordHit[]
  /** True if a larger limit would find no further chunks, or if the limit cannot grow. */
  readonly isComplete: boolean
  /** About the highest score by words that a chunk outside `found` can have. */
  readonly unseenWordScore: number
}

/** A chunk that the word index found. */
export interface WordHit extends ChunkKey {
  /** BM25, above 0. */
  readonly wordScore: number
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
  if (areWordsSelective(words, query)) {
    return { words, meaning, hits: words.found, unseenWordScore: words.unseenWordScore }
  }
  // Only words can find documents without vectors, so these hits stay.
  const hits = words.found.filter(({ documentId }) => !query.visible.has(documentId))
  return { words, meaning, hits, unseenWordScore: 0 }
}

/** Minimum mean of the inverse document frequencies of a question. Below it, most chunks have the question's words. */
const MIN_IDF = 0.3

/** True if the words of a question tell chunks apart. */
export function areWordsSelective({ maximum }: WordSide, { terms }: ChunkQuery): boolean {
  return maximum >= bm25Maximum(new Map([...terms].map(([term, weight]) => [term, weight * MIN_IDF])))
}

/** True if any chunk may have a word of the question that counts. */
export function mayHaveWords({ hits, unseenWordScore }: BothSides): boolean {
  return hits.length > 0 || unseenWordScore > 0
}

/** One of the two parts of a chunk's score: the known value, or the highest value that it can have. */
type ScorePart = { readonly known: number } | { readonly most: number }

/** A chunk that one side of a search found. The other side may not have its part of the score yet. */
export interface OpenCandidate extends ChunkKey {
  readonly similarity: ScorePart
  readonly wordScore: ScorePart
}

/** @returns the chunks that either side found, each with the known parts of its score, in any order */
export function listCandidates(
  { meaning, hits, unseenWordScore }: BothSides,
  known: KnownChunks,
  wordScores: ReadonlyMap<string, number>,
  { visible, wordVisible }: ChunkQuery,
): OpenCandidate[] {
  const compared = known.bestWindows.all().map((chunk): OpenCandidate => {
    const wordScore = wordScores.get(toMapKey(chunk))
    const isScored = wordScore !== undefined || unseenWordScore === 0 || !wordVisible.has(chunk.documentId)
    return {
      ...chunk,
      similarity: { known: chunk.similarity },
      wordScore: isScored ? { known: wordScore ?? 0 } : { most: unseenWordScore },
    }
  })
  // Chunks that turned out to have no vectors are left out.
  const notCompared = hits
    .filter((hit) => !known.has(hit))
    .map((hit): OpenCandidate => {
      // A document without vectors, or one whose vectors are lost, can have any similarity up to 1.
      const hasBound = visible.has(hit.documentId) && meaning.unseenSimilarity >= 0
      const similarity = { most: hasBound ? meaning.unseenSimilarity : 1 }
      return { ...hit, similarity, wordScore: { known: hit.wordScore } }
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
 * `topN` best, whatever the missing part is. After the threshold algorithm of Fagin, Lotem and Naor 2001, "Optimal
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

function lowestOf(part: ScorePart): number {
  return 'known' in part ? part.known : 0
}

function highestOf(part: ScorePart): number {
  return 'known' in part ? part.known : part.most
}

/** @returns all chunks whose similarity is known, with their joint score, the best first */
export function rankChunks(
  { meaning, words }: BothSides,
  known: KnownChunks,
  wordScores: ReadonlyMap<string, number>,
  question: FusionQuestion,
): RankedChunk[] {
  const withWords = new Set(words.found.map(toMapKey))
  const candidates = known.bestWindows.all().map((chunk) => {
    const key = toMapKey(chunk)
    const wordScore = wordScores.get(key) ?? 0
    const foundBy: FoundBy[] = wordScore > 0 || withWords.has(key) ? ['words'] : []
    if (meaning.found.get(chunk) !== undefined) foundBy.push('meaning')
    return { ...chunk, wordScore, foundBy }
  })
  return fuse(candidates, question)
}

import { byRelevance, clamp } from './known-chunks.js'

/** How much the vectors count beside the words, at most. Measured scores move by less than 0.01 from 0.36 to 0.44. */
const MEANING_WEIGHT = 0.42

/**
 * The least that a question's maximum counts for: that of one term which is in a third of the chunks. Without it, a
 * question whose only word is in every chunk would be ranked by that word.
 */
const LEAST_MAXIMUM = 2.2

/** Windows that the vectors are asked for at first, for each result: several of one chunk may be among the nearest. */
const BY_MEANING_PER_RESULT = 4
const LEAST_BY_MEANING = 20
/** Chunks that the word index is asked for at first. */
const BY_WORDS_PER_RESULT = 4
const LEAST_BY_WORDS = 30

/** A chunk that one of the two sides found, with what both say of it. */
export interface FusionCandidate {
  readonly documentId: number
  readonly ordinal: number
  /** Cosine of its nearest window, 0 to 1; exact, whichever side found it. */
  readonly similarity: number
  /** BM25; 0 for a chunk that has no word of the question, or whose score cannot matter. */
  readonly wordScore: number
}

/** What the scores of the candidates are measured by. */
export interface FusionQuestion {
  /** The `maximum` of the word index's answer: the BM25 that no chunk can exceed; 0 for a question without terms. */
  readonly wordMaximum: number
  /** How much of the question the embedding model knows, 0 to 1: see `modelKnowledge`. */
  readonly modelKnowledge: number
}

/** How much to ask each side for. */
interface CandidateLimits {
  readonly byMeaning: number
  readonly byWords: number
}

/** @param topN most results of the search */
export function candidateLimits(topN: number): CandidateLimits {
  return {
    byMeaning: Math.max(LEAST_BY_MEANING, topN * BY_MEANING_PER_RESULT),
    byWords: Math.max(LEAST_BY_WORDS, topN * BY_WORDS_PER_RESULT),
  }
}

/**
 * Ranks chunks by words and meaning together: score = 1 - (1 - w · similarity) · (1 - (1 - w) · wordScore / wordMaximum),
 * where w is 0.42 · modelKnowledge. Either side alone raises the score, and what both say counts a little less than the sum.
 *
 * - Words are measured by the most that the question could earn, not by the best chunk: where every chunk has a word,
 *   or the best one has few of them, the vectors decide.
 * - A question that no chunk shares a word with is ranked by similarity alone, and the score is the similarity.
 * - A model that knows nothing of the question leaves the order to the words; its similarity decides among equals.
 *
 * Scores are normalised by their theoretical bounds, after Bruch, Gai and Ingber 2023, "An Analysis of Fusion Functions
 * for Hybrid Retrieval". Their convex combination scores within 0.005 of this on every set measured.
 *
 * @returns all candidates, each with its joint score, 0 to 1; the best first, equal ones by similarity, then by document,
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
 * The score of one chunk: see {@link fuse}. It never falls when the similarity or the word score rises.
 *
 * @param hasWords whether any candidate has a word of the question
 */
export function jointScore(
  { similarity, wordScore }: Pick<FusionCandidate, 'similarity' | 'wordScore'>,
  { wordMaximum, modelKnowledge }: FusionQuestion,
  hasWords: boolean,
): number {
  const meaning = hasWords ? MEANING_WEIGHT * clamp(modelKnowledge) : 1
  const words = clamp(wordScore / Math.max(wordMaximum, LEAST_MAXIMUM))
  return either(meaning * clamp(similarity), (1 - meaning) * words)
}

/** 1 - (1 - one) · (1 - other), in a form that is exact where one of them is 0. Rounding may lead a little out of the range. */
function either(one: number, other: number): number {
  return clamp(one + other - one * other)
}

import type { ChunkKey } from '../ports/index.js'
import { type FusionQuestion, jointScore } from './fusion.js'

/** What is known of one of the two parts of a chunk's score: itself, or the most that it can be. */
type Part = { readonly known: number } | { readonly most: number }

/** A chunk that one side of a search has found, as far as the other side has told of it. */
export interface OpenCandidate extends ChunkKey {
  readonly similarity: Part
  readonly wordScore: Part
}

/** What a search wants, and by what it scores. */
export interface Wanted {
  readonly question: FusionQuestion
  /** Whether any candidate has a word of the question. */
  readonly hasWords: boolean
  readonly topN: number
  /** Least similarity. */
  readonly scoreThreshold: number
}

/**
 * The candidates of which it must be found out what is not known of them, those that may be the best first: all others stay
 * behind the `topN` best, however much it is. After the threshold algorithm of Fagin, Lotem and Naor 2001, "Optimal
 * Aggregation Algorithms for Middleware".
 */
export function toBeCompleted<Candidate extends OpenCandidate>(
  candidates: readonly Candidate[],
  { question, hasWords, topN, scoreThreshold }: Wanted,
): Candidate[] {
  const scoreOf = (similarity: number, wordScore: number): number =>
    jointScore({ similarity, wordScore }, question, hasWords)
  const sure = candidates
    .filter(({ similarity }) => leastOf(similarity) >= scoreThreshold)
    .map(({ similarity, wordScore }) => scoreOf(leastOf(similarity), leastOf(wordScore)))
    .sort((one, other) => other - one)
  const least = sure[topN - 1] ?? Number.NEGATIVE_INFINITY
  return candidates
    .filter(({ similarity, wordScore }) => !('known' in similarity && 'known' in wordScore))
    .filter(({ similarity }) => mostOf(similarity) >= scoreThreshold)
    .map((candidate) => ({ candidate, most: scoreOf(mostOf(candidate.similarity), mostOf(candidate.wordScore)) }))
    .filter(({ most }) => most >= least)
    .sort((one, other) => other.most - one.most)
    .map(({ candidate }) => candidate)
}

function leastOf(part: Part): number {
  return 'known' in part ? part.known : 0
}

function mostOf(part: Part): number {
  return 'known' in part ? part.known : part.most
}

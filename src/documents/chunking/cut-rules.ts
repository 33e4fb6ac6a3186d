import { BOUNDARY, rateBoundary } from './boundaries.js'
import { rateCodeBoundary } from './code-boundaries.js'

/** The rules by which a kind of text is cut. */
export interface CutRules {
  /** Rates the boundary between a word that ends at `end` and the next one, which starts at `start`. */
  rate(text: string, end: number, start: number): number
  /** A chunk may end early for a better boundary, but not before this share of its size. The index is the boundary's rate. */
  readonly earliestCut: readonly number[]
  /**
   * A chunk may repeat less than the overlap for a better start, but not less than about this share of it. The index is the
   * rate of the best start so far.
   */
  readonly minOverlapShare: readonly number[]
}

/**
 * The shares keep a word and its comma together, if any better boundary exists. The repeated text lets a search find a
 * passage that a cut divides (Q1, chunks of 250 tokens: recall 0.91 with 0.9, and 0.88 with 0.75). A chunk may repeat less
 * if it would otherwise start inside a word: an address in a list of links has dozens of tokens.
 */
export const PROSE: CutRules = {
  rate: rateBoundary,
  earliestCut: [1, 0.75, 0.95, 0.92, 0.85, 0.75],
  minOverlapShare: [0.75, 0.9, 0.9, 0.9, 0.9, 0.9],
}

/** A line of code says something as a whole only: a chunk may be half as long for it, and repeat little. */
export const CODE: CutRules = {
  rate: rateCodeBoundary,
  earliestCut: [1, 0.75, 0.5, 0.5, 0.75, 0.6],
  minOverlapShare: [0.1, 0.1, 0.75, 0.75, 0.9, 0.9],
}

/** The least share of its size at which a chunk may end for the best boundary. */
export function leastCut({ earliestCut }: CutRules): number {
  return Math.min(...earliestCut.slice(BOUNDARY.word))
}

import type { ChunkKey, LexicalAnswer } from '../../ports/index.js'
import type { PromptPart } from '../prompt-parts.js'
import { clamp } from './near-chunks.js'
import type { WordsOfPart } from './words-of-part.js'

/**
 * Minimum value for the word maximum of a question: the maximum of one term that a third of the chunks have. Without
 * it, the only word of a question would decide the order even if every chunk has that word.
 */
export const MIN_WORD_MAXIMUM = 2.2

/**
 * @param maximum the BM25 that no chunk can exceed
 * @returns the share that a chunk has of it, 0 to 1
 */
export function wordShareOf(wordScore: number, maximum: number): number {
  return clamp(wordScore / Math.max(maximum, MIN_WORD_MAXIMUM))
}

/** The answer of the word index, with the words of the part that decides: they have the maximum. */
export interface WordSide extends WordsOfPart, Pick<LexicalAnswer, 'maximum'> {
  /** The parts of the prompt; none if it has only one. */
  readonly parts: readonly CoveredPart[]
  /** The score of a chunk is the best of theirs. */
  readonly scorers: readonly WordScorer[]
  /** The most by which the score of a found chunk may be too low. */
  readonly shortfall: number
  readonly found: readonly WordHit[]
  /** True if a larger limit would find no further chunks, or if the limit cannot grow. */
  readonly isComplete: boolean
  /** About the highest score by words that a chunk outside `found` can have. */
  readonly unseenWordScore: number
}

/** Computes scores of chunks by words, times a factor. */
interface WordScorer extends Pick<LexicalAnswer, 'scoresOf'> {
  readonly factor: number
}

/** A chunk that the word index found. */
export interface WordHit extends ChunkKey {
  /** BM25, above 0. */
  readonly wordScore: number
  /** Words of a question that found the chunk, beside the part of the prompt that decides. */
  readonly question?: WordsOfPart
}

/** A part of a prompt, as the words of a context cover it. */
export interface CoveredPart {
  readonly part: PromptPart
  /** BM25 of its best chunk. */
  readonly best: number
  /** The BM25 that no chunk can exceed. */
  readonly maximum: number
  /** True for the part that decides. Without such a part, the whole prompt decides. */
  readonly decides: boolean
}

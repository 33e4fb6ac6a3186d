import type { SimilarTerms } from '../../ports/index.js'
import type { PromptPart } from '../prompt-parts.js'

/** The words of a part of a prompt in a search. */
export interface WordsOfPart {
  readonly part: PromptPart
  /** The terms that counted as terms of the part. */
  readonly similar: ReadonlyMap<string, SimilarTerms>
  /** The inverse document frequency of each term of the part, times its weight. */
  readonly idfs: ReadonlyMap<string, number>
}

import { scan } from './scan.js'
import { stem } from './stem.js'

/**
 * The version of the rules that make terms. Every change of the terms of any text needs a new version. The engine then
 * indexes all words a second time: a question would miss the terms that another version made.
 */
export const ANALYZER_VERSION: number = 1

/** A term with its range in the text, in UTF-16 units. */
export interface Term {
  readonly term: string
  /** Offset of the first unit. */
  readonly start: number
  /** Offset after the last unit. */
  readonly end: number
}

/**
 * Finds the terms of a text, with their ranges.
 *
 * - Terms come in the order of their starts. Ranges may overlap: an identifier is a term, and so is each of its parts.
 * - A term has 1 to 256 UTF-16 units. It is well-formed and has no white space and no control characters. The term of a
 *   longer word is the start of the word.
 * - No term depends on text beyond the next white space. The terms of two texts joined by white space are the terms of
 *   the first, then the terms of the second.
 * - Equal texts have equal terms in every process and on every platform. The only exception are characters that the
 *   Unicode version of one platform does not have.
 * - Takes 0.1 ms for 1,000 characters. Callers pass a long text in parts: see `textParts`.
 */
export function analyze(text: string): Term[] {
  const terms: Term[] = []
  scan(text, (term, start, end, kind) => {
    terms.push({ term: stem(term, kind), start, end })
  })
  return terms
}

/** @returns the terms that {@link analyze} finds, without their ranges */
export function termsOf(text: string): string[] {
  const terms: string[] = []
  scan(text, (term, _start, _end, kind) => {
    terms.push(stem(term, kind))
  })
  return terms
}

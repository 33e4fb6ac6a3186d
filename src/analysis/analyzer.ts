/** A term, and where in the text it is, in UTF-16 units. */
export interface Term {
  readonly term: string
  readonly start: number
  readonly end: number
}

/** Any change of the terms that a text has needs another version: documents are indexed anew then. */
export const ANALYZER_VERSION: number = 1

/** The terms of a text, in order. */
export function analyze(text: string): Term[] {
  return Array.from(text.matchAll(/[\p{L}\p{M}\p{N}]+/gu), (match) => {
    return { term: match[0].normalize('NFKC').toLowerCase(), start: match.index, end: match.index + match[0].length }
  })
}

/** The terms of a text, in order, without their places. */
export function termsOf(text: string): string[] {
  return analyze(text).map(({ term }) => term)
}

/** The terms of a question, each with its weight. None for a question of punctuation. */
export function questionTerms(text: string): Map<string, number> {
  return new Map(termsOf(text).map((term) => [term, 1]))
}

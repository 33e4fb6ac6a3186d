/** The origin of a term. In a question, each kind has its own weight. */
export type TermKind = typeof WORD | typeof WHOLE | typeof JOINED | typeof PART | typeof GRAM | typeof SIGN

/** A word. */
export const WORD = 0

/** An identifier as a whole: "e4711" of "E-4711". */
export const WHOLE = 1

/** Words that a hyphen or an apostrophe joins, as one term: "email" of "e-mail". */
export const JOINED = 2

/** A part of an identifier: "4711" of "E-4711", "server" of "HTTPServer". */
export const PART = 3

/** One or two characters of a script without spaces. */
export const GRAM = 4

/** An emoji, or a sign of currency. */
export const SIGN = 5

/**
 * Receives the terms of a scan.
 *
 * @param term not stemmed yet
 * @param start offset of the term's range in the text, in UTF-16 units
 * @param end offset after the range
 */
export type Sink = (term: string, start: number, end: number, kind: TermKind) => void

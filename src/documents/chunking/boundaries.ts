/**
 * How good a place between two words is for a cut; the higher the better.
 * Chunks end and begin at the best place that their size allows.
 */
export const BOUNDARY = {
  /** Between two words that touch, such as a word and its comma. */
  inside: 0,
  /** White space, or between two Han characters. */
  word: 1,
  /** A line break. */
  line: 2,
  /** The end of a sentence. */
  sentence: 3,
  /** A blank line. */
  paragraph: 4,
  /** In front of a Markdown heading, or a page break. */
  heading: 5,
} as const

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const FORM_FEED = 0x0c
const NUMBER_SIGN = 0x23

/** Ends of sentences; the second group needs no white space behind it. */
const SPACED_TERMINALS: ReadonlySet<number> = new Set(Array.from('.!?…։؟۔।॥', (one) => one.charCodeAt(0)))
const UNSPACED_TERMINALS: ReadonlySet<number> = new Set(Array.from('。！？｡．', (one) => one.charCodeAt(0)))
const CLOSERS: ReadonlySet<number> = new Set(Array.from('"\')]}”’»›」』）】〉》*_', (one) => one.charCodeAt(0)))
/** More closers than that are a line of asterisks: looking through all of them again and again takes too long. */
const MAX_CLOSERS = 32
const LOWER_CASE = /\p{Ll}/u

/**
 * Rates the place between a word that ends at `end` and the next, at `start`.
 *
 * @param text the text both lie in
 * @param end UTF-16 offset just behind the word before
 * @param start UTF-16 offset of the word after; `end <= start`
 */
export function rateBoundary(text: string, end: number, start: number): number {
  let lineBreaks = 0
  for (let at = end; at < start; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === FORM_FEED) return BOUNDARY.heading
    if (unit === LINE_FEED || (unit === CARRIAGE_RETURN && text.charCodeAt(at + 1) !== LINE_FEED)) lineBreaks += 1
  }
  if (lineBreaks > 0 && text.charCodeAt(start) === NUMBER_SIGN) return BOUNDARY.heading
  if (lineBreaks > 1) return BOUNDARY.paragraph
  if (endsSentence(text, end, start)) return BOUNDARY.sentence
  if (lineBreaks === 1) return BOUNDARY.line
  if (end < start || isUnspaced(text.charCodeAt(start)) || isUnspaced(text.charCodeAt(end - 1))) return BOUNDARY.word
  return BOUNDARY.inside
}

function endsSentence(text: string, end: number, start: number): boolean {
  let last = end - 1
  // Most words end with a letter; the rest takes longer.
  if (isPlain(text.charCodeAt(last))) return false
  while (last > 0 && end - last <= MAX_CLOSERS && CLOSERS.has(text.charCodeAt(last))) last -= 1
  const terminal = text.charCodeAt(last)
  if (UNSPACED_TERMINALS.has(terminal)) return !CLOSERS.has(text.charCodeAt(start)) || end < start
  if (end === start || !SPACED_TERMINALS.has(terminal)) return false
  // "e.g. this": the sentence goes on.
  return !LOWER_CASE.test(text.charAt(start))
}

/** Letters and digits of ASCII. */
function isPlain(unit: number): boolean {
  const lowered = unit | 0x20
  return (lowered >= 0x61 && lowered <= 0x7a) || (unit >= 0x30 && unit <= 0x39)
}

/** Scripts that put no white space between words: Han and kana. */
function isUnspaced(unit: number): boolean {
  return unit >= 0x2e80 && unit <= 0x9fff
}

/** No writing comes near it: English has 5, and a table with wide columns 20. */
const CHARACTERS_PER_TOKEN = 64

/**
 * Most characters, in UTF-16 units, of a chunk or window of so many tokens. It is what ends a text
 * that has hardly any tokens: white space, and characters that the model drops.
 */
export function maxCharacters(tokens: number): number {
  return tokens * CHARACTERS_PER_TOKEN
}

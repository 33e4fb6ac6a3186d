/**
 * Rates of the boundaries between two words; a higher one is a better place for a cut. Chunks start and end at the best
 * boundary that their size allows.
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

/** Characters that end a sentence. The unspaced ones need no white space after them. */
const SPACED_TERMINALS: ReadonlySet<number> = new Set(Array.from('.!?…։؟۔।॥', (character) => character.charCodeAt(0)))
const UNSPACED_TERMINALS: ReadonlySet<number> = new Set(Array.from('。！？｡．', (character) => character.charCodeAt(0)))
const CLOSERS: ReadonlySet<number> = new Set(
  Array.from('"\')]}”’»›」』）】〉》*_', (character) => character.charCodeAt(0)),
)
/** A longer run of closers is a line of asterisks: to read all of it at each boundary takes too long. */
const MAX_CLOSERS = 32
const LOWER_CASE = /\p{Ll}/u

/**
 * Rates the boundary between a word that ends at `end` and the next word, which starts at `start`.
 *
 * @param text the text that contains both words
 * @param end UTF-16 offset just after the first word
 * @param start UTF-16 offset of the second word; `end <= start`
 */
export function rateBoundary(text: string, end: number, start: number): number {
  let lineBreaks = 0
  for (let offset = end; offset < start; offset += 1) {
    const unit = text.charCodeAt(offset)
    if (unit === FORM_FEED) return BOUNDARY.heading
    if (unit === LINE_FEED || (unit === CARRIAGE_RETURN && text.charCodeAt(offset + 1) !== LINE_FEED)) lineBreaks += 1
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
  // Fast path: most words end with a letter.
  if (isPlain(text.charCodeAt(last))) return false
  while (last > 0 && end - last <= MAX_CLOSERS && CLOSERS.has(text.charCodeAt(last))) last -= 1
  const terminal = text.charCodeAt(last)
  if (UNSPACED_TERMINALS.has(terminal)) return !CLOSERS.has(text.charCodeAt(start)) || end < start
  if (end === start || !SPACED_TERMINALS.has(terminal)) return false
  // "e.g. this": the sentence continues.
  return !LOWER_CASE.test(text.charAt(start))
}

/** True for letters and digits of ASCII. */
function isPlain(unit: number): boolean {
  const lowered = unit | 0x20
  return (lowered >= 0x61 && lowered <= 0x7a) || (unit >= 0x30 && unit <= 0x39)
}

/** True for Han and kana, which put no white space between words. */
function isUnspaced(unit: number): boolean {
  return unit >= 0x2e80 && unit <= 0x9fff
}

/** Far above any real text: English has 5, a table with wide columns 20. */
const CHARACTERS_PER_TOKEN = 64

/**
 * Most characters, in UTF-16 units, of a chunk or window with this limit of tokens. It limits text that has hardly any
 * tokens: white space, and characters that the model drops.
 */
export function maxCharacters(tokens: number): number {
  return tokens * CHARACTERS_PER_TOKEN
}

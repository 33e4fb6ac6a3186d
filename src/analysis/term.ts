/** The origin of a term. In a question, each kind has its own weight. */
export type TermKind =
  | typeof WORD
  | typeof WHOLE
  | typeof JOINED
  | typeof PART
  | typeof GRAM
  | typeof SIGN
  | typeof ASKING_GRAM

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

/** One or two syllables of a Korean word that turns a sentence into a question. */
export const ASKING_GRAM = 6

/**
 * Receives the terms of a scan.
 *
 * @param term not stemmed yet
 * @param start offset of the term's range in the text, in UTF-16 units
 * @param end offset after the range
 */
export type Sink = (term: string, start: number, end: number, kind: TermKind) => void

/** Stands in front of the first pair of a Korean word. No text has it within a word. */
export const START_MARK = '^'

/** Maximum length of a term in UTF-16 units. */
export const MAX_TERM_LENGTH = 256
/** Maximum length of a word to fold, in UTF-16 units: longer than a term, because folding removes marks. */
const MAX_FOLDED_LENGTH = 4 * MAX_TERM_LENGTH

const NOT_ASCII = /[^\x00-\x7f]/
/**
 * Characters that folding removes:
 *
 * - marks for accents, tones and vowels that writers may leave out, in Latin, Greek, Cyrillic, Arabic, Hebrew and
 *   Syriac,
 * - characters without a form of their own.
 *
 * Marks of other scripts are letters.
 */
const DROPPED =
  /[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u093c\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f\u180b-\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}\p{Cf}\p{Cc}\p{Cs}\s().,\u00b7]/gu
/** Letters that Unicode does not decompose, and letters that writers use in place of each other. */
const REPLACED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
  ŋ: 'n',
  ĸ: 'k',
  ς: 'σ',
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
  ة: 'ه',
  ٱ: 'ا',
  '\u2044': '/',
  '\u2215': '/',
  '\u0e4d\u0e32': '\u0e33',
  '\u0ecd\u0eb2': '\u0eb3',
}
const REPLACEABLE = new RegExp(Object.keys(REPLACED).join('|'), 'g')
const DECIMAL_DIGIT = /\p{Nd}/u
const FOREIGN_DIGIT = /[^\P{Nd}0-9]/gu

/**
 * Converts a word to the form in which words are compared: without compatibility forms and accents, in lower case, with
 * decimal digits of every script as 0 to 9. Idempotent.
 *
 * @returns the folded word, which may be empty
 */
export function fold(word: string): string {
  if (!NOT_ASCII.test(word)) return word.toLowerCase()
  return word
    .normalize('NFKD')
    .toLowerCase()
    .replace(DROPPED, '')
    .replace(REPLACEABLE, (letter) => REPLACED[letter] ?? letter)
    .replace(FOREIGN_DIGIT, asciiDigit)
    .normalize('NFC')
}

const digitValues = new Map<string, string>()

/** Unicode has decimal digits in sequences of ten, so the value is the number of digits before this one, modulo 10. */
function asciiDigit(digit: string): string {
  const known = digitValues.get(digit)
  if (known !== undefined) return known
  const codePoint = digit.codePointAt(0) ?? 0
  let before = 0
  while (DECIMAL_DIGIT.test(String.fromCodePoint(codePoint - before - 1))) before++
  const value = String(before % 10)
  digitValues.set(digit, value)
  return value
}

/** Folds a range of a text and truncates the result to the length of a term. @returns the term, which may be empty */
export function foldedTerm(text: string, start: number, end: number): string {
  return truncate(fold(text.slice(start, Math.min(end, start + MAX_FOLDED_LENGTH))))
}

/** The term of a range of ASCII letters. It is not stemmed yet. */
export function plainTerm(text: string, start: number, end: number): string {
  return truncate(text.slice(start, end).toLowerCase())
}

/** @returns at most {@link MAX_TERM_LENGTH} units of a term; never ends with half a surrogate pair */
export function truncate(term: string): string {
  if (term.length <= MAX_TERM_LENGTH) return term
  const isSplit = (term.charCodeAt(MAX_TERM_LENGTH - 1) & 0xfc00) === 0xd800
  return term.slice(0, isSplit ? MAX_TERM_LENGTH - 1 : MAX_TERM_LENGTH)
}

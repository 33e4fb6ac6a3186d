import { isControl, isMark } from './later-characters.js'

/**
 * The classes of code points that BERT's normaliser and pre-tokeniser distinguish.
 *
 * Source: `BertNormalizer` and `BertPreTokenizer` of Hugging Face tokenizers. Control characters are dropped, and Han
 * characters are words of their own. Text is decomposed (NFD), non-spacing marks are dropped, and the rest is
 * lower-cased. Punctuation is a word of its own, and white space separates words.
 */
export const CODE_POINT_CLASS = {
  /** A part of a word. It may normalise to nothing. */
  word: 1,
  /** A separator of words. */
  space: 2,
  /** A word of its own: punctuation and Han characters. */
  alone: 3,
} as const

export type CodePointClass = (typeof CODE_POINT_CLASS)[keyof typeof CODE_POINT_CLASS]

/** The options of a BERT tokenizer that change the result for a code point. */
export interface NormalizerOptions {
  readonly lowercase: boolean
  readonly stripAccents: boolean
  readonly handleChineseChars: boolean
  readonly cleanText: boolean
}

const WHITE_SPACE = /\p{White_Space}/u
const PUNCTUATION = /[!-/:-@[-`{-~\p{P}]/u

/** Han characters as BERT's reference code lists them; both ends are inclusive. */
const HAN_RANGES: readonly (readonly [number, number])[] = [
  [0x4e00, 0x9fff],
  [0x3400, 0x4dbf],
  [0x20000, 0x2a6df],
  [0x2a700, 0x2b73f],
  [0x2b740, 0x2b81f],
  [0x2b920, 0x2ceaf],
  [0xf900, 0xfaff],
  [0x2f800, 0x2fa1f],
]

/** Returns the class of a code point: part of a word, separator, or word of its own. */
export function classify(codePoint: number, options: NormalizerOptions): CodePointClass {
  const character = String.fromCodePoint(codePoint)
  if (options.cleanText && isDropped(character)) return CODE_POINT_CLASS.word
  if (WHITE_SPACE.test(character)) return CODE_POINT_CLASS.space
  if (options.handleChineseChars && isHan(codePoint)) return CODE_POINT_CLASS.alone
  const normalized = normalize(character, options)
  return normalized !== '' && PUNCTUATION.test(normalized) ? CODE_POINT_CLASS.alone : CODE_POINT_CLASS.word
}

/** Normalises one code point that is not white space; the result may be empty. */
export function normalize(character: string, options: NormalizerOptions): string {
  if (options.cleanText && isDropped(character)) return ''
  let text = character
  if (options.stripAccents)
    text = Array.from(text.normalize('NFD'))
      .filter((part) => !isMark(part))
      .join('')
  if (!options.lowercase) return text
  let lowered = ''
  // Lower-cased one by one: the lower case of a whole word would turn a final Σ into ς.
  for (const part of text) lowered += part.toLowerCase()
  return lowered
}

function isHan(codePoint: number): boolean {
  return HAN_RANGES.some(([first, last]) => codePoint >= first && codePoint <= last)
}

function isDropped(character: string): boolean {
  if (character === '\t' || character === '\n' || character === '\r') return false
  return character === '\0' || character === '\uFFFD' || isControl(character)
}

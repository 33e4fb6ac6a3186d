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

type CodePointClass = (typeof CODE_POINT_CLASS)[keyof typeof CODE_POINT_CLASS]

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

/**
 * The characters that Unicode has added or changed since version 8, which the reference tokenizer uses. For the
 * reference and for the model they are unknown letters, not marks or control characters. With this list, tokens do not
 * depend on Node's version of Unicode.
 *
 * Source: every code point, compared with Hugging Face tokenizers.
 */
const LATER =
  '7fd 890-891 897-89f 8ca-8e2 9fe afa-aff b55 c04 c3c d00 d3b-d3c d81 eba ece 180f 1885-1886 1abf-1add ' +
  '1ae0-1aeb 1df6-1dfb a82c a8c5 a8ff a9bd 10d24-10d27 10d69-10d6d 10eab-10eac 10efa-10eff 10f46-10f50 ' +
  '10f82-10f85 11070 11073-11074 110c2 110cd 111c9 111cf 1123e 11241 1133b 113bb-113c0 113ce 113d0 ' +
  '113d2 113e1-113e2 11438-1143f 11442-11444 11446 1145e 1182f-11837 11839-1183a 1193b-1193c 1193e ' +
  '11943 119d4-119d7 119da-119db 119e0 11a01-11a0a 11a33-11a38 11a3b-11a3e 11a47 11a51-11a56 ' +
  '11a59-11a5b 11a8a-11a96 11a98-11a99 11b60 11b62-11b64 11b66 11c30-11c36 11c38-11c3d 11c3f ' +
  '11c92-11ca7 11caa-11cb0 11cb2-11cb3 11cb5-11cb6 11d31-11d36 11d3a 11d3c-11d3d 11d3f-11d45 11d47 ' +
  '11d90-11d91 11d95 11d97 11ef3-11ef4 11f00-11f01 11f36-11f3a 11f40 11f42 11f5a 13430-13440 ' +
  '13447-13455 1611e-16129 1612d-1612f 16f4f 16fe4 1cf00-1cf2d 1cf30-1cf46 1e000-1e006 1e008-1e018 ' +
  '1e01b-1e021 1e023-1e024 1e026-1e02a 1e08f 1e130-1e136 1e2ae 1e2ec-1e2ef 1e4ec-1e4ef 1e5ee-1e5ef ' +
  '1e6e3 1e6e6 1e6ee-1e6ef 1e6f5 1e944-1e94a'

const LATER_RANGES: readonly (readonly [number, number])[] = LATER.split(' ').map((range) => {
  const [first = '', last = first] = range.split('-')
  return [Number.parseInt(first, 16), Number.parseInt(last, 16)]
})

/** Marks for the reference that Unicode no longer defines as marks. */
const FORMER_MARKS: ReadonlySet<number> = new Set([0x1734, 0x1171e])

const MARK = /\p{Mn}/u
const CONTROL = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u

/** True if a character is a non-spacing mark for the reference. */
function isMark(character: string): boolean {
  const codePoint = character.codePointAt(0) ?? 0
  return FORMER_MARKS.has(codePoint) || (MARK.test(character) && !isLater(codePoint))
}

/** True if a character is a control character for the reference. */
function isControl(character: string): boolean {
  return CONTROL.test(character) && !isLater(character.codePointAt(0) ?? 0)
}

function isLater(codePoint: number): boolean {
  return LATER_RANGES.some(([first, last]) => codePoint >= first && codePoint <= last)
}

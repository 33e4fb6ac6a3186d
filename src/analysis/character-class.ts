/** A character that ends a word, such as white space. This and the next constants are the classes of characters. */
export const BREAK = 0
export const LETTER = 1
export const DIGIT = 2
/** Punctuation that joins the parts of an identifier. */
export const JOINER = 3
/** A character without a form of its own: soft hyphens, marks of direction, variation selectors. */
export const IGNORED = 4
/** A symbol that is a term by itself: emoji, signs of currency. */
export const PICTURE = 5
/** Hangul: its words have endings attached. */
export const HANGUL = 6
/**
 * This class and all that follow are scripts without spaces between words. Scripts that occur together in one text
 * share a class.
 */
export const IDEOGRAPH = 7
const THAI = 8
const LAO = 9
export const KHMER = 10
export const BURMESE = 11
const OTHER_UNSPACED = 12

/** The class is not computed yet. */
const UNKNOWN = 255

const UNSPACED: readonly (readonly [RegExp, number])[] = [
  [/\p{scx=Hang}/u, HANGUL],
  [/[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{sc=Yiii}\p{sc=Tang}\p{sc=Nshu}]/u, IDEOGRAPH],
  [/\p{sc=Thai}/u, THAI],
  [/\p{sc=Laoo}/u, LAO],
  [/\p{sc=Khmr}/u, KHMER],
  [/\p{sc=Mymr}/u, BURMESE],
  [/[\p{sc=Java}\p{sc=Bali}\p{sc=Lana}\p{sc=Talu}\p{sc=Tale}\p{sc=Tavt}]/u, OTHER_UNSPACED],
]
const WORD_CHARACTER = /[\p{L}\p{M}\p{N}]/u
const DECIMAL_DIGIT = /\p{Nd}/u
const WITHOUT_FORM = /[\p{Cf}\u034f\u180b-\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u
const PICTORIAL = /[\p{Sc}\p{Extended_Pictographic}]/u
/** Squares of Japanese units, such as "㎏": their Unicode category is symbol, but people use them as words. */
const SQUARED = /[\u3371-\u33df]/
/** Pictorial characters without a meaning for the text: © ® ™, geometric shapes as bullets, punctuation such as ‼. */
const ORNAMENT = /[\p{P}\u00a9\u00ae\u2122\u2500-\u25ff]/u
/**
 * The zero-width space, which separates words in Thai and Khmer, and the byte-order mark. Their Unicode category is
 * format, but people use them as spaces.
 */
const SPACE_LIKE = /[\u200b\ufeff]/
/**
 * Apostrophes, hyphens, the dot of Catalan, the quotation marks of Hebrew abbreviations, and other signs of
 * identifiers. The loop below adds the full-width forms.
 */
const JOINERS = "-._'/\\@:&+#,\u2018\u2019\u2010\u2011\u00b7\u05f3\u05f4"

const classes = new Uint8Array(0x10000).fill(UNKNOWN)
for (let unit = 0; unit < 0x80; unit++) {
  const isLetter = (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a)
  classes[unit] = unit >= 0x30 && unit <= 0x39 ? DIGIT : isLetter ? LETTER : BREAK
}
for (const joiner of JOINERS) {
  const unit = joiner.charCodeAt(0)
  classes[unit] = JOINER
  if (unit < 0x80) classes[unit + 0xfee0] = JOINER
}

/** @returns the class of the character at an index of a text; `BREAK` for a surrogate without its other half */
export function classAt(text: string, index: number): number {
  const unit = text.charCodeAt(index)
  const known = classes[unit] ?? BREAK
  if (known !== UNKNOWN) return known
  const codePoint = text.codePointAt(index) ?? 0
  const found = classify(String.fromCodePoint(codePoint))
  if (codePoint < 0x10000 && (unit & 0xf800) !== 0xd800) classes[unit] = found
  return found
}

function classify(character: string): number {
  if (SPACE_LIKE.test(character)) return BREAK
  if (WITHOUT_FORM.test(character)) return IGNORED
  if (SQUARED.test(character)) return LETTER
  if (WORD_CHARACTER.test(character)) {
    if (DECIMAL_DIGIT.test(character)) return DIGIT
    return UNSPACED.find(([script]) => script.test(character))?.[1] ?? LETTER
  }
  return PICTORIAL.test(character) && !ORNAMENT.test(character) ? PICTURE : BREAK
}

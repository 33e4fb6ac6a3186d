/**
 * Scripts whose letters do stand beside Latin letters in one word, at least in formulas and names. The last ones have no
 * blanks between words.
 */
const USUAL =
  'Latin Greek Cyrillic Han Hiragana Katakana Hangul Bopomofo Common Inherited Thai Lao Khmer Myanmar Tibetan'
    .split(' ')
    .map((script) => `\\p{Script=${script}}`)
    .join('')
const FOREIGN = `(?:(?![${USUAL}])[\\p{L}\\p{M}\\p{N}])`
const ANY_FOREIGN = new RegExp(FOREIGN, 'u')
const ALL_FOREIGN = new RegExp(FOREIGN, 'gu')
/** One or two such letters beside a Latin one. More are a word of their own, to which a name is joined. */
const MIXED = new RegExp(
  `\\p{Script=Latin}\\p{M}*${FOREIGN}{1,2}(?!${FOREIGN})|(?<!${FOREIGN})${FOREIGN}{1,2}\\p{Script=Latin}`,
  'u',
)
/** Fewer words prove nothing. */
const LEAST_MIXED = 5
/** The least share of mixed words among all words of the page, and among those with a letter of such a script. */
const [SHARE_OF_WORDS, SHARE_OF_FOREIGN] = [0.02, 0.3]

/**
 * Replaces letters that a font numbers without saying their Unicode. PDF.js then takes the number for the character, so
 * that a `u` becomes an Armenian letter within a French word. If many words mix Latin with such a script, the characters
 * of the script become U+FFFD.
 */
export function withoutStrayLetters(text: string): string {
  if (!ANY_FOREIGN.test(text)) return text
  let [words, foreign, mixed] = [0, 0, 0]
  for (const [word] of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    words += 1
    if (!ANY_FOREIGN.test(word)) continue
    foreign += 1
    if (MIXED.test(word)) mixed += 1
  }
  const isStray = mixed >= LEAST_MIXED && mixed >= words * SHARE_OF_WORDS && mixed >= foreign * SHARE_OF_FOREIGN
  return isStray ? text.replace(ALL_FOREIGN, '\uFFFD') : text
}

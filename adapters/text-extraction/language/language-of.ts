import { francAll } from 'franc'

/**
 * The languages that are told apart, as ISO 639-3 codes: those that models are asked about, and their neighbours. So a
 * text in a neighbour is not taken for one of them. Rare languages would win in code and tables.
 */
const LANGUAGES = (
  'ara arb ben bel bul cat ces cmn dan deu ekk ell eng fin fra heb hin hrv hun ind ita jpn kor lit lvs mar nld nno nob ' +
  'npi pes pol por ron rus slk slv spa srp swe tam tha tur ukr urd vie'
).split(' ')

/** A language that has its script alone. */
const OF_SCRIPT: Rule = { letters: 40, prose: 0.6, margin: 0 }
const IN_LATIN: Rule = { letters: 100, prose: 0.9, margin: 0.014 }
const IN_OTHERS: Rule = { letters: 100, prose: 0.86, margin: 0.005 }
/** The language in which nouns have capital letters. */
const WITH_CAPITALS = 'deu'
/** Share of words with a capital letter above which a text is a list of names. */
const MOST_CAPITALS = 0.8
/** `franc` reads no more of a text. */
const MOST_CHARACTERS = 2_000
/** Share of the parts of a text that must be in its language. */
const AGREEING_PARTS = 0.6

/** The minimum for a text whose language is sure. `docs/explanation/search.md` has what they give on texts of all kinds. */
interface Rule {
  readonly letters: number
  /** Share of letters and spaces: code, tables of numbers and lists of parts have less. */
  readonly prose: number
  /** Distance of the language to the next one, on the scale of 0 to 1 of `franc`. */
  readonly margin: number
}

/**
 * Detects the language of a text.
 *
 * @param parts parts of the text, some hundred characters each
 * @returns its ISO 639-1 code; `undefined` if it is not sure, as for code, tables, lists of names and texts in several languages
 */
export function languageOf(parts: readonly string[]): string | undefined {
  const text = parts.map((part) => part.slice(0, Math.floor(MOST_CHARACTERS / parts.length))).join('\n')
  const [[first, score] = ['und', 0], second] = francAll(text, { only: LANGUAGES })
  if (first === 'und') return undefined
  const isInLatin = isLatin(text)
  if (isInLatin && first !== WITH_CAPITALS && isListOfNames(text)) return undefined
  const rule = second === undefined ? OF_SCRIPT : isInLatin ? IN_LATIN : IN_OTHERS
  const letters = countOf(text, /[\p{L}\p{M}]/gu)
  const spaces = countOf(text, /\s+/gu)
  const prose = (letters + spaces) / text.replaceAll(/\s+/gu, ' ').length
  if (letters < rule.letters || prose < rule.prose || score - (second?.[1] ?? 0) < rule.margin) return undefined
  const agreeing = parts.filter((part) => francAll(part, { only: LANGUAGES })[0]?.[0] === first)
  if (agreeing.length < parts.length * AGREEING_PARTS) return undefined
  return Intl.getCanonicalLocales(first)[0]
}

function isListOfNames(text: string): boolean {
  const words = countOf(text, /\p{L}[\p{L}\p{M}]*/gu)
  return countOf(text, /(?<![\p{L}\p{M}])\p{Lu}/gu) > words * MOST_CAPITALS
}

function isLatin(text: string): boolean {
  return countOf(text, /\p{Script=Latin}/gu) * 2 > countOf(text, /\p{L}/gu)
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

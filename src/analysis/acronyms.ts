import { questionTerms, questionWords, termsOf } from './analyzer.js'

/** A short form with the words that a text says it stands for, all in the form of terms. */
export interface Definition {
  readonly acronym: string
  /** Two or more. */
  readonly words: readonly string[]
}

/** The most characters before and in parentheses that a definition may have. */
const [MAX_BEFORE, MAX_INSIDE] = [160, 120]
/** The same of an acronym before parentheses, with white space around it. */
const MAX_SHORT = 13
/** Ends a sentence or a line: the words of a definition do not reach beyond. */
const ENDS = /[()\n]/
/** Two to ten letters and digits, of which at least two are capitals. */
const ACRONYM = /^(?=(?:[^\p{Lu}]*\p{Lu}){2})\p{L}[\p{L}\p{N}&.-]{1,9}$/u
const LAST_WORD = /(?<![\p{L}\p{N}&.-])[\p{L}\p{N}&.-]+\s*$/u
const NOT_IN_WORDS = /[^\p{L}\p{M}\p{N}]+/gu
/** Longest definition in words. */
const MAX_WORDS = 10
/** Longest word that an acronym may leave out. */
const MAX_SMALL_WORD = 3

/**
 * Finds the acronyms that a text explains: "return merchandise authorisation (RMA)" and "RMA (return merchandise
 * authorisation)". Each letter of the acronym is in the words, in its order, and its first letter begins the first word.
 * After Schwartz and Hearst 2003, "A Simple Algorithm for Identifying Abbreviation Definitions in Biomedical Text".
 */
export function definitionsIn(text: string): Definition[] {
  const found = new Map<string, Definition>()
  for (let open = text.indexOf('('); open >= 0; open = text.indexOf('(', open + 1)) {
    const close = text.indexOf(')', open)
    if (close < 0) break
    if (close - open > MAX_INSIDE) continue
    const inside = text.slice(open + 1, close).trim()
    const isShortInside = ACRONYM.test(inside)
    const last = isShortInside ? '' : (LAST_WORD.exec(text.slice(Math.max(0, open - MAX_SHORT), open))?.[0] ?? '')
    if ((!isShortInside && !ACRONYM.test(last.trim())) || ENDS.test(inside)) continue
    const before =
      text
        .slice(Math.max(0, open - MAX_BEFORE), open)
        .split(ENDS)
        .at(-1) ?? ''
    const definition = isShortInside ? define(inside, lastWordsOf(before)) : define(last, wordsOf(inside), true)
    if (definition !== undefined) found.set(`${definition.acronym} ${definition.words.join(' ')}`, definition)
  }
  return [...found.values()]
}

/** @returns the words of a text in its order, each as one term */
function wordsOf(text: string): string[] {
  return text
    .replace(NOT_IN_WORDS, ' ')
    .split(' ')
    .flatMap((word) => termsOf(word)[0] ?? [])
}

function lastWordsOf(text: string): string[] {
  return wordsOf(
    text
      .split(NOT_IN_WORDS)
      .slice(-MAX_WORDS - 1)
      .join(' '),
  )
}

/** @param isWhole true if all of the words must be the definition; otherwise their end is */
function define(acronym: string, words: readonly string[], isWhole: boolean = false): Definition | undefined {
  const short = wordsOf(acronym.replace(NOT_IN_WORDS, '')).join('')
  const letters = short.replace(/\p{N}/gu, '')
  if (letters.length < 2) return undefined
  const most = Math.min(MAX_WORDS, letters.length + 5, letters.length * 2, words.length)
  const counts = Array.from({ length: Math.max(0, most - 1) }, (_, at) => at + 2)
  const candidates = (isWhole ? counts.filter((count) => count === words.length) : counts).map((count) =>
    words.slice(words.length - count),
  )
  const long =
    candidates.find((candidate) => hasInitials(letters, candidate)) ??
    candidates.find((candidate) => hasLetters(letters, candidate))
  return long && { acronym: short, words: long }
}

/** True if the letters begin the words, of which small ones, such as "of", may be left out. */
function hasInitials(letters: string, words: readonly string[]): boolean {
  const initials = (kept: readonly string[]): string => kept.map((word) => word[0] ?? '').join('')
  const [first = '', ...others] = words
  return [words, [first, ...others.filter((word) => word.length > MAX_SMALL_WORD)]].some(
    (kept) => initials(kept) === letters,
  )
}

/** True if the words have the letters in their order, the first one at the first word's beginning, one in the last word. */
function hasLetters(letters: string, words: readonly string[]): boolean {
  const [text, last] = [words.join(' '), words.at(-1) ?? '']
  if (!text.startsWith(letters[0] ?? '') || !last.includes(letters.at(-1) ?? '')) return false
  let at = text.length
  for (const letter of Array.from(letters).reverse()) {
    at = text.lastIndexOf(letter, at - 1)
    if (at < 0) return false
  }
  return true
}

/** Signs between the parts of the terms of definitions. No text gives a term with them. */
const [SHORT, LONG] = ['\u2192', '\u2190']

const MAX_TERM_LENGTH = 256

/** @returns two terms that an index keeps with the chunk that has the definition: by them it is found from both sides */
export function definitionTerms({ acronym, words }: Definition): string[] {
  const [short, long] = [
    `${SHORT}${acronym}${SHORT}${words.join(SHORT)}`,
    `${LONG}${words.join(LONG)}${LONG}${acronym}`,
  ]
  return [short, long].every((term) => term.length <= MAX_TERM_LENGTH) ? [short, long] : []
}

/** Most words of a prompt that are looked up, and the longest of them that may be an acronym. */
const [MAX_LOOKED_UP, MAX_ACRONYM_LENGTH] = [64, 10]
const CAPITALS = /^[^\p{Ll}]*\p{Lu}[^\p{Ll}]*\p{Lu}[^\p{Ll}]*$/u

/**
 * @returns the beginnings of the terms of all definitions that a prompt may use. A word of questions, such as "who", is an
 *   acronym only in capitals
 */
export function definitionPrefixes(prompt: string): string[] {
  const ofQuestions = questionWords(prompt)
  const words = wordsOf(prompt).slice(0, MAX_LOOKED_UP)
  const capitals = new Set(
    prompt
      .split(NOT_IN_WORDS)
      .filter((word) => CAPITALS.test(word))
      .flatMap(wordsOf),
  )
  const short = words.filter(
    (word) => word.length >= 2 && word.length <= MAX_ACRONYM_LENGTH && (!ofQuestions.has(word) || capitals.has(word)),
  )
  const long = words.slice(1).map((word, at) => `${LONG}${words[at] ?? ''}${LONG}${word}`)
  return [...new Set([...short.map((word) => `${SHORT}${word}${SHORT}`), ...long])]
}

/**
 * Reads the terms of definitions that begin with {@link definitionPrefixes}.
 * @returns weighted terms that count for the prompt as well: the words of its acronyms, and the acronyms of its words
 */
export function definedTerms(terms: readonly string[], prompt: string): Map<string, number> {
  const text = ` ${wordsOf(prompt).join(' ')} `
  const added = new Map<string, number>()
  for (const term of terms) {
    const isShort = term.startsWith(SHORT)
    if (!isShort && !term.startsWith(LONG)) continue
    const parts = term.slice(1).split(isShort ? SHORT : LONG)
    if (!isShort) {
      const acronym = parts.pop() ?? ''
      if (text.includes(` ${parts.join(' ')} `)) added.set(acronym, 1)
      continue
    }
    const words = questionTerms(parts.slice(1).join(' '))
    // Together the words count as one.
    for (const [word, weight] of words) added.set(word, Math.max(added.get(word) ?? 0, weight / words.size))
  }
  return added
}

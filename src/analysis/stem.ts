import { englishStem } from './english-stem.js'
import { JOINED, PART, type TermKind, WORD } from './sink.js'

const ASCII_LETTERS = /^[a-z]+$/
/** Longer strings may be views of the text that they were cut from: to keep one would keep that. */
const LONGEST_REMEMBERED = 12
const MOST_REMEMBERED = 20000

const stems = new Map<string, string>()

/** The stem of a word of ASCII letters, or of such words joined, "on-line"; any other term as it is. Words of other languages lose little: an s, an e. */
export function stemmed(term: string, kind: TermKind): string {
  if (kind !== WORD && kind !== PART && kind !== JOINED) return term
  // Numbers are many, and each is another one.
  if (!isLowerLetter(term.charCodeAt(0))) return term
  if (term.length > LONGEST_REMEMBERED) return ASCII_LETTERS.test(term) ? englishStem(term) : term
  const known = stems.get(term)
  if (known !== undefined) return known
  if (stems.size === MOST_REMEMBERED) stems.clear()
  const stem = ASCII_LETTERS.test(term) ? englishStem(term) : term
  stems.set(term, stem)
  return stem
}

function isLowerLetter(unit: number): boolean {
  return unit >= 0x61 && unit <= 0x7a
}

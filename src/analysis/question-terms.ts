import { QUESTION_WORDS } from './question-words.js'
import { scan } from './scan.js'
import { GRAM, JOINED, PART, SIGN, type TermKind, WHOLE, WORD } from './sink.js'
import { stemmed } from './stem.js'

/**
 * What an occurrence of a term in a question weighs. Who asks for an identifier means it. Parts weigh less, so that what has the
 * identifier comes before what has its parts often.
 */
const WEIGHTS: Readonly<Record<TermKind, number>> = {
  [WORD]: 1,
  [WHOLE]: 4,
  [JOINED]: 0.5,
  [PART]: 0.4,
  [GRAM]: 1,
  [SIGN]: 1,
}
/** What one of {@link QUESTION_WORDS} weighs: measured, 0.1 to 0.3 are about equal. */
const QUESTION_WORD_WEIGHT = 0.2

/**
 * The terms of a question, each with its weight, above 0. They are among those that `termsOf` finds for the same text.
 * A term that the question has twice weighs twice. A question without words, such as one of punctuation, has none.
 */
export function questionTerms(text: string): Map<string, number> {
  const weights = new Map<string, number>()
  scan(text, (term, _start, _end, kind) => {
    // "e" of "E-4711" says nothing.
    if (kind === PART && term.length === 1) return
    const weight = kind === WORD && QUESTION_WORDS.has(term) ? QUESTION_WORD_WEIGHT : WEIGHTS[kind]
    const key = stemmed(term, kind)
    weights.set(key, (weights.get(key) ?? 0) + weight)
  })
  return weights
}

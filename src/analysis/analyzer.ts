import { classAt, HANGUL } from './character-class.js'
import { scan } from './scan.js'
import { ASKING_GRAM, GRAM, JOINED, PART, SIGN, START_MARK, type TermKind, WHOLE, WORD } from './term.js'

/**
 * The version of the rules that make terms. Every change of the terms of any text needs a new version. The engine then
 * indexes all words a second time: a question would miss the terms that another version made.
 */
export const ANALYZER_VERSION: number = 1

/** A term with its range in the text, in UTF-16 units. */
export interface Term {
  readonly term: string
  /** Offset of the first unit. */
  readonly start: number
  /** Offset after the last unit. */
  readonly end: number
}

/**
 * Finds the terms of a text, with their ranges.
 *
 * - Terms come in the order of their starts. Ranges may overlap: an identifier is a term, and so is each of its parts.
 * - A term has 1 to 256 UTF-16 units. It is well-formed and has no white space and no control characters. The term of a
 *   longer word is the start of the word.
 * - No term depends on text beyond the next white space. The terms of two texts joined by white space are the terms of
 *   the first, then the terms of the second.
 * - Equal texts have equal terms in every process and on every platform. The only exception are characters that the
 *   Unicode version of one platform does not have.
 * - Takes 0.1 ms for 1,000 characters. Callers pass a long text in parts: see `textParts`.
 */
export function analyze(text: string): Term[] {
  const terms: Term[] = []
  scan(text, (term, start, end) => {
    terms.push({ term, start, end })
  })
  return terms
}

/** @returns the terms that {@link analyze} finds, without their ranges */
export function termsOf(text: string): string[] {
  const terms: string[] = []
  scan(text, (term) => {
    terms.push(term)
  })
  return terms
}

/** The weight of one of {@link QUESTION_WORDS}. In measurements, 0.1 to 0.3 are about equal. */
const QUESTION_WORD_WEIGHT = 0.2
/**
 * The weight of one occurrence of a term in a question. An identifier weighs most: a question with an identifier is
 * about it. Its parts weigh less, so that chunks with the identifier rank before chunks that have its parts often.
 */
const WEIGHTS: Readonly<Record<TermKind, number>> = {
  [WORD]: 1,
  [WHOLE]: 4,
  [JOINED]: 0.5,
  [PART]: 0.4,
  [GRAM]: 1,
  [SIGN]: 1,
  [ASKING_GRAM]: QUESTION_WORD_WEIGHT,
}

/**
 * Finds the terms of a question with their weights, above 0. All of them are also terms that `termsOf` finds in the
 * same text. A term that the question has twice gets twice the weight.
 *
 * @returns an empty map for a question without words, such as one of punctuation only
 */
export function questionTerms(text: string): Map<string, number> {
  const weights = new Map<string, number>()
  scan(text, (term, _start, _end, kind) => {
    // A part of one unit, such as "e" of "E-4711", has no meaning.
    if (kind === PART && term.length === 1) return
    const weight = kind === WORD && QUESTION_WORDS.has(term) ? QUESTION_WORD_WEIGHT : WEIGHTS[kind]
    weights.set(term, (weights.get(term) ?? 0) + weight)
  })
  return weights
}

/** True for a term of one or two characters of a script without spaces, or of Korean. */
export function isGram(term: string): boolean {
  return term.startsWith(START_MARK) || classAt(term, 0) >= HANGUL
}

/** @returns the words of a question that may be inflected or mistyped: no identifiers, and none of the commonest words */
export function inflectedWords(text: string): Set<string> {
  const words = new Set<string>()
  scan(text, (term, _start, _end, kind) => {
    if ((kind === WORD || kind === JOINED) && !QUESTION_WORDS.has(term)) words.add(term)
  })
  return words
}

/** @returns the terms of a question that only turn a sentence into a question, such as "how" or "the" */
export function questionWords(text: string): Set<string> {
  const terms = new Set<string>()
  scan(text, (term, _start, _end, kind) => {
    if (kind === ASKING_GRAM || (kind === WORD && QUESTION_WORDS.has(term))) terms.add(term)
  })
  return terms
}

/**
 * Words that turn a sentence into a question, folded. Documents seldom have them, so that they would otherwise weigh
 * more than the subject of the question. The list has no word with a meaning in another of these languages: not "war",
 * "hat", "care" or "comment". It also has the commonest English words: a question has more of them than the passage
 * that answers it.
 */
const QUESTION_WORDS: ReadonlySet<string> = new Set(
  [
    'what which how who whom whose when where why',
    'is are was were be been do does did can could would should will has have had',
    'a an the of in on at to for from by with and or as that this it its',
    // German
    'welche welcher welches welchen welchem wer wen wem wessen wie wann wo warum wieso wieviel viele',
    'ist sind waren wurde wurden haben hatte hatten wird werden',
    // Spanish, Portuguese, Italian, French, Romanian
    'que cual cuales quien quienes como cuando donde cuanto cuanta cuantos cuantas fue fueron',
    'qual quais quem quando onde quanto quanta quantos quantas',
    'quale quali perche dove quanti quante',
    'quel quelle quels quelles qui quoi pourquoi combien',
    'cine cand unde cata cati cate este sunt',
    // Turkish, Vietnamese
    'nedir kimdir nasil nerede nereye hangi hangisi kac neden nicin',
    'gi nao dau bao nhieu khi',
    // Russian, Greek
    'что какои какая какое какие каких каком какую каким кто кого кому как когда где куда почему зачем сколько чем чеи',
    'был была было были',
    'τι ποιοσ ποια ποιο ποιοι ποιεσ ποιον πωσ ποτε που γιατι ποσο ποσοι ποσεσ ποσα ειναι ηταν',
    // Arabic, Hindi
    'ما ماذا من متي اين كيف كم لماذا هل اي هو هي كان كانت',
    'क्या कौन कौनसा किस किसने किसे कब कहां कहाँ क्यों कैसे कितने कितनी कितना है हैं था थे थी',
  ].flatMap((words) => words.split(' ')),
)

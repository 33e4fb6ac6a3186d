import type { Term } from '../analysis/index.js'
import type { LexicalQuery } from '../ports/index.js'
import type { PromptTerms } from './prompt-terms.js'
import type { WordsInText } from './words-in-text.js'

/** A part of a chunk's text, in UTF-16 units: `content.slice(start, end)`. */
export interface Passage {
  /** Offset of the first unit. */
  readonly start: number
  /** Offset after the last unit. */
  readonly end: number
}

/** A word of a prompt that was taken for another one. Both are in the form in which words are compared. */
export interface Correction {
  readonly from: string
  readonly to: string
}

/** A passage with words of a question. */
interface WordPassage extends Passage {
  /** Share of the question's terms that tell something which the passage has, 0 to 1; of all its terms if none tells. */
  readonly share: number
  /** False if all of its terms tell little, such as "the" and "of". */
  readonly tells: boolean
  /** Words of the question that the collection does not have, with the words of the text that count for them. */
  readonly corrected: readonly Correction[]
}

/** Maximum difference of two sums of the same numbers, because of rounding. */
const ROUNDING_ERROR = 1e-9
/** A term that tells less than this share of what the most telling term of the question tells is like "the". */
const MIN_TELLING_SHARE = 0.25
/** Words such as "the" lengthen a passage by at most so many UTF-16 units: about a line. */
const MAX_STRETCH = 80
/** Maximum length of a passage in UTF-16 units, unless one term is longer: some lines of text. */
const MAX_LENGTH = 320

/**
 * Finds the part of a text that has most of a question's terms. Each term counts once; terms that are rare in the text
 * count more, and terms that tell little, such as "the", lengthen it only a little. It prefers the shortest of equal
 * parts, then the first. The part begins and ends with a term.
 *
 * @returns `undefined` if the text has none of the terms
 */
export function densestPassage({ terms, corrected }: WordsInText, prompt: PromptTerms): WordPassage | undefined {
  const densest = selectDensest(terms, prompt)
  return densest && { ...densest, corrected: [...corrected].map(([from, to]) => ({ from, to })) }
}

/**
 * Finds the part with most terms: see {@link densestPassage}.
 *
 * @param found the terms of the question in the text, in the order of their starts
 */
export function selectDensest(
  found: readonly Term[],
  { idfs, weights }: PromptTerms,
): Omit<WordPassage, 'corrected'> | undefined {
  const tellingOf = (term: string): number => (idfs.get(term) ?? 0) / Math.max(1, weights.get(term) ?? 1)
  const leastTelling = Math.max(0, ...[...idfs.keys()].map(tellingOf)) * MIN_TELLING_SHARE
  const tells = (term: string): boolean => tellingOf(term) >= leastTelling
  const all = densestOf(found, idfs)
  if (all === undefined) return undefined
  const telling = densestOf(
    found.filter(({ term }) => tells(term)),
    idfs,
  )
  if (telling === undefined)
    return { start: all.start, end: all.end, share: all.terms.length / idfs.size, tells: false }
  const isStretched = lengthOf(all) > lengthOf(telling) + MAX_STRETCH || !all.terms.some(tells)
  const { start, end, terms } = isStretched ? telling : all
  const asked = [...idfs.keys()].filter(tells).length
  return { start, end, share: terms.filter(tells).length / asked, tells: true }
}

function lengthOf({ start, end }: Passage): number {
  return end - start
}

/** A passage with its different terms. */
interface DensePassage extends Passage {
  readonly terms: readonly string[]
}

function densestOf(terms: readonly Term[], query: LexicalQuery): DensePassage | undefined {
  const occurrences = new Map<string, number>()
  for (const { term } of terms) occurrences.set(term, (occurrences.get(term) ?? 0) + 1)
  const worthOf = (term: string): number => (query.get(term) ?? 0) / (occurrences.get(term) ?? 1)
  let best: WeightedPassage | undefined
  const inside = new Map<string, number>()
  let worth = 0
  let first = 0
  for (const [last, { term, end }] of terms.entries()) {
    if (changeCount(inside, term, 1) === 1) worth += worthOf(term)
    while (first < last && (end - startAt(terms, first) > MAX_LENGTH || isRepeated(terms[first], inside))) {
      const removed = terms[first]?.term ?? ''
      if (changeCount(inside, removed, -1) === 0) worth -= worthOf(removed)
      first += 1
    }
    // Finding the end of a passage costs time, so only passages that may be the best get there.
    if (best !== undefined && worth < best.worth - ROUNDING_ERROR) continue
    const passage = { start: startAt(terms, first), end: lastEndOf(terms, first, last), first, last, worth }
    if (best === undefined || isBetter(passage, best)) best = passage
  }
  if (best === undefined) return undefined
  const { start, end } = best
  return { start, end, terms: [...new Set(terms.slice(best.first, best.last + 1).map(({ term }) => term))] }
}

interface WeightedPassage extends Passage {
  /** Its first and last term. */
  readonly first: number
  readonly last: number
  /** Sum over its different terms: the weight of the term divided by its number of occurrences in the text. */
  readonly worth: number
}

/** True if the passage has the term a second time: then its first occurrence adds only length. */
function isRepeated(term: Term | undefined, inside: ReadonlyMap<string, number>): boolean {
  return term !== undefined && (inside.get(term.term) ?? 0) > 1
}

function isBetter(one: WeightedPassage, other: WeightedPassage): boolean {
  const difference = one.worth - other.worth
  if (Math.abs(difference) > ROUNDING_ERROR) return difference > 0
  return one.end - one.start < other.end - other.start
}

function startAt(terms: readonly Term[], index: number): number {
  return terms[index]?.start ?? 0
}

/** An identifier ends behind its parts, although the parts come after it in the list. */
function lastEndOf(terms: readonly Term[], first: number, last: number): number {
  let end = 0
  for (let index = first; index <= last; index += 1) end = Math.max(end, terms[index]?.end ?? 0)
  return end
}

/** @returns the new count */
function changeCount(counts: Map<string, number>, term: string, change: number): number {
  const count = (counts.get(term) ?? 0) + change
  if (count === 0) counts.delete(term)
  else counts.set(term, count)
  return count
}

import { analyze, type Term, textParts } from '../analysis/index.js'
import { TimeSlice } from '../kernel/time-slice.js'
import type { LexicalQuery } from '../ports/index.js'

/** A part of a chunk's text, in UTF-16 units: `content.slice(start, end)`. */
export interface Passage {
  readonly start: number
  readonly end: number
}

/** A passage with words of a question. */
interface WordPassage extends Passage {
  /** How many of the question's terms it has. */
  readonly terms: number
}

/** Sums of the same numbers differ by so much at the most. */
const EQUAL = 1e-9
/** How long a passage is at the most, unless one term is longer: some lines of text. */
const MAX_LENGTH = 320

/**
 * The part of a text that has most of a question's terms, each counted once, those that are rare in the text for more;
 * of equal parts the shortest, then the first. Begins and ends with a term. Works in slices of some milliseconds.
 *
 * @returns `undefined` where the text has none of the terms
 */
export async function densestPassage(
  text: string,
  query: LexicalQuery,
  slice: TimeSlice = new TimeSlice(),
): Promise<WordPassage | undefined> {
  const terms: Term[] = []
  for (const part of textParts(text)) {
    for (const { term, start, end } of analyze(part.text)) {
      if (query.has(term)) terms.push({ term, start: part.start + start, end: part.start + end })
    }
    await slice.breathe()
  }
  return densest(terms, query)
}

function densest(terms: readonly Term[], query: LexicalQuery): WordPassage | undefined {
  const occurrences = new Map<string, number>()
  for (const { term } of terms) occurrences.set(term, (occurrences.get(term) ?? 0) + 1)
  const worthOf = (term: string): number => (query.get(term) ?? 0) / (occurrences.get(term) ?? 1)
  let best: WeighedPassage | undefined
  const inside = new Map<string, number>()
  let worth = 0
  let first = 0
  for (const [last, { term, end }] of terms.entries()) {
    if (add(inside, term, 1) === 1) worth += worthOf(term)
    while (first < last && (end - startOf(terms, first) > MAX_LENGTH || isSpare(terms[first], inside))) {
      const gone = terms[first]?.term ?? ''
      if (add(inside, gone, -1) === 0) worth -= worthOf(gone)
      first += 1
    }
    // To look for its end is worth it only where it may be the best.
    if (best !== undefined && worth < best.worth - EQUAL) continue
    const [start, lastEnd] = [startOf(terms, first), lastEndOf(terms, first, last)]
    const passage = { start, end: lastEnd, terms: inside.size, worth }
    if (best === undefined || isBetter(passage, best)) best = passage
  }
  return best && { start: best.start, end: best.end, terms: best.terms }
}

interface WeighedPassage extends WordPassage {
  readonly worth: number
}

/** Whether a passage has a term more than once, so that the first of them adds nothing but length. */
function isSpare(term: Term | undefined, inside: ReadonlyMap<string, number>): boolean {
  return term !== undefined && (inside.get(term.term) ?? 0) > 1
}

function isBetter(one: WeighedPassage, other: WeighedPassage): boolean {
  const difference = one.worth - other.worth
  if (Math.abs(difference) > EQUAL) return difference > 0
  return one.end - one.start < other.end - other.start
}

function startOf(terms: readonly Term[], at: number): number {
  return terms[at]?.start ?? 0
}

/** Parts of an identifier come behind the whole of it. */
function lastEndOf(terms: readonly Term[], first: number, last: number): number {
  let end = 0
  for (let at = first; at <= last; at += 1) end = Math.max(end, terms[at]?.end ?? 0)
  return end
}

function add(counts: Map<string, number>, term: string, change: number): number {
  const count = (counts.get(term) ?? 0) + change
  if (count === 0) counts.delete(term)
  else counts.set(term, count)
  return count
}

import { LRUCache } from 'lru-cache'
import type { SimilarTerms } from '../../src/ports/index.js'
import type { CollectionTotals } from './posting-source.js'
import { membersOf, type WordGroups } from './word-groups.js'

/** The number of terms that are kept, of all collections together: about 20 MB. */
const MAX_TERMS = 100_000

/** Tells collections apart, and their states: each addition and deletion gives another mark. */
export interface CollectionMark extends CollectionTotals {
  /** The id of the file or table. */
  readonly id: string
  /** The number of the next chunk, where the store reads it. */
  readonly next?: number
}

/** The data of terms that a search needs. A term without postings has no mark. */
interface CountedTerms<State extends CollectionMark, Mark> {
  readonly state: State
  readonly marks: ReadonlyMap<string, Mark>
}

interface Kept<Mark> {
  readonly state: CollectionMark
  readonly similar: SimilarTerms
  /** The marks of the word and its similar terms. */
  readonly marks: ReadonlyMap<string, Mark>
}

/** Similar terms of words, with the marks of some of them. */
interface FoundTerms<Mark> {
  readonly groups: WordGroups
  readonly marks: ReadonlyMap<string, Mark>
}

/** The reads of one collection. */
interface Reads<State extends CollectionMark, Mark> {
  /** Reads the state of the collection, and marks of its terms. */
  readonly count: (terms: readonly string[]) => Promise<CountedTerms<State, Mark>>
  readonly findSimilar: (words: readonly string[], state: State) => Promise<FoundTerms<Mark>>
}

/** Keeps the similar terms of words, with their marks, for as long as the words of their collection are the same. */
export class SimilarCache<Mark> {
  readonly #kept = new LRUCache<string, Kept<Mark>>({
    maxSize: MAX_TERMS,
    sizeCalculation: ({ similar }) => 1 + similar.terms.size,
  })

  /** Counts the postings of terms, and of the terms that are like those of `similarTo`. Known ones are not read. */
  async count<State extends CollectionMark>(
    collection: string,
    terms: readonly string[],
    similarTo: ReadonlySet<string> | undefined,
    { count, findSimilar }: Reads<State, Mark>,
  ): Promise<CountedTerms<State, Mark> & { readonly groups: WordGroups }> {
    const words = terms.filter((term) => similarTo?.has(term))
    const counted = await count(terms.filter((term) => similarTo?.has(term) !== true))
    const { state } = counted
    const marks = new Map(counted.marks)
    const groups = new Map<string, SimilarTerms>()
    for (const word of words) {
      const kept = this.#kept.get(keyOf(collection, word))
      if (kept === undefined || !isSame(kept.state, state)) continue
      groups.set(word, kept.similar)
      for (const [term, mark] of kept.marks) marks.set(term, mark)
    }
    const missing = words.filter((word) => !groups.has(word))
    if (missing.length === 0) return { state, marks, groups }
    const found = await findSimilar(missing, state)
    const members = membersOf(missing, found.groups).filter((term) => found.groups.get(term)?.isKnown !== false)
    const unread = members.filter((term) => !found.marks.has(term))
    const read = unread.length === 0 ? [] : (await count(unread)).marks
    for (const [term, mark] of [...found.marks, ...read]) marks.set(term, mark)
    for (const [word, similar] of found.groups) {
      groups.set(word, similar)
      this.#kept.set(keyOf(collection, word), {
        state,
        similar,
        marks: marksOf(membersOf([word], found.groups), marks),
      })
    }
    return { state, marks, groups }
  }

  clear(): void {
    this.#kept.clear()
  }
}

function marksOf<Mark>(terms: readonly string[], marks: ReadonlyMap<string, Mark>): ReadonlyMap<string, Mark> {
  const found = new Map<string, Mark>()
  for (const term of terms) {
    const mark = marks.get(term)
    if (mark !== undefined) found.set(term, mark)
  }
  return found
}

function keyOf(collection: string, word: string): string {
  return `${collection} ${word}`
}

function isSame(one: CollectionMark, other: CollectionMark): boolean {
  return (
    one.id === other.id &&
    one.next === other.next &&
    one.chunks === other.chunks &&
    one.deleted === other.deleted &&
    one.meanLength === other.meanLength
  )
}

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

/** What a search needs of terms. A term without postings has no mark. */
export interface CountedTerms<State extends CollectionMark, Mark> {
  readonly state: State
  readonly marks: ReadonlyMap<string, Mark>
}

interface Kept<Mark> {
  readonly state: CollectionMark
  readonly similar: SimilarTerms
  /** The marks of the word and its similar terms. */
  readonly marks: ReadonlyMap<string, Mark>
}

/** The reads of one collection. */
interface Reads<State extends CollectionMark, Mark> {
  readonly readState: () => Promise<State>
  /** Reads the state of the collection, and marks of its terms. */
  readonly count: (terms: readonly string[]) => Promise<CountedTerms<State, Mark>>
  readonly findSimilar: (words: readonly string[]) => Promise<WordGroups>
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
    { readState, count, findSimilar }: Reads<State, Mark>,
  ): Promise<CountedTerms<State, Mark> & { readonly groups: WordGroups }> {
    const words = terms.filter((term) => similarTo?.has(term))
    const others = terms.filter((term) => similarTo?.has(term) !== true)
    const kept = new Map(words.flatMap((word) => this.#read(collection, word)))
    const counted = kept.size === words.length ? await count(others) : undefined
    const state = counted?.state ?? (await readState())
    for (const [word, one] of kept) if (!isSame(one.state, state)) kept.delete(word)
    const known = new Map([...kept].map(([word, { similar }]) => [word, similar]))
    const marks = [...kept.values()].flatMap((one) => [...one.marks])
    if (counted !== undefined && kept.size === words.length) {
      return { state, marks: new Map([...marks, ...counted.marks]), groups: known }
    }
    const found = await findSimilar(words.filter((word) => !kept.has(word)))
    const read = await count(membersOf([...others, ...found.keys()], found))
    for (const [word, similar] of found) {
      const own = membersOf([word], found).flatMap((term): [string, Mark][] => {
        const mark = read.marks.get(term)
        return mark === undefined ? [] : [[term, mark]]
      })
      this.#kept.set(keyOf(collection, word), { state, similar, marks: new Map(own) })
    }
    return { state: read.state, marks: new Map([...marks, ...read.marks]), groups: new Map([...known, ...found]) }
  }

  clear(): void {
    this.#kept.clear()
  }

  #read(collection: string, word: string): [string, Kept<Mark>][] {
    const kept = this.#kept.get(keyOf(collection, word))
    return kept === undefined ? [] : [[word, kept]]
  }
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

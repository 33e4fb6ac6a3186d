import { LRUCache } from 'lru-cache'
import type { SimilarTerms } from '../../src/ports/index.js'
import type { CollectionTotals } from './posting-source.js'
import { membersOf, type WordGroups } from './word-groups.js'

/** The number of words whose similar terms are kept, of all collections together: some megabytes. */
const MAX_WORDS = 20_000
const NONE: SimilarTerms = { isKnown: false, terms: new Map() }

/** Tells collections apart, and their states: each addition and deletion gives other totals. */
export interface CollectionMark extends CollectionTotals {
  /** The id of the file or table. */
  readonly id: string
}

interface Kept {
  readonly mark: CollectionMark
  readonly similar: SimilarTerms
}

/** The reads of one collection. */
interface Reads<Counted extends { readonly state: CollectionMark }> {
  /** Reads the state of the collection, and what a search for these terms needs. */
  readonly count: (terms: readonly string[]) => Promise<Counted>
  readonly findSimilar: (words: readonly string[]) => Promise<WordGroups>
}

/** Keeps the similar terms of words for as long as the words of their collection are the same. */
export class SimilarCache {
  readonly #kept = new LRUCache<string, Kept>({ max: MAX_WORDS })

  /**
   * Counts the postings of terms, and of the terms that are like those of `similarTo`. If all of these are known, it
   * reads once.
   */
  async count<Counted extends { readonly state: CollectionMark }>(
    collection: string,
    terms: readonly string[],
    similarTo: ReadonlySet<string> | undefined,
    { count, findSimilar }: Reads<Counted>,
  ): Promise<Counted & { readonly groups: WordGroups }> {
    const words = similarTo === undefined ? [] : terms.filter((term) => similarTo.has(term))
    const kept = words.map((word) => this.#kept.get(keyOf(collection, word)))
    const known = new Map(words.map((word, at) => [word, kept[at]?.similar ?? NONE]))
    const counted = await count(membersOf(terms, known))
    if (kept.every((one) => one !== undefined && isSame(one.mark, counted.state))) return { ...counted, groups: known }
    const groups = await findSimilar(words)
    for (const [word, similar] of groups) this.#kept.set(keyOf(collection, word), { mark: counted.state, similar })
    return { ...(await count(membersOf(terms, groups))), groups }
  }

  clear(): void {
    this.#kept.clear()
  }
}

function keyOf(collection: string, word: string): string {
  return `${collection} ${word}`
}

function isSame(one: CollectionMark, other: CollectionMark): boolean {
  return (
    one.id === other.id &&
    one.chunks === other.chunks &&
    one.deleted === other.deleted &&
    one.meanLength === other.meanLength
  )
}

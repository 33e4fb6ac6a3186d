import type { DocumentIds, IndexedChunk, SimilarTerms } from '../../src/ports/index.js'
import { FREQUENCY_SCALE, type MergedPostings, mergePostings } from './merged-postings.js'
import {
  type CollectionTotals,
  type DocumentRange,
  MANY_CHUNKS,
  type PostingSource,
  type PostingsRead,
} from './posting-source.js'
import { Turns } from './postings.js'

/** The number of merged postings between two turns of the event loop: about 5 ms. */
const POSTINGS_PER_TURN = 100_000
const NOTHING: MergedPostings = { postings: Buffer.alloc(0), count: 0 }

/** For terms of a query: the other terms that count as the same one. */
export type WordGroups = ReadonlyMap<string, SimilarTerms>

/** @returns the terms of a query, and all terms that count as one of them */
export function membersOf(terms: Iterable<string>, groups: WordGroups | undefined): readonly string[] {
  const members = new Set<string>()
  for (const term of terms) {
    members.add(term)
    for (const member of groups?.get(term)?.terms.keys() ?? []) members.add(member)
  }
  return [...members]
}

/**
 * A source in which each term of a query has the postings of its group. The number of occurrences in a chunk is the sum
 * over the terms of the group, each times its weight.
 */
class GroupedSource implements PostingSource {
  readonly totals: CollectionTotals
  /** A source without such a method reads all postings of a term. */
  readonly readOf?: NonNullable<PostingSource['readOf']>
  readonly #merged = new Map<string, MergedPostings>()

  constructor(
    private readonly source: PostingSource,
    private readonly groups: WordGroups,
  ) {
    this.totals = source.totals
    if (source.readOf !== undefined) this.readOf = (terms, numbers) => this.#readSome(terms, numbers)
  }

  /** Among many chunks, reads no postings: the count of a group is then too low. */
  async count(terms: readonly string[]): Promise<readonly number[]> {
    if (this.totals.chunks <= MANY_CHUNKS) await this.#mergeAll(terms.filter((term) => this.#hasGroup(term)))
    const members = membersOf(terms, this.groups)
    const counts = new Map((await this.source.count(members)).map((count, at) => [members[at] ?? '', count]))
    return terms.map((term) => {
      const weighed = this.#weightsOf(term).map(([member, weight]) => weight * (counts.get(member) ?? 0))
      return this.#merged.get(term)?.count ?? Math.max(...weighed)
    })
  }

  async read(terms: readonly string[]): Promise<readonly PostingsRead[]> {
    await this.#mergeAll(terms.filter((term) => this.#hasGroup(term)))
    return await this.#readWith(terms, this.#merged, async (single) => await this.source.read(single))
  }

  /** The postings of a term without a group are those of the source. */
  scaleOf(term: string): number {
    return this.#hasGroup(term) ? FREQUENCY_SCALE : 1
  }

  async rangesOf(filter: DocumentIds): Promise<readonly DocumentRange[]> {
    return await this.source.rangesOf(filter)
  }

  async chunksOf(numbers: readonly number[]): Promise<ReadonlyMap<number, IndexedChunk>> {
    return await this.source.chunksOf(numbers)
  }

  async #readSome(terms: readonly string[], numbers: Uint32Array): Promise<readonly PostingsRead[]> {
    const readOf = async (some: readonly string[]): Promise<readonly PostingsRead[]> =>
      (await this.source.readOf?.(some, numbers)) ?? []
    const missing = terms.filter((term) => this.#hasGroup(term) && !this.#merged.has(term))
    const members = membersOf(missing, this.groups)
    const some = members.length === 0 ? [] : await this.#merge(missing, members, await readOf(members))
    return await this.#readWith(terms, new Map([...some, ...this.#merged]), readOf)
  }

  /** Reads the terms without a group, and adds the merged postings of the others. */
  async #readWith(
    terms: readonly string[],
    merged: ReadonlyMap<string, MergedPostings>,
    readSingle: (terms: readonly string[]) => Promise<readonly PostingsRead[]>,
  ): Promise<readonly PostingsRead[]> {
    const single = terms.flatMap((term, at) => (this.#hasGroup(term) ? [] : [{ term, at }]))
    const read = single.length === 0 ? [] : await readSingle(single.map(({ term }) => term))
    const grouped = terms.flatMap((term, at) => {
      const { postings } = this.#hasGroup(term) ? (merged.get(term) ?? NOTHING) : NOTHING
      return postings.length === 0 ? [] : [{ term: at, postings }]
    })
    return [...read.map(({ term, postings }) => ({ term: single[term]?.at ?? 0, postings })), ...grouped]
  }

  async #mergeAll(terms: readonly string[]): Promise<void> {
    const missing = terms.filter((term) => !this.#merged.has(term))
    if (missing.length === 0) return
    const members = membersOf(missing, this.groups)
    for (const [term, merged] of await this.#merge(missing, members, await this.source.read(members))) {
      this.#merged.set(term, merged)
    }
  }

  async #merge(
    terms: readonly string[],
    members: readonly string[],
    read: readonly PostingsRead[],
  ): Promise<ReadonlyMap<string, MergedPostings>> {
    const parts = new Map<string, Buffer[]>(members.map((member) => [member, []]))
    for (const { term, postings } of read) parts.get(members[term] ?? '')?.push(postings)
    const turns = new Turns(POSTINGS_PER_TURN)
    const merged = new Map<string, MergedPostings>()
    for (const term of terms) {
      const weighed = this.#weightsOf(term).flatMap(([member, weight]) =>
        (parts.get(member) ?? []).map((postings) => ({ postings, weight })),
      )
      merged.set(term, await mergePostings(weighed, turns))
    }
    return merged
  }

  #weightsOf(term: string): readonly (readonly [string, number])[] {
    return [[term, 1], ...(this.groups.get(term)?.terms ?? [])]
  }

  #hasGroup(term: string): boolean {
    return (this.groups.get(term)?.terms.size ?? 0) > 0
  }
}

/** @returns the source, in which the terms of each group count as one */
export function groupedSource(source: PostingSource, groups: WordGroups | undefined): PostingSource {
  const hasGroups = groups !== undefined && [...groups.values()].some(({ terms }) => terms.size > 0)
  return hasGroups ? new GroupedSource(source, groups) : source
}

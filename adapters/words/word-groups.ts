import type { DocumentIds, IndexedChunk, SimilarTerms } from '../../src/ports/index.js'
import {
  FREQUENCY_SCALE,
  type MergedPostings,
  mergePostings,
  mergeSome,
  type WeighedPostings,
} from './merged-postings.js'
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
/** The number of chunks that are looked up between two turns of the event loop: about 5 ms. */
const LOOK_UPS_PER_TURN = 50_000
/** To look up a chunk in the postings of a term takes as long as to merge so many postings. */
const LOOK_UP_COST = 2

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
    if (this.totals.chunks <= MANY_CHUNKS) {
      await this.#mergeAll(terms)
      const single = terms.filter((term) => !this.#hasGroup(term))
      const counted = new Map((await this.source.count(single)).map((count, at) => [single[at] ?? '', count]))
      return terms.map((term) => counted.get(term) ?? this.#mergedOf(term)?.count ?? 0)
    }
    const members = membersOf(terms, this.groups)
    const counts = new Map((await this.source.count(members)).map((count, at) => [members[at] ?? '', count]))
    return terms.map((term) => {
      const weighed = this.#weightsOf(term).map(([member, weight]) => weight * (counts.get(member) ?? 0))
      return Math.max(...weighed)
    })
  }

  async read(terms: readonly string[]): Promise<readonly PostingsRead[]> {
    const missing = terms.filter((term) => this.#isUnmerged(term))
    const single = terms.filter((term) => !this.#hasGroup(term))
    const parts = await this.#readParts([...missing, ...single], async (members) => await this.source.read(members))
    await this.#merge(missing, parts)
    return this.#postingsOf(terms, (term) => parts(term).map(({ postings }) => postings))
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

  /** Looks up chunks in the postings of groups, unless these are merged already, or are few. */
  async #readSome(terms: readonly string[], numbers: Uint32Array): Promise<readonly PostingsRead[]> {
    const unmerged = terms.filter((term) => this.#isUnmerged(term))
    const members = membersOf(unmerged, this.groups)
    const counts = new Map((await this.source.count(members)).map((count, at) => [members[at] ?? '', count]))
    const isFew = (term: string): boolean => {
      const weights = this.#weightsOf(term)
      const postings = weights.reduce((sum, [member]) => sum + (counts.get(member) ?? 0), 0)
      return postings <= LOOK_UP_COST * numbers.length * weights.length
    }
    await this.#mergeAll(unmerged.filter(isFew))
    const unread = terms.filter((term) => !this.#hasGroup(term) || this.#isUnmerged(term))
    const parts = await this.#readParts(unread, async (some) => (await this.source.readOf?.(some, numbers)) ?? [])
    const turns = new Turns(LOOK_UPS_PER_TURN)
    const found = new Map<string, Buffer>()
    for (const term of unread) if (this.#hasGroup(term)) found.set(term, await mergeSome(parts(term), numbers, turns))
    return this.#postingsOf(terms, (term) => {
      const merged = found.get(term)
      return merged === undefined ? parts(term).map(({ postings }) => postings) : [merged]
    })
  }

  /** @param read returns the postings of a term that is not merged */
  #postingsOf(terms: readonly string[], read: (term: string) => readonly Buffer[]): readonly PostingsRead[] {
    return terms.flatMap((term, at) => {
      const merged = this.#mergedOf(term)?.postings
      const postings = merged === undefined ? read(term) : [merged]
      return postings.filter(({ length }) => length > 0).map((part) => ({ term: at, postings: part }))
    })
  }

  async #mergeAll(terms: readonly string[]): Promise<void> {
    const missing = terms.filter((term) => this.#isUnmerged(term))
    await this.#merge(missing, await this.#readParts(missing, async (members) => await this.source.read(members)))
  }

  async #merge(terms: readonly string[], parts: (term: string) => readonly WeighedPostings[]): Promise<void> {
    const turns = new Turns(POSTINGS_PER_TURN)
    for (const term of terms) {
      const merged = await mergePostings(parts(term), turns)
      this.#merged.set(term, merged)
      const group = this.groups.get(term)
      if (group !== undefined) this.source.mergedCache?.set(group, merged)
    }
  }

  #isUnmerged(term: string): boolean {
    return this.#hasGroup(term) && this.#mergedOf(term) === undefined
  }

  #mergedOf(term: string): MergedPostings | undefined {
    const group = this.groups.get(term)
    const merged = this.#merged.get(term) ?? (group === undefined ? undefined : this.source.mergedCache?.get(group))
    // The cache may lose them during the search.
    if (merged !== undefined) this.#merged.set(term, merged)
    return merged
  }

  /** Reads the postings of terms and of their groups, with their weights. */
  async #readParts(
    terms: readonly string[],
    read: (members: readonly string[]) => Promise<readonly PostingsRead[]>,
  ): Promise<(term: string) => readonly WeighedPostings[]> {
    const members = membersOf(terms, this.groups)
    if (members.length === 0) return () => []
    const parts = new Map<string, Buffer[]>(members.map((member) => [member, []]))
    for (const { term, postings } of await read(members)) parts.get(members[term] ?? '')?.push(postings)
    return (term) =>
      this.#weightsOf(term).flatMap(([member, weight]) =>
        (parts.get(member) ?? []).map((postings) => ({ postings, weight })),
      )
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

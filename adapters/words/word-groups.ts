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
/** To look up a chunk in the postings of a term takes as long as to merge so many postings. */
const LOOK_UP_COST = 2
const NO_POSTINGS: Buffer = Buffer.alloc(0)

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
    await this.#mergeAll(terms)
    return await this.#readWith(terms, new Map(), async (single) => await this.source.read(single))
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
    const readOf = async (some: readonly string[]): Promise<readonly PostingsRead[]> =>
      (await this.source.readOf?.(some, numbers)) ?? []
    const unmerged = terms.filter((term) => this.#hasGroup(term) && this.#mergedOf(term) === undefined)
    const members = membersOf(unmerged, this.groups)
    const counts = new Map((await this.source.count(members)).map((count, at) => [members[at] ?? '', count]))
    const isFew = (term: string): boolean => {
      const weights = this.#weightsOf(term)
      const postings = weights.reduce((sum, [member]) => sum + (counts.get(member) ?? 0), 0)
      return postings <= LOOK_UP_COST * numbers.length * weights.length
    }
    await this.#mergeAll(unmerged.filter(isFew))
    const lookedUp = unmerged.filter((term) => this.#mergedOf(term) === undefined)
    const parts = lookedUp.length === 0 ? undefined : await this.#readParts(lookedUp, readOf)
    const found = new Map(lookedUp.map((term) => [term, mergeSome(parts?.(term) ?? [], numbers)]))
    return await this.#readWith(terms, found, readOf)
  }

  /** Reads the terms without a group, and adds the postings of the others: those that were found, or the merged ones. */
  async #readWith(
    terms: readonly string[],
    found: ReadonlyMap<string, Buffer>,
    readSingle: (terms: readonly string[]) => Promise<readonly PostingsRead[]>,
  ): Promise<readonly PostingsRead[]> {
    const single = terms.flatMap((term, at) => (this.#hasGroup(term) ? [] : [{ term, at }]))
    const read = single.length === 0 ? [] : await readSingle(single.map(({ term }) => term))
    const grouped = terms.flatMap((term, at) => {
      if (!this.#hasGroup(term)) return []
      const postings = found.get(term) ?? this.#mergedOf(term)?.postings ?? NO_POSTINGS
      return postings.length === 0 ? [] : [{ term: at, postings }]
    })
    return [...read.map(({ term, postings }) => ({ term: single[term]?.at ?? 0, postings })), ...grouped]
  }

  async #mergeAll(terms: readonly string[]): Promise<void> {
    const missing = terms.filter((term) => this.#hasGroup(term) && this.#mergedOf(term) === undefined)
    if (missing.length === 0) return
    const parts = await this.#readParts(missing, async (members) => await this.source.read(members))
    const turns = new Turns(POSTINGS_PER_TURN)
    for (const term of missing) {
      const merged = await mergePostings(parts(term), turns)
      this.#merged.set(term, merged)
      const group = this.groups.get(term)
      if (group !== undefined) this.source.mergedCache?.set(group, merged)
    }
  }

  #mergedOf(term: string): MergedPostings | undefined {
    const group = this.groups.get(term)
    const merged = this.#merged.get(term) ?? (group === undefined ? undefined : this.source.mergedCache?.get(group))
    // The cache may lose them during the search.
    if (merged !== undefined) this.#merged.set(term, merged)
    return merged
  }

  /** Reads the postings of all terms of groups, with their weights. */
  async #readParts(
    terms: readonly string[],
    read: (members: readonly string[]) => Promise<readonly PostingsRead[]>,
  ): Promise<(term: string) => readonly WeighedPostings[]> {
    const members = membersOf(terms, this.groups)
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

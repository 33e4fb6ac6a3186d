import type { DocumentFilter, IndexedChunk } from '../../src/ports/index.js'

/** How many chunks there are, and how long they are. */
export interface CollectionTotals {
  readonly chunks: number
  /** Deleted chunks that still have postings. */
  readonly deleted: number
  /** Of a chunk, in terms. */
  readonly meanLength: number
}

/** Consecutive numbers of chunks. */
export interface NumberRange {
  readonly first: number
  /** Not included. */
  readonly end: number
}

/** Some postings of a term. */
export interface PostingsRead {
  /** Index of the term among those that were asked for. */
  readonly term: number
  /** In ascending order of the chunks' numbers. */
  readonly postings: Buffer
}

/** The postings of one collection, and the chunks that they are about, in a database. */
export interface PostingSource {
  readonly totals: CollectionTotals
  /** How many postings each term has; in the order of the terms. */
  readonly count: (terms: readonly string[]) => Promise<readonly number[]>
  /** All postings of the terms. */
  readonly read: (terms: readonly string[]) => Promise<readonly PostingsRead[]>
  /**
   * Postings of the terms: those of these chunks at the least. Numbers are in ascending order. A source that cannot read
   * some postings of a term alone has none.
   */
  readonly readOf?: (terms: readonly string[], numbers: Uint32Array) => Promise<readonly PostingsRead[]>
  /** The numbers of chunks whose documents pass a filter, in ascending order; none of deleted chunks. */
  readonly rangesOf: (filter: DocumentFilter) => Promise<readonly NumberRange[]>
  /** The chunks with these numbers; none for a deleted one. */
  readonly chunksOf: (numbers: readonly number[]) => Promise<ReadonlyMap<number, IndexedChunk>>
}

/** Purging rewrites the postings of all terms: it waits until so many chunks are deleted, and so large a share. */
const LEAST_DELETED = 100
const DELETED_SHARE = 0.25

/** Whether the postings of deleted chunks are worth removing. */
export function isPurgeDue({ chunks, deleted }: CollectionTotals): boolean {
  return (deleted >= LEAST_DELETED && deleted >= DELETED_SHARE * chunks) || (deleted > 0 && chunks === 0)
}

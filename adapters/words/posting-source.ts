import type { DocumentIds, IndexedChunk, LexicalRows } from '../../src/ports/index.js'
import type { MergedCache } from './merged-postings.js'

/** In a larger collection, terms that tell little are not added up for all chunks, and totals may be estimated. */
export const MANY_CHUNKS = 10_000

/** The number and the mean length of a collection's chunks. */
export interface CollectionTotals {
  readonly chunks: number
  /** The number of deleted chunks that still have postings. */
  readonly deleted: number
  /** The mean length of a chunk, in terms. */
  readonly meanLength: number
}

/** A range of consecutive chunk numbers. */
export interface NumberRange {
  readonly first: number
  /** Exclusive. */
  readonly end: number
}

/** The numbers of chunks of one document. */
export interface DocumentRange extends NumberRange {
  readonly documentId: number
}

/** A part of the postings of a term. */
export interface PostingsRead {
  /** The index of the term among the requested terms. */
  readonly term: number
  /** The postings, in ascending order of their chunk numbers. */
  readonly postings: Buffer
}

/** Reads the postings of one collection, and the chunks that they refer to, from a database. */
export interface PostingSource {
  readonly totals: CollectionTotals
  /** Counts the postings of each term, in the order of the terms. */
  readonly count: (terms: readonly string[]) => Promise<readonly number[]>
  /** Reads all postings of the terms. */
  readonly read: (terms: readonly string[]) => Promise<readonly PostingsRead[]>
  /**
   * Reads at least the postings of these chunks. Numbers are in ascending order. A source that cannot read a part of a
   * term's postings has no such method.
   */
  readonly readOf?: (terms: readonly string[], numbers: Uint32Array) => Promise<readonly PostingsRead[]>
  /** Reads the numbers of chunks whose documents pass a filter, in ascending order, without deleted chunks. */
  readonly rangesOf: (filter: DocumentIds) => Promise<readonly DocumentRange[]>
  /** The number that stands for one occurrence in the postings of a term. Default: 1. */
  readonly scaleOf?: (term: string) => number
  /** Keeps merged postings for later searches. Default: each search merges them. */
  readonly mergedCache?: MergedCache
  /** Reads the chunks with these numbers; a deleted chunk is absent. */
  readonly chunksOf: (numbers: readonly number[]) => Promise<ReadonlyMap<number, IndexedChunk>>
}

/**
 * A purge rewrites the postings of all terms. So it waits for this many deleted chunks and for this share of all
 * chunks.
 */
const MIN_DELETED = 100
const MIN_DELETED_SHARE = 0.25

/** True if a purge of the deleted chunks is worth its cost. */
export function isPurgeDue({ chunks, deleted }: CollectionTotals): boolean {
  return (deleted >= MIN_DELETED && deleted >= MIN_DELETED_SHARE * chunks) || (deleted > 0 && chunks === 0)
}

/** Chunks of one document with consecutive ordinals. */
interface ChunkRun {
  /** The index of its first chunk among the rows. */
  readonly at: number
  /** The ordinal of its first chunk. */
  readonly chunk: number
  /** The number of terms of each chunk. */
  readonly lengths: readonly number[]
  /** The number of terms of all its chunks. */
  readonly length: number
}

/** Splits rows into the fewest possible runs. */
export function splitIntoRuns({ chunks, terms }: LexicalRows): readonly ChunkRun[] {
  const starts = chunks.flatMap((chunk, at) => (at > 0 && chunk === (chunks[at - 1] ?? 0) + 1 ? [] : [at]))
  return starts.map((at, run) => {
    const lengths = terms.slice(at, starts[run + 1] ?? chunks.length).map((chunkTerms) => chunkTerms.length)
    return { at, chunk: chunks[at] ?? 0, lengths, length: sumOf(lengths) }
  })
}

export function sumOf(lengths: readonly number[]): number {
  return lengths.reduce((sum, length) => sum + length, 0)
}

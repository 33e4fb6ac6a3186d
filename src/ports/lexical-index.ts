import type { DocumentFilter, IndexedChunk } from './vector-index.js'

/** Chunks of one document with the terms of each, in arrays of equal length. */
export interface LexicalRows {
  readonly documentId: number
  /** Ordinals. */
  readonly chunks: readonly number[]
  /** The terms of each chunk, as often as they occur; none for a chunk without words. */
  readonly terms: readonly (readonly string[])[]
}

/** The terms of a question: each with its weight, which is above 0. */
export type LexicalQuery = ReadonlyMap<string, number>

/** What a search is to give. */
export interface LexicalSearchOptions {
  /** Most hits. */
  readonly limit: number
  /** Default: all documents of the collection. Some ten thousand ids are fine. */
  readonly documents?: DocumentFilter
  /**
   * Scores may be too low by this share of the maximum, where that makes the search quicker and there are more than
   * 10,000 chunks: 0 to 1, default 0.
   */
  readonly tolerance?: number
}

/** A chunk that has a term of the question. */
export interface LexicalHit extends IndexedChunk {
  /** BM25, above 0: see {@link bm25}. */
  readonly score: number
}

/** What a search found. */
export interface LexicalAnswer {
  /** The best first; equal ones by document, then by ordinal. */
  readonly hits: readonly LexicalHit[]
  /** The score that no chunk can exceed: of one that has nothing but the terms of the question, without end. */
  readonly maximum: number
  /**
   * Scores of chunks of the collection, whether they are among the hits or not, by the statistics that the hits were
   * scored by; in the order of the chunks. 0 for a chunk that has none of the terms, or is not there. A filter of the
   * search does not count. Where there are more than 10,000 chunks, scores of others than the hits may be too low by 5%
   * of the maximum at most. To be called soon after the search: much of what it needs stays in memory with the answer.
   */
  readonly scoresOf: (chunks: readonly IndexedChunk[]) => Promise<readonly number[]>
}

/**
 * Finds chunks by their terms, ranked by BM25.
 *
 * A term is a string without white space and control characters, at most 256 UTF-16 units, compared as it is: whoever
 * calls makes terms of documents and questions by the same rules.
 *
 * # Behaviour
 * - A collection comes into being with its first {@link add}; reading from one that is not there finds nothing,
 *   deleting from it does nothing.
 * - What `add` has acknowledged is found by the next `search` of this process.
 * - An `add` that was cut off by a crash leaves all of its rows or none; so does one that failed.
 *   Whoever repeats it deletes first, for it may have been written without the answer.
 * - Calls for one collection may come at once; writes happen in the order of the calls.
 * - What keeps it quick and small (merging, indexing, clearing up) happens between calls;
 *   none waits for that longer than a moment, or fails because of it.
 * - What a disk fails at, or refuses, is a `StorageError`; `isTransient` says whether trying again may help. A read
 *   that fails because what is stored is damaged or incomplete, and will fail again, is a `VectorsDamagedError`:
 *   where it is in doubt, it is not.
 * - After {@link close} every call rejects with `ERR_CLOSED`.
 */
export interface LexicalIndex {
  /** Calls of {@link search} that are worth making at the same time. Searches make no more, so that they can take turns. 1 or more; default 8. */
  readonly concurrency?: number

  /** Adds rows to the collection of that name: letters, digits, `-`, `_`, `.`; at most 100 characters. */
  add(collection: string, rows: LexicalRows): Promise<void>

  /**
   * The chunks with the highest scores among those that have a term of the query.
   *
   * - At most `limit`; fewer only where fewer chunks of the documents asked for have one of the terms.
   * - Documents that are not asked for cost nothing: they do not count towards `limit`, and hide no others. They may
   *   count among the chunks whose terms are counted.
   * - Scores follow {@link bm25} over the chunks of the collection. How many chunks have a term may be estimated where
   *   there are more than 10,000; so may be the mean length of a chunk. Chunks that were deleted may count for a while.
   * - A query without terms, or with none that the collection has, finds nothing.
   */
  search(collection: string, query: LexicalQuery, options: LexicalSearchOptions): Promise<LexicalAnswer>

  /** Deletes from a collection the rows of a document whose chunk has this ordinal or a higher one. */
  deleteDocument(collection: string, documentId: number, fromChunk: number): Promise<void>

  /** How many chunks one document has in a collection. */
  count(collection: string, documentId: number): Promise<number>

  /** How many chunks each document has in a collection. */
  countByDocument(collection: string): Promise<ReadonlyMap<number, number>>

  /** The names of all collections. */
  listCollections(): Promise<readonly string[]>

  /** Removes a collection with all its rows, damaged ones too. */
  drop(collection: string): Promise<void>

  /** Waits for writes under way, then frees memory. A second call does nothing. */
  close(): Promise<void>
}

/** The order of a {@link LexicalAnswer}: the best first; equal ones by document, then by ordinal. */
export function byLexicalScore(one: LexicalHit, other: LexicalHit): number {
  return other.score - one.score || one.documentId - other.documentId || one.chunk - other.chunk
}

import type { DocumentFilter, IndexedChunk } from './vector-index.js'

/** Chunks of one document with the terms of each, in arrays of equal length. */
export interface LexicalRows {
  readonly documentId: number
  /** Ordinals of the chunks in the document. */
  readonly chunks: readonly number[]
  /** The terms of each chunk, one entry for each occurrence. Empty for a chunk without words. */
  readonly terms: readonly (readonly string[])[]
}

/** The terms of a question with their weights, which are above 0. */
export type LexicalQuery = ReadonlyMap<string, number>

/** Options of {@link LexicalIndex.search}. */
export interface LexicalSearchOptions {
  /** Maximum number of hits, 1 or more. */
  readonly limit: number
  /** The documents to search. Adapters accept tens of thousands of ids. Default: all documents of the collection. */
  readonly documents?: DocumentFilter
  /**
   * Share of the maximum by which scores may be too low, 0 to 1. An index may use it to search faster, but only in a
   * collection with more than 10,000 chunks. Default: 0.
   */
  readonly tolerance?: number
}

/** A chunk that has at least one term of the question. */
export interface LexicalHit extends IndexedChunk {
  /** BM25, above 0: see {@link bm25}. */
  readonly score: number
}

/** The result of a search. */
export interface LexicalAnswer {
  /** The best first; equal ones by document id, then by ordinal. */
  readonly hits: readonly LexicalHit[]
  /** The score that no chunk can exceed: see {@link bm25Maximum}. */
  readonly maximum: number
  /**
   * Computes the scores of any chunks of the collection, with the statistics that the search used.
   *
   * - Call it soon after the search: the answer keeps data in memory for it.
   * - Ignores the document filter of the search.
   * - In a collection with more than 10,000 chunks, scores of chunks outside the hits may be too low by up to 5% of the
   *   maximum.
   *
   * @returns the scores in the order of `chunks`; 0 for a chunk that has none of the terms or does not exist
   */
  readonly scoresOf: (chunks: readonly IndexedChunk[]) => Promise<readonly number[]>
}

/**
 * Finds chunks by their terms, ranked by BM25.
 *
 * A term is a string of at most 256 UTF-16 units, without white space and control characters. The index compares terms
 * as they are. The caller makes the terms of documents and questions by the same rules.
 *
 * # Behaviour
 * - The first {@link add} creates a collection. Reading from a missing collection finds nothing, and deleting from it
 *   does nothing.
 * - After `add` has resolved, the next `search` of this process finds its rows.
 * - An `add` that failed, or that a crash interrupted, has written all of its rows or none. The caller deletes the rows
 *   before a retry, because the first call may have written them without an answer.
 * - Concurrent calls for one collection are allowed. Writes happen in the order of the calls.
 * - Maintenance (merging, indexing, purging) happens between calls. No call waits for it longer than a moment, and no
 *   call fails because of it.
 * - A failure of the disk or the database is a `StorageError`, whose `isTransient` says whether a retry may succeed, or
 *   a `StorageFullError`. A read that fails because stored data is damaged or incomplete, and that every retry would
 *   fail too, is a `VectorsDamagedError`. In doubt, an adapter throws a `StorageError`.
 * - After {@link close} every call rejects with a `ClosedError` (`ERR_CLOSED`).
 */
export interface LexicalIndex {
  /**
   * Number of concurrent calls of {@link search} that the index can use well. Searches make at most so many calls at a
   * time, so that they can take turns. 1 or more. Default: 8.
   */
  readonly concurrency?: number

  /**
   * Adds the chunks of one document to a collection.
   *
   * @param collection the name: letters, digits, `-`, `_`, `.`; at most 100 characters
   */
  add(collection: string, rows: LexicalRows): Promise<void>

  /**
   * Finds the chunks with the highest scores among those that have a term of the query.
   *
   * - Returns at most `limit` hits, and fewer only if fewer chunks of the selected documents have one of the terms.
   * - Documents outside the filter do not count towards `limit` and hide no others. Their chunks may count in the
   *   statistics of the terms.
   * - Scores follow {@link bm25} over the chunks of the collection. In a collection with more than 10,000 chunks, the
   *   number of chunks with a term and the mean length of a chunk may be estimates. Deleted chunks may count for a
   *   while.
   * - A query without terms, or only with terms that the collection does not have, finds nothing.
   */
  search(collection: string, query: LexicalQuery, options: LexicalSearchOptions): Promise<LexicalAnswer>

  /** Deletes the rows of a document whose chunk has the ordinal `fromChunk` or a higher one. */
  deleteDocument(collection: string, documentId: number, fromChunk: number): Promise<void>

  /** Counts the chunks of one document in a collection. */
  count(collection: string, documentId: number): Promise<number>

  /** Counts the chunks of each document in a collection. @returns counts by document id */
  countByDocument(collection: string): Promise<ReadonlyMap<number, number>>

  /** Lists the names of all collections. */
  listCollections(): Promise<readonly string[]>

  /** Removes a collection with all its rows, also if it is damaged. */
  drop(collection: string): Promise<void>

  /** Waits for writes in progress, then frees memory. A second call does nothing. */
  close(): Promise<void>
}

/**
 * Compares hits in the order of {@link LexicalAnswer.hits}: the best first; equal ones by document id, then by ordinal.
 */
export function byLexicalScore(one: LexicalHit, other: LexicalHit): number {
  return other.score - one.score || one.documentId - other.documentId || one.chunk - other.chunk
}

import { VectorInvalidError } from '../kernel/errors.js'

/** The vectors of one context with one model. */
export interface VectorCollection {
  /** Letters, digits, `-`, `_`, `.`; at most 100 characters. */
  readonly name: string
  /** Number of components of its vectors. */
  readonly dimensions: number
}

/** Identifies a chunk in an index. */
export interface IndexedChunk {
  readonly documentId: number
  /** Ordinal of the chunk in the document, from 0. */
  readonly chunk: number
}

/** Identifies a window. */
export interface VectorKey {
  readonly documentId: number
  /** Ordinal of the chunk in the document, from 0. */
  readonly chunk: number
  /** Ordinal of the window in the chunk, from 0. */
  readonly window: number
}

/** Windows of one document with their vectors. `chunks` and `windows` have the same length. */
export interface VectorRows {
  readonly documentId: number
  /** Ordinal of each window's chunk in the document. */
  readonly chunks: Uint32Array
  /** Ordinal of each window in its chunk. */
  readonly windows: Uint16Array
  /** `chunks.length × dimensions` floats, row by row. */
  readonly vectors: Float32Array
}

/** The documents that a search may find: only these ids, or all except these ids. */
export type DocumentIds = { readonly only: readonly number[] } | { readonly except: readonly number[] }

/** Options of {@link VectorIndex.search}. */
export interface VectorSearchOptions {
  /** Maximum number of hits, 1 or more. */
  readonly limit: number
  /** The documents to search. Adapters accept tens of thousands of ids. Default: all documents of the collection. */
  readonly documents?: DocumentIds
}

/** A window that a search found. */
export interface VectorHit extends VectorKey {
  /** Cosine of the angle to the query, -1 to 1. */
  readonly similarity: number
}

/** The window of a chunk that is nearest to one of several queries. */
export interface NearestWindow {
  /** Ordinal of the window in the chunk. */
  readonly window: number
  /** Cosine of the angle to that query, -1 to 1. */
  readonly similarity: number
}

/**
 * Finds the vectors that are nearest to a query.
 *
 * # Behaviour
 * - The first {@link add} creates a collection. Reading from a missing collection finds nothing, and deleting from it
 *   does nothing.
 * - After `add` has resolved, the next `search` of this process finds its rows.
 * - An `add` that failed, or that a crash interrupted, has written all of its rows or none. The caller deletes the rows
 *   before a retry, because the first call may have written them without an answer.
 * - Concurrent calls for one collection are allowed. Writes happen in the order of the calls.
 * - Maintenance (merging, building indexes, purging) happens between calls. No call waits for it longer than a moment,
 *   and no call fails because of it.
 * - A failure of the disk or the database is a `StorageError`, whose `isTransient` says whether a retry may succeed, or
 *   a `StorageFullError` or `StorageReadOnlyError`. A read that fails because stored data is damaged or incomplete, and that every retry would
 *   fail too, is a `VectorsDamagedError`. In doubt, an adapter throws a `StorageError`.
 * - After {@link close} every call rejects with a `ClosedError` (`ERR_CLOSED`).
 */
export interface VectorIndex {
  /**
   * Number of concurrent calls of {@link search} that the index can use well. Searches make at most so many calls at a
   * time, so that they can take turns. One company makes at most one call less, if the number is 2 or more. 1 or more.
   * Default: 8.
   */
  readonly concurrency?: number

  /**
   * Adds rows to a collection.
   *
   * @throws VectorInvalidError if the vectors have another length than those of the collection, or a component that is
   *   not finite; nothing is added then
   */
  add(collection: VectorCollection, rows: VectorRows): Promise<void>

  /**
   * Finds the windows with the highest cosine.
   *
   * - Returns at most `limit` hits, and fewer only if the selected documents have fewer windows with a direction.
   * - A vector of zeros has no direction: no search finds it, and a query of zeros finds nothing.
   * - Windows of documents outside the filter do not count towards `limit` and hide no others.
   * - The search is exact, or approximate with a recall of at least 0.99. Similarities are always exact.
   *
   * @returns the hits, the nearest first
   * @throws VectorInvalidError if the query has another length than the collection's vectors, or is not finite
   */
  search(collection: VectorCollection, query: Float32Array, options: VectorSearchOptions): Promise<readonly VectorHit[]>

  /**
   * Finds, for each of these chunks, the window that is nearest to any of the queries. The result is exact. The
   * similarity of a vector of zeros, and to one, is 0.
   *
   * @param chunks up to some hundred chunks of any documents
   * @returns the windows in the order of `chunks`; `undefined` for a chunk without windows
   * @throws VectorInvalidError if a query has another length than the collection's vectors, or is not finite
   */
  nearestWindows(
    collection: VectorCollection,
    queries: readonly Float32Array[],
    chunks: readonly IndexedChunk[],
  ): Promise<readonly (NearestWindow | undefined)[]>

  /** Counts the windows of one document in the collection with this name. */
  count(name: string, documentId: number): Promise<number>

  /** Reads vectors. @returns the vectors in the order of `keys`; `undefined` for a window that does not exist */
  read(collection: VectorCollection, keys: readonly VectorKey[]): Promise<readonly (Float32Array | undefined)[]>

  /** Deletes the windows of a document whose chunk has the ordinal `fromChunk` or a higher one. */
  deleteDocument(name: string, documentId: number, fromChunk: number): Promise<void>

  /** Counts the windows of each document in a collection. @returns counts by document id */
  countByDocument(name: string): Promise<ReadonlyMap<number, number>>

  /** Lists the names of all collections. */
  listCollections(): Promise<readonly string[]>

  /**
   * Checks that the index can be used, at little cost, and without a wait for other calls. Default: {@link listCollections} is the check.
   * @throws StorageError
   */
  check?(): Promise<void>

  /** Removes a collection with all its vectors, also if it is damaged. */
  drop(name: string): Promise<void>

  /**
   * Checks that data can be written, without writing any. A full disk passes, because reads go on.
   *
   * @throws StorageReadOnlyError if the disk is read-only
   * @throws StorageError if the data cannot be written for another reason
   */
  requireWritable?(): Promise<void>

  /** @returns the bytes that are free where the vectors are stored; `undefined`, as without this method, if unknown */
  freeBytes?(): Promise<number | undefined>

  /** @returns the bytes that the vectors take on the disk; `undefined`, as without this method, if unknown */
  usedBytes?(): Promise<number | undefined>

  /** Waits for writes in progress, then frees memory. A second call does nothing. */
  close(): Promise<void>
}

/** False for a vector of zeros. */
export function hasDirection(vector: Float32Array): boolean {
  return vector.some((component) => component !== 0)
}

/** Refuses rows that do not fit the collection. @throws VectorInvalidError */
export function requireRows({ dimensions }: VectorCollection, { chunks, vectors }: VectorRows): void {
  if (vectors.length !== chunks.length * dimensions) {
    throw new VectorInvalidError(`vectors must have ${dimensions} components each`)
  }
  requireFinite(vectors)
}

/** Refuses a query that cannot be compared with the vectors of a collection. @throws VectorInvalidError */
export function requireQuery({ dimensions }: VectorCollection, query: Float32Array): void {
  if (query.length !== dimensions) throw new VectorInvalidError(`the query must have ${dimensions} components`)
  requireFinite(query)
}

function requireFinite(vectors: Float32Array): void {
  let sum = 0
  // Zero times a finite number is zero. A test of each component would take four times as long.
  for (const component of vectors) sum += component * 0
  if (sum !== 0) throw new VectorInvalidError('vectors must have finite components')
}

/** Computes the cosine of two vectors of the same length. @returns -1 to 1; 0 if one of the vectors is zero */
export function cosine(one: Float32Array, other: Float32Array): number {
  let dot = 0
  let oneSquared = 0
  let otherSquared = 0
  for (const [index, component] of one.entries()) {
    const otherComponent = other[index] ?? 0
    dot += component * otherComponent
    oneSquared += component * component
    otherSquared += otherComponent * otherComponent
  }
  return dot / (Math.sqrt(oneSquared * otherSquared) || 1)
}

/** @returns a function that is true for the ids of documents that the filter selects; without a filter, for all ids */
export function passesOf(filter: DocumentIds | undefined): (documentId: number) => boolean {
  if (filter === undefined) return () => true
  const isOnly = 'only' in filter
  const isListed = listedTest(isOnly ? filter.only : filter.except)
  return (documentId) => isListed(documentId) === isOnly
}

/**
 * A table with a byte for each number replaces a set if it takes at most this many bytes for each id. A set of 100,000
 * ids takes 5 ms to make, and a table 0.2 ms.
 */
const MAX_BYTES_PER_ID = 32

function listedTest(ids: readonly number[]): (id: number) => boolean {
  let highest = 0
  for (const id of ids) highest = Math.max(highest, Number.isInteger(id) && id >= 0 ? id : Number.POSITIVE_INFINITY)
  if (highest > ids.length * MAX_BYTES_PER_ID) {
    const listed = new Set(ids)
    return (id) => listed.has(id)
  }
  const listed = new Uint8Array(highest + 1)
  for (const id of ids) listed[id] = 1
  return (id) => listed[id] === 1
}

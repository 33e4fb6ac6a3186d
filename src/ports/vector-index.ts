import { VectorInvalidError } from '../kernel/errors.js'

/** Vectors of one context under one model. */
export interface VectorCollection {
  /** Letters, digits, `-`, `_`, `.`; at most 100 characters. */
  readonly name: string
  /** Length of its vectors. */
  readonly dimensions: number
}

/** Names a chunk in an index: the document's id, and the chunk's ordinal in it. */
export interface IndexedChunk {
  readonly documentId: number
  readonly chunk: number
}

/** Names a window: the document's id, the chunk's ordinal in it, the window's in that. */
export interface VectorKey {
  readonly documentId: number
  readonly chunk: number
  readonly window: number
}

/** Windows of one document with their vectors, in arrays of equal length. */
export interface VectorRows {
  readonly documentId: number
  readonly chunks: Uint32Array
  readonly windows: Uint16Array
  /** Row by row, `chunks.length × dimensions` floats. */
  readonly vectors: Float32Array
}

/** The documents whose windows a search may find: these alone, or all but these. */
export type DocumentFilter = { readonly only: readonly number[] } | { readonly except: readonly number[] }

/** What a search is to give. */
export interface VectorSearchOptions {
  /** Most hits. */
  readonly limit: number
  /** Default: all documents of the collection. Some ten thousand ids are fine. */
  readonly documents?: DocumentFilter
}

/** A window that a search found. */
export interface VectorHit extends VectorKey {
  /** Cosine of the angle to the query, -1 to 1. */
  readonly similarity: number
}

/** The window of a chunk that is nearest to one of several queries. */
export interface NearestWindow {
  readonly window: number
  /** Cosine of the angle to that query, -1 to 1. */
  readonly similarity: number
}

/**
 * Finds the vectors nearest to one.
 *
 * # Behaviour
 * - A collection comes into being with its first {@link add}; reading from one
 *   that is not there finds nothing, deleting from it does nothing.
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
export interface VectorIndex {
  /** Calls of {@link search} that are worth making at the same time. Searches make no more, so that they can take turns. 1 or more; default 8. */
  readonly concurrency?: number

  /**
   * Adds rows.
   *
   * @throws VectorInvalidError for vectors of another length than the collection's,
   *   or with a component that is not finite; nothing is added then.
   */
  add(collection: VectorCollection, rows: VectorRows): Promise<void>

  /**
   * The nearest windows by cosine, the nearest first.
   *
   * - At most `limit`; fewer only where the collection has fewer of the documents asked for.
   * - Windows of other documents cost nothing: they do not count towards `limit`, and hide no others.
   * - Exact, or approximate with a recall of 0.99 and more; similarities are exact in any case.
   *
   * @throws VectorInvalidError for a query of another length, or not finite.
   */
  search(collection: VectorCollection, query: Float32Array, options: VectorSearchOptions): Promise<readonly VectorHit[]>

  /**
   * For each of these chunks, in their order, the window that is nearest to any of the queries, exactly; `undefined` for
   * a chunk without windows. Some hundred chunks are fine, whichever documents they belong to.
   *
   * @throws VectorInvalidError for a query of another length, or not finite.
   */
  nearestWindows(
    collection: VectorCollection,
    queries: readonly Float32Array[],
    chunks: readonly IndexedChunk[],
  ): Promise<readonly (NearestWindow | undefined)[]>

  /** How many windows one document has in a collection. */
  count(name: string, documentId: number): Promise<number>

  /** The vectors of these windows, in their order; `undefined` where there is none. */
  read(collection: VectorCollection, keys: readonly VectorKey[]): Promise<readonly (Float32Array | undefined)[]>

  /** Deletes from a collection the windows of a document whose chunk has this ordinal or a higher one. */
  deleteDocument(name: string, documentId: number, fromChunk: number): Promise<void>

  /** How many windows each document has in a collection. */
  countByDocument(name: string): Promise<ReadonlyMap<number, number>>

  /** The names of all collections. */
  listCollections(): Promise<readonly string[]>

  /** Removes a collection with all its vectors, damaged ones too. */
  drop(name: string): Promise<void>

  /** Waits for writes under way, then frees memory. A second call does nothing. */
  close(): Promise<void>
}

/** Refuses rows that a collection cannot take. @throws VectorInvalidError */
export function requireRows({ dimensions }: VectorCollection, { chunks, vectors }: VectorRows): void {
  if (vectors.length !== chunks.length * dimensions) {
    throw new VectorInvalidError(`vectors must have ${dimensions} components each`)
  }
  requireFinite(vectors)
}

/** Refuses what cannot be compared with the vectors of a collection. @throws VectorInvalidError */
export function requireQuery({ dimensions }: VectorCollection, query: Float32Array): void {
  if (query.length !== dimensions) throw new VectorInvalidError(`the query must have ${dimensions} components`)
  requireFinite(query)
}

function requireFinite(vectors: Float32Array): void {
  let sum = 0
  // Zero times anything finite is zero; a test of each component costs four times as much.
  for (const component of vectors) sum += component * 0
  if (sum !== 0) throw new VectorInvalidError('vectors must have finite components')
}

/** Cosine of the angle between two vectors of one length, -1 to 1; 0 where one of them has nothing but zeros. */
export function cosine(one: Float32Array, other: Float32Array): number {
  let dot = 0
  let oneSquared = 0
  let otherSquared = 0
  for (const [index, component] of one.entries()) {
    const opposite = other[index] ?? 0
    dot += component * opposite
    oneSquared += component * component
    otherSquared += opposite * opposite
  }
  return dot / (Math.sqrt(oneSquared * otherSquared) || 1)
}

/** Whether a filter lets a document pass; without one, every document does. */
export function passesOf(filter: DocumentFilter | undefined): (documentId: number) => boolean {
  if (filter === undefined) return () => true
  const isOnly = 'only' in filter
  const ids = new Set(isOnly ? filter.only : filter.except)
  return (documentId) => ids.has(documentId) === isOnly
}

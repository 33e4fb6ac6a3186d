import type { SimilarTerms } from './similar-terms.js'
import type { DocumentIds, IndexedChunk } from './vector-index.js'

/** Chunks of one document with the terms of each, in arrays of equal length. */
export interface LexicalRows {
  readonly documentId: number
  /** Ordinals of the chunks in the document. */
  readonly chunks: readonly number[]
  /** The terms of each chunk, one entry for each occurrence. Empty for a chunk without words. */
  readonly terms: readonly (readonly string[])[]
  /**
   * Terms that each chunk is found by as well, such as those of its document's name. They count as occurrences in the
   * chunk, and not in its length. Source: BM25F of Robertson, Zaragoza and Taylor 2004. Default: none.
   */
  readonly names?: readonly (readonly string[])[]
}

/** The terms of a question with their weights, which are above 0. */
export type LexicalQuery = ReadonlyMap<string, number>

/** The numbers that the {@link bm25} of chunks depends on, beside the chunks themselves. */
export interface LexicalStatistics {
  /** Number of all chunks. */
  readonly chunks: number
  /** Mean length of a chunk, in terms; 0 if there are no chunks. */
  readonly meanLength: number
  /** Number of chunks that have each term. A term that no chunk has may be missing. */
  readonly chunksWithTerm: ReadonlyMap<string, number>
}

/** Options of {@link LexicalIndex.search}. */
export interface LexicalSearchOptions {
  /** Maximum number of hits, 1 or more. */
  readonly limit: number
  /** The documents to search. Adapters accept tens of thousands of ids. Default: all documents of the collection. */
  readonly documents?: DocumentIds
  /**
   * Share of the maximum by which scores may be too low, 0 to 1. An index may use it to search faster, but only in a
   * collection with more than 10,000 chunks. Default: 0.
   */
  readonly tolerance?: number
  /**
   * The statistics to use, such as those of several collections together: then the scores of their searches are
   * comparable. They must have each term of the query that the collection has. Default: those of the collection.
   */
  readonly statistics?: LexicalStatistics
  /**
   * Terms of the query that count together with the terms of the collection that are like them: see `chooseSimilar`. The
   * occurrences of these count as occurrences of the term, times their weight. The number of chunks with the term is then
   * that of the chunks with one of these, each times the best weight of its terms. In a collection with more than 10,000
   * chunks it may be as low as the largest number of one of these, times its weight. Default: none.
   */
  readonly similarTo?: ReadonlySet<string>
}

/** The most terms of one prefix that {@link LexicalIndex.findTerms} finds. */
export const MAX_FOUND_TERMS = 8

/** The number of chunks that have a term, and of their documents. */
export interface TermCount {
  readonly chunks: number
  readonly documents: number
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
  /** For each term of the query: its {@link inverseDocumentFrequency} times its weight, as the search counted it. */
  readonly idfs?: ReadonlyMap<string, number>
  /** The terms that counted as the terms of `similarTo`. Default: none. */
  readonly similar?: ReadonlyMap<string, SimilarTerms>
  /** The most by which the score of a hit may be too low, because of the `tolerance`. Default: 0, scores are exact. */
  readonly shortfall?: number
  /**
   * Computes the scores of any chunks of the collection, with the statistics that the search used.
   *
   * - Call it soon after the search: the answer keeps data in memory for it.
   * - Ignores the document filter of the search.
   * - The scores are exact, also those of hits whose scores the search left too low.
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
 * - An `add` that failed, or that a crash interrupted, has written all of its rows or none.
 * - Concurrent calls for one collection are allowed. Writes happen in the order of the calls.
 * - Maintenance (merging, indexing, purging) happens between calls. No call waits for it longer than a moment, and no
 *   call fails because of it.
 * - A failure of the disk or the database is a `StorageError`, whose `isTransient` says whether a retry may succeed, or
 *   a `StorageFullError` or `StorageReadOnlyError`. A read that fails because stored data is damaged or incomplete, and that every retry would
 *   fail too, is a `VectorsDamagedError`. In doubt, an adapter throws a `StorageError`.
 * - After {@link close} every call rejects with a `ClosedError` (`ERR_CLOSED`).
 */
export interface LexicalIndex {
  /**
   * Number of concurrent calls of {@link search} that the index can use well. Searches make at most so many calls at a
   * time, so that they can take turns. One company makes at most one call less, if the number is 2 or more. 1 or more.
   * Default: 8.
   */
  readonly concurrency?: number

  /**
   * Adds the chunks of one document to a collection. A chunk that the collection has is replaced: no search finds it
   * twice, and once the call has resolved, each search finds it by its new terms.
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

  /**
   * Reads the statistics that a search for these terms uses. They may be estimates, as those of {@link search}.
   *
   * @param terms any number of terms
   * @param similarTo as that of {@link search}
   */
  statistics(collection: string, terms: readonly string[], similarTo?: ReadonlySet<string>): Promise<LexicalStatistics>

  /**
   * Counts the chunks that have each term, and their documents. The counts are exact: deleted chunks do not count. Takes
   * about as long as a search without `tolerance`.
   *
   * @param terms up to some hundred terms
   * @param options.documents the documents to count. Default: all documents of the collection
   * @returns counts by term, without terms that no such chunk has
   */
  countTerms(
    collection: string,
    terms: readonly string[],
    options?: { readonly documents?: DocumentIds },
  ): Promise<ReadonlyMap<string, TermCount>>

  /**
   * Finds the terms of a collection that begin with one of some prefixes: at most {@link MAX_FOUND_TERMS} of each prefix.
   * A prefix that is a term itself is among them. Terms of deleted chunks may be found for a while.
   *
   * @param prefixes up to some hundred, none empty
   */
  findTerms(collection: string, prefixes: readonly string[]): Promise<readonly string[]>

  /** Deletes the rows of a document whose chunk has the ordinal `fromChunk` or a higher one. */
  deleteDocument(collection: string, documentId: number, fromChunk: number): Promise<void>

  /** Counts the chunks of one document in a collection. */
  count(collection: string, documentId: number): Promise<number>

  /** Counts the chunks of each document in a collection. @returns counts by document id */
  countByDocument(collection: string): Promise<ReadonlyMap<number, number>>

  /** Lists the names of all collections. */
  listCollections(): Promise<readonly string[]>

  /**
   * Checks that the index can be used, at little cost, and without a wait for other calls. Default: {@link listCollections} is the check.
   * @throws StorageError
   */
  check?(): Promise<void>

  /** Removes a collection with all its rows, also if it is damaged. */
  drop(collection: string): Promise<void>

  /**
   * Checks that data can be written, without writing any. A full disk passes, because reads go on.
   *
   * @throws StorageReadOnlyError if the disk is read-only
   * @throws StorageError if the data cannot be written for another reason
   */
  requireWritable?(): Promise<void>

  /** @returns the bytes that the words take on the disk; `undefined`, as without this method, if unknown */
  usedBytes?(): Promise<number | undefined>

  /** Waits for writes in progress, then frees memory. A second call does nothing. */
  close(): Promise<void>
}

/**
 * Compares hits in the order of {@link LexicalAnswer.hits}: the best first; equal ones by document id, then by ordinal.
 */
export function byLexicalScore(one: LexicalHit, other: LexicalHit): number {
  return other.score - one.score || one.documentId - other.documentId || one.chunk - other.chunk
}

/** k1: how fast further occurrences of a term in a chunk lose weight. */
const SATURATION = 1.2
/** b: how much a chunk loses weight if it is longer than the mean. */
const LENGTH_NORMALIZATION = 0.75

/** The properties of a chunk that its score depends on: see {@link bm25}. */
export interface ChunkTerms {
  /** @returns the number of occurrences of a term in the chunk */
  readonly occurrences: (term: string) => number
  /** Number of terms in the chunk; each occurrence counts. */
  readonly length: number
}

/**
 * Computes the inverse document frequency of a term as Lucene does: ln(1 + (N - n + 0.5) / (n + 0.5)).
 *
 * @param chunks N: the number of all chunks
 * @param withTerm n: the number of chunks that have the term
 * @returns a number above 0; about 0 for a term that every chunk has
 */
export function inverseDocumentFrequency(chunks: number, withTerm: number): number {
  return Math.log(1 + (Math.max(0, chunks - withTerm) + 0.5) / (withTerm + 0.5))
}

/**
 * Computes the BM25 score of a chunk, a sum over the terms of a question:
 *
 * `weight · idf · tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / mean length))`
 *
 * k1 is 1.2 and b is 0.75. After Robertson and Zaragoza 2009, "The
 * Probabilistic Relevance Framework: BM25 and Beyond".
 *
 * @param idfs for each term of the question: its {@link inverseDocumentFrequency} times its weight
 * @param meanLength mean length of all chunks, in terms
 * @returns 0 or more; 0 for a chunk without a term of the question
 */
export function bm25(
  idfs: ReadonlyMap<string, number>,
  { occurrences, length }: ChunkTerms,
  meanLength: number,
): number {
  const lengthFactor = bm25LengthFactor(length, meanLength)
  let score = 0
  for (const [term, idf] of idfs) {
    const frequency = occurrences(term)
    if (frequency > 0) score += bm25OfTerm(idf, frequency, lengthFactor)
  }
  return score
}

/**
 * Computes the part of {@link bm25} that one term adds.
 *
 * @param idf the term's {@link inverseDocumentFrequency} times its weight
 * @param frequency number of occurrences of the term in the chunk, 1 or more
 * @param lengthFactor the result of {@link bm25LengthFactor} for the chunk
 */
export function bm25OfTerm(idf: number, frequency: number, lengthFactor: number): number {
  return (idf * frequency * (SATURATION + 1)) / (frequency + lengthFactor)
}

/**
 * Computes how much the length of a chunk lowers the scores of its terms: k1 · (1 - b + b · length / mean length).
 *
 * @param length length of the chunk, in terms
 * @param meanLength mean length of all chunks, in terms
 */
export function bm25LengthFactor(length: number, meanLength: number): number {
  return SATURATION * (1 - LENGTH_NORMALIZATION + (LENGTH_NORMALIZATION * length) / (meanLength || 1))
}

/** @returns the score that no chunk's {@link bm25} can exceed. @param idfs as the parameter of {@link bm25} */
export function bm25Maximum(idfs: ReadonlyMap<string, number>): number {
  let sum = 0
  for (const idf of idfs.values()) sum += idf
  return sum * (SATURATION + 1)
}

import type { VectorKey } from '../../vector-index.js'
import type { DocumentMetadata, WordVisibility } from './document-record.js'

/** The place of a chunk in the structure of its document. */
export interface ChunkPlace {
  /** Number of the page, sheet or slide on which the chunk begins, from 1; null if the format has no pages. */
  readonly pageFirst: number | null
  /** Number of the page, sheet or slide on which the chunk ends. */
  readonly pageLast: number | null
  /** The headings above the beginning of the chunk, the outermost first. */
  readonly headings: readonly string[]
}

/** The place of a chunk in a document without pages and headings. */
export const NO_PLACE: ChunkPlace = { pageFirst: null, pageLast: null, headings: [] }

/** The white space around a chunk that no chunk has, as the engine encodes it: with it, the whole text is stored. */
export interface ChunkGaps {
  /** White space in front of the chunk; null for chunks of versions that did not store it. */
  readonly gapBefore: string | null
  /** White space after the document's last chunk; null for every other chunk. */
  readonly gapAfter: string | null
}

/** A chunk without white space around it, which is not the last one. */
export const NO_GAPS: ChunkGaps = { gapBefore: '', gapAfter: null }

/** A chunk for {@link ChunkRepository.insert}. */
export interface NewChunk extends ChunkPlace, ChunkGaps {
  /** Number in the document, from 0. */
  readonly ordinal: number
  readonly content: string
  /** UTF-16 offset in the extracted text. */
  readonly start: number
  /** Number of tokens. */
  readonly tokens: number
  /** Equal if a repeated processing makes the same chunk. */
  readonly hash: string
  readonly windows: readonly WindowRecord[]
}

/** A window as stored with its chunk. */
export interface WindowRecord {
  /** UTF-16 offset in the chunk's content. */
  readonly start: number
  /** UTF-16 offset after the end, in the chunk's content. */
  readonly end: number
  /** Number of tokens. */
  readonly tokens: number
  /** Hash of the model and the window's text. */
  readonly hash: string
}

/** A chunk as stored. */
export interface ChunkRecord extends ChunkPlace {
  readonly id: number
  /** Id of the version of the document. */
  readonly documentId: number
  readonly ordinal: number
  readonly content: string
  /** UTF-16 offset in the extracted text. */
  readonly start: number
  /** Number of tokens. */
  readonly tokens: number
}

/** A chunk that a search may find. */
export interface VisibleChunk extends Omit<ChunkRecord, 'content'> {
  /** Id of its document that users see. */
  readonly documentPublicId: number
  /** UUID of its document. */
  readonly documentUuid: string
  /** File name of its document at upload. */
  readonly originalName: string
  /** `nameIndex` of its document. */
  readonly nameIndex: number
  /** `displayName` of its document. */
  readonly displayName: string | null
  /** `metadata` of its document. */
  readonly metadata: DocumentMetadata
  /** True if its vectors are in the vector index. */
  readonly hasVectors: boolean
  /** Null if it is larger than the caller's `maxBytes`. */
  readonly content: string | null
  /** Size of the content in bytes of UTF-8. */
  readonly sizeBytes: number
}

/** Counts of a document's stored chunks and windows. */
export interface ChunkCounts {
  readonly chunks: number
  readonly windows: number
  /** True if no number is missing: chunks are numbered from 0, and the windows of each chunk are numbered from 0. */
  readonly isWhole: boolean
}

/** Identifies a chunk without its id. */
export interface ChunkKey {
  readonly documentId: number
  /** Number of the chunk in the document, from 0. */
  readonly ordinal: number
}

/** The key of a window's vector, and the generation of its version: see `DocumentRecord`. */
export interface FoundWindow extends VectorKey {
  readonly generation: number | null
}

/** Chunks and their windows. Users see them once their document is completed. */
export interface ChunkRepository {
  /** Inserts chunks with their windows. */
  insert(documentId: number, chunks: readonly NewChunk[]): Promise<void>
  /** Lists the hashes of a document's chunks, completed or not, from an ordinal on, in their order. At most `limit`. */
  listHashes(documentId: number, from: { readonly ordinal: number; readonly limit: number }): Promise<readonly string[]>
  /** Lists the chunks of a live, completed document, in their order. Empty for every other document. */
  list(documentId: number): Promise<readonly ChunkRecord[]>
  /** As {@link list}, from an ordinal on. At most `limit`. */
  listFrom(
    documentId: number,
    from: { readonly ordinal: number; readonly limit: number },
  ): Promise<readonly ChunkRecord[]>
  /**
   * Reads chunks whose documents are live and completed, in a live context. Reads all of them at one moment, so that no
   * document is there in part.
   *
   * @param keys at most 200
   * @returns the chunks in any order
   */
  findVisible(
    contextId: number,
    keys: readonly ChunkKey[],
    options?: {
      /** Maximum size of a content in bytes of UTF-8: larger contents are null. Default: no limit. */
      readonly maxBytes?: number
      /** Also reads chunks of documents that words may find by these rules. Default: only completed documents. */
      readonly byWords?: WordVisibility
    },
  ): Promise<readonly VisibleChunk[]>
  /**
   * Lists a document's chunks with their windows, completed or not, from an ordinal on, in their order. At most
   * `limit`.
   */
  page(documentId: number, from: { readonly ordinal: number; readonly limit: number }): Promise<readonly NewChunk[]>
  /** Reads windows, in any order, without those that do not exist. @param keys at most 200 */
  listWindows(keys: readonly VectorKey[]): Promise<readonly (VectorKey & WindowRecord)[]>
  /**
   * Counts the stored chunks and windows of documents. Accepts any number of ids.
   *
   * @returns counts by document id, without documents that have neither chunks nor windows
   */
  count(documentIds: readonly number[]): Promise<ReadonlyMap<number, ChunkCounts>>
  /** Lists ids of documents that have chunks or windows but no row, at most `limit`. */
  listOrphans(limit: number): Promise<readonly number[]>
  /**
   * Finds, for each of these hashes, one window of a live document of the context that has this hash and whose vector
   * is in the vector index. It may be a window of a shadow.
   *
   * @returns windows by hash, without hashes that no such window has
   */
  findWindows(contextId: number, hashes: readonly string[]): Promise<ReadonlyMap<string, FoundWindow>>
  /**
   * Removes chunks of a document with their windows, from an ordinal on, the last chunks first. A call that removes the
   * last of them also removes windows without a chunk.
   *
   * @param options.limit maximum number of chunks
   * @returns the number of removed chunks
   */
  remove(documentId: number, options: { readonly fromOrdinal: number; readonly limit: number }): Promise<number>
  /**
   * Removes all chunks of documents with their windows, up to a number of chunks, in few statements. The documents with
   * the lowest ids come first. If the first of them has more chunks, this removes its last ones.
   *
   * @param documentIds any number
   * @param limit maximum number of chunks
   * @returns the ids of those of these documents that have neither chunks nor windows now, in ascending order. The next
   *   call continues with the others
   */
  removeOf(documentIds: readonly number[], limit: number): Promise<readonly number[]>
}

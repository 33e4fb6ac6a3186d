import type { RowPage } from '../../kernel/lists.js'
import type { VectorKey } from '../vector-index.js'
import type {
  ChunkCounts,
  ChunkKey,
  ChunkRecord,
  ContextRecord,
  DocumentRecord,
  DocumentVisibility,
  IngestionReceipt,
  NewChunk,
  Page,
  UploadRecord,
  VisibleChunk,
  WindowRecord,
  WordVisibility,
} from './document-records.js'

/** Which contexts of an account are listed. */
export interface ContextFilter {
  readonly accountId: number
  /** Only contexts of this user, and shared ones; default all. */
  readonly visibleTo?: number
}

/** Contexts. "Live" is: not deleted. Lists come ordered by id. */
export interface ContextRepository {
  insert(context: Omit<ContextRecord, 'id'>): Promise<ContextRecord>
  /** A live context. */
  get(id: number): Promise<ContextRecord | undefined>
  /**
   * Waits until no other transaction holds this context, and holds it to the end of this one: what is read of it after
   * that stays so. It need not be there.
   */
  lock(id: number): Promise<void>
  /** Live contexts of an account. @param page default all of them */
  list(filter: ContextFilter, page?: RowPage): Promise<readonly ContextRecord[]>
  /** Ids of live contexts of an account. */
  listIds(filter: ContextFilter, page: Page): Promise<readonly number[]>
  /** How many live contexts a company has, on its accounts that are not deleted. Cheap, however large they are. */
  count(companyId: number): Promise<number>
  /** Changes the members given. @returns the context after it; `undefined` where none is live. */
  update(id: number, changes: Partial<Omit<ContextRecord, 'id' | 'accountId'>>): Promise<ContextRecord | undefined>
  /**
   * Marks the live contexts that a user has made deleted, in whichever account, and erases their texts, except names:
   * one statement, which neither returns nor writes the texts, however large they are.
   * @returns which they were, ordered by id
   */
  deleteMadeBy(userId: number, deleted: string): Promise<readonly Pick<ContextRecord, 'id' | 'accountId'>[]>
  /** Whether the row of a context is there, and marked deleted. */
  isDeleted(id: number): Promise<boolean>
  /** Ids of deleted contexts whose rows are still there. */
  listDeleted(): Promise<readonly number[]>
  /**
   * Ids of live contexts with a live, completed document whose words are not indexed by this version of the analyzer.
   * Cheap where few are.
   */
  listWithoutWords(version: number): Promise<readonly number[]>
  /** Contexts of all accounts, deleted or not, by id. */
  page(page: Page): Promise<readonly ContextRecord[]>
  /** Removes the row of a context that has no documents left. Removing a missing one does nothing. */
  remove(id: number): Promise<void>
}

/** Training documents. "Live" is: not deleted. Lists come ordered by id. */
export interface DocumentRepository {
  insert(document: Omit<DocumentRecord, 'id'>): Promise<DocumentRecord>
  /** A live document. */
  get(id: number): Promise<DocumentRecord | undefined>
  /** A live document. */
  getByUuid(uuid: string): Promise<DocumentRecord | undefined>
  /** Live documents of a context. @param page default all of them */
  list(contextId: number, page?: RowPage): Promise<readonly DocumentRecord[]>
  /** Ids of live documents of a context. */
  listLiveIds(contextId: number, page: Page): Promise<readonly number[]>
  /** How many live documents a context has. Cheap, however many they are. */
  count(contextId: number): Promise<number>
  /** The live document with these bytes under this name, the oldest of them. */
  findSame(contextId: number, contentHash: string, originalName: string): Promise<DocumentRecord | undefined>
  /** Bytes of the largest live document of a context, of those with this name where one is given; 0 where there is none. */
  largestBytes(contextId: number, originalName?: string): Promise<number>
  /** One more than the highest `nameIndex` of live documents with this name; 0 where there is none. */
  nextNameIndex(contextId: number, originalName: string): Promise<number>
  /** Changes the members given. @returns whether the document is live. */
  update(
    id: number,
    changes: Partial<
      Pick<
        DocumentRecord,
        'sizeBytes' | 'chunkCount' | 'started' | 'completed' | 'error' | 'deleted' | 'wordsVersion' | 'embeddedChunks'
      >
    > & {
      readonly receipt?: IngestionReceipt | null
    },
  ): Promise<boolean>
  /** Marks all live documents of a context deleted. */
  deleteOfContext(contextId: number, deleted: string): Promise<void>
  /** Live documents that are neither completed nor failed. */
  listUnfinished(): Promise<readonly DocumentRecord[]>
  /** Deleted documents whose rows are still there. */
  listDeleted(contextId?: number): Promise<readonly Pick<DocumentRecord, 'id' | 'uuid' | 'contextId'>[]>
  /**
   * Which documents of a context a search may find. Cheap where few are hidden, however many there are.
   * A document that it shows was completed before it answers.
   */
  visibility(contextId: number): Promise<DocumentVisibility>
  /** As {@link visibility}, for a search by words. */
  wordVisibility(contextId: number, by: WordVisibility): Promise<DocumentVisibility>
  /** Ids of live, completed documents of a context whose words are not indexed by this version of the analyzer. */
  listWithoutWords(contextId: number, version: number, page: Page): Promise<readonly number[]>
  /** Ids of the documents of a context, deleted or not. */
  listIds(contextId: number, page: Page): Promise<readonly number[]>
  /** The documents with these ids, however many, deleted or not. */
  find(ids: readonly number[]): Promise<readonly DocumentRecord[]>
  /** Which of these ids, however many, have a row, deleted or not. */
  existing(ids: readonly number[]): Promise<ReadonlySet<number>>
  /** Removes the row of a document. Removing a missing one does nothing. */
  remove(id: number): Promise<void>
}

/** Uploads under way. Expiry goes by the database's clock. */
export interface UploadRepository {
  insert(upload: UploadRecord, ttlMs: number): Promise<void>
  /** Keeps an upload alive for another `ttlMs`. @returns false where it has expired or is gone. */
  extend(uuid: string, ttlMs: number): Promise<boolean>
  /** Sets how many bytes an upload holds, and keeps it alive for another `ttlMs`. @returns as {@link extend} */
  hold(uuid: string, sizeBytes: number, ttlMs: number): Promise<boolean>
  /** Removes an upload. @returns whether it was there and not expired. */
  remove(uuid: string): Promise<boolean>
  /** Bytes of a context's quota in use: live documents and unexpired uploads. */
  usedBytes(contextId: number): Promise<number>
  /**
   * Which of these UUIDs, however many, belong to a document's row or an unexpired upload.
   * One that goes from the one to the other meanwhile, in a transaction, is never missed.
   */
  claimed(uuids: readonly string[]): Promise<ReadonlySet<string>>
  /** How many uploads have expired and are still there. */
  countExpired(): Promise<number>
  /** Removes expired uploads, or all of them. */
  removeExpired(options: { readonly all: boolean }): Promise<void>
}

/** Chunks and their windows. They are visible once their document is completed. */
export interface ChunkRepository {
  /** Inserts chunks with their windows. */
  insert(documentId: number, chunks: readonly NewChunk[]): Promise<void>
  /** Hashes of a document's stored chunks from an ordinal on, in order, whether or not it is completed. */
  listHashes(documentId: number, from: { readonly ordinal: number; readonly limit: number }): Promise<readonly string[]>
  /** The chunks of a document, in order; none unless it is live and completed. */
  list(documentId: number): Promise<readonly ChunkRecord[]>
  /**
   * The chunks with these keys, at most 200, whose documents are live and completed, in a live context.
   * In any order; all as they are at one moment, so that no document is half there.
   */
  findVisible(
    contextId: number,
    keys: readonly ChunkKey[],
    options?: {
      /** Contents with more bytes of UTF-8 are not read; default: all are. */
      readonly maxBytes?: number
      /** Also those of documents that can be found by words, though they are not completed. */
      readonly byWords?: WordVisibility
    },
  ): Promise<readonly VisibleChunk[]>
  /** The chunks of a document from an ordinal on, with their windows, in order, whether or not it is completed. */
  page(documentId: number, from: { readonly ordinal: number; readonly limit: number }): Promise<readonly NewChunk[]>
  /** These windows, at most 200, in any order; those that are not there are left out. */
  listWindows(keys: readonly VectorKey[]): Promise<readonly (VectorKey & WindowRecord)[]>
  /** How much is stored of each of these documents, however many; those without chunks and windows are left out. */
  count(documentIds: readonly number[]): Promise<ReadonlyMap<number, ChunkCounts>>
  /** Ids of documents that have chunks or windows but no row, at most `limit`. */
  listOrphans(limit: number): Promise<readonly number[]>
  /** For each known window hash one window of a live document of the context that has it, and whose vector is written. */
  findWindows(contextId: number, hashes: readonly string[]): Promise<ReadonlyMap<string, VectorKey>>
  /**
   * Removes chunks of a document with their windows, from an ordinal on, at most `limit` of them, the last ones
   * first. With the last of them go windows that have lost their chunk.
   * @returns how many were removed
   */
  remove(documentId: number, options: { readonly fromOrdinal: number; readonly limit: number }): Promise<number>
}

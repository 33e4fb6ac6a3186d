import type { RowPage } from '../../kernel/lists.js'
import type { VectorKey } from '../vector-index.js'
import type { DocumentConditions } from './document-conditions.js'
import type { DocumentPage, DocumentPosition, DocumentSelection } from './document-list.js'
import type {
  ChunkCounts,
  ChunkKey,
  ChunkRecord,
  ContextGenerations,
  ContextRecord,
  DocumentRecord,
  DocumentStateCounts,
  DocumentVisibility,
  IngestionReceipt,
  NewChunk,
  Page,
  UploadRecord,
  VersionMark,
  VisibleChunk,
  WindowRecord,
  WordVisibility,
} from './document-records.js'

/** Filter for lists of contexts. */
export interface ContextFilter {
  readonly accountId: number
  /** Only contexts of the user with this id, and shared ones. Default: all contexts of the account. */
  readonly visibleTo?: number
}

/** Contexts of a user on an account, and the user who gets them. */
export interface ContextHandOver {
  readonly accountId: number
  readonly fromUserId: number
  readonly toUserId: number
}

/** The documents of one context, and what they may need. */
export interface ContextSize extends Pick<ContextRecord, 'id' | 'accountId' | 'userId' | 'maxSizeBytes'> {
  /** Number of live documents. */
  readonly documents: number
  /** Bytes of their current versions. */
  readonly sizeBytes: number
}

/** The documents of all contexts of a company. */
export interface ContextsSize {
  readonly documents: number
  readonly sizeBytes: number
  /** Those with the most bytes, the largest first; equal ones by id. */
  readonly largest: readonly ContextSize[]
}

/** Contexts. "Live" means: not deleted. Lists are ordered by id. */
export interface ContextRepository {
  /** @returns the record with its new id */
  insert(context: Omit<ContextRecord, 'id'>): Promise<ContextRecord>
  /** @returns a live context; `undefined` if there is none with this id */
  get(id: number): Promise<ContextRecord | undefined>
  /** Reads the generations of a live context, without its texts; `undefined` if there is none with this id. */
  generations(id: number): Promise<ContextGenerations | undefined>
  /**
   * Waits until no other transaction locks this context, then locks it until this transaction ends. Its data does not
   * change during that time. The context need not exist.
   */
  lock(id: number): Promise<void>
  /** Lists live contexts of an account. @param page default: all of them */
  list(filter: ContextFilter, page?: RowPage): Promise<readonly ContextRecord[]>
  /** Lists the ids of live contexts of an account. */
  listIds(filter: ContextFilter, page: Page): Promise<readonly number[]>
  /** Counts the live contexts of a company, on its accounts that are not deleted. Cheap, however large they are. */
  count(companyId: number): Promise<number>
  /**
   * Measures the live documents of the live contexts of a company, on its accounts that are not deleted. A replacement
   * counts once it is the current version. Reads the texts of no context.
   *
   * @param most number of contexts in `largest`
   */
  measure(companyId: number, most: number): Promise<ContextsSize>
  /** Changes the given members. @returns the changed context; `undefined` if no live context has this id */
  update(id: number, changes: Partial<Omit<ContextRecord, 'id' | 'accountId'>>): Promise<ContextRecord | undefined>
  /**
   * Marks as deleted all live contexts that a user created, in any account, and erases their texts except names. Uses
   * one statement, which neither returns nor writes the texts, because texts can be large.
   *
   * @param deleted the time of the deletion
   * @returns the deleted contexts, ordered by id
   */
  deleteMadeBy(userId: number, deleted: string): Promise<readonly Pick<ContextRecord, 'id' | 'accountId'>[]>
  /** Lists the accounts on which a user has live contexts. */
  listAccountsOf(userId: number): Promise<readonly number[]>
  /**
   * Gives live contexts of a user on an account to another user: the next ones in the order of their ids.
   *
   * @param page how many, and after which id. A row may have a megabyte of text, so the caller takes a few at a time
   * @returns the ids of the contexts that have the new user now; empty if none is left
   */
  handOver(change: ContextHandOver, page: Page): Promise<readonly number[]>
  /** @returns true if the context has a row that is marked as deleted */
  isDeleted(id: number): Promise<boolean>
  /** Lists the ids of deleted contexts that still have a row. */
  listDeleted(): Promise<readonly number[]>
  /**
   * Lists the ids of live contexts with a live, completed document whose words do not have this version of the
   * analyzer. Cheap if there are few such documents.
   */
  listWithoutWords(version: number): Promise<readonly number[]>
  /** Lists contexts of all accounts, deleted or not. */
  page(page: Page): Promise<readonly ContextRecord[]>
  /** Removes the row of a context that has no documents left. Does nothing if there is no row. */
  remove(id: number): Promise<void>
}

/** A document for {@link DocumentRepository.insert}. Without a `publicId` it is the first version of a new document. */
export type NewDocumentRecord = Omit<DocumentRecord, 'id' | 'publicId'> & { readonly publicId?: number }

/**
 * Versions of training documents. "Live" means: not deleted. A "current version" is live and replaces no other version. A
 * "replacement" is live, is not completed, and becomes the current version once it is. A document has at most one of
 * each: an insertion or a change that would make a second one is refused with a `StorageError`.
 *
 * A version with a `generation` is a shadow, or belonged to a former generation (see `ShadowRepository`). The methods
 * leave these out, except {@link get}, {@link lock}, {@link update}, {@link deleteOfContext}, {@link listDeleted} and
 * those that find versions by their ids.
 *
 * An id is that of a version, unless its name says that it is public. Lists are ordered by id.
 */
export interface DocumentRepository {
  /** @returns the record with its new id */
  insert(document: NewDocumentRecord): Promise<DocumentRecord>
  /** @returns a live version; `undefined` if there is none with this id */
  get(id: number): Promise<DocumentRecord | undefined>
  /** @returns the current version of a document; `undefined` if there is no live document with this public id */
  getCurrent(publicId: number): Promise<DocumentRecord | undefined>
  /** @returns a live version; `undefined` if there is none with this UUID */
  getByUuid(uuid: string): Promise<DocumentRecord | undefined>
  /**
   * Lists current versions of a context, ordered by public id, which the page counts.
   *
   * @param page default: all of them
   */
  list(contextId: number, page?: RowPage): Promise<readonly DocumentRecord[]>
  /** Lists the public ids of live documents of a context, in ascending order. */
  listPublicIds(contextId: number, page: Page): Promise<readonly number[]>
  /**
   * Lists current versions of a context in the order of the page. Without a selection, it reads only the rows of the
   * page, however many there are.
   */
  listPage(contextId: number, page: DocumentPage, selection?: DocumentSelection): Promise<readonly DocumentRecord[]>
  /** Lists the positions of the documents that {@link listPage} lists. `maxBytes` of the page has no effect. */
  listPositions(
    contextId: number,
    page: DocumentPage,
    selection?: DocumentSelection,
  ): Promise<readonly DocumentPosition[]>
  /**
   * Lists the replacements of a context, ordered by public id. Cheap if there are few, however many documents there are.
   * @param publicIds only replacements of these documents. Default: all
   */
  listReplacements(contextId: number, publicIds?: readonly number[]): Promise<readonly DocumentRecord[]>
  /**
   * Finds the versions of documents of a context that meet conditions, whether a search may find them or not. Cheap if
   * few documents meet them, however many there are.
   *
   * @returns their ids in ascending order
   */
  matching(contextId: number, conditions: DocumentConditions): Promise<readonly number[]>
  /** Counts the live documents of a context: their current versions. Cheap, however many there are. */
  count(contextId: number): Promise<number>
  /** @returns the oldest current version with this hash and this name; `undefined` if there is none */
  findSame(contextId: number, contentHash: string, originalName: string): Promise<DocumentRecord | undefined>
  /**
   * @param originalName only documents with this name. Default: all documents of the context
   * @returns the size of the largest current version in bytes; 0 if there is none
   */
  largestBytes(contextId: number, originalName?: string): Promise<number>
  /**
   * Replacements count too: their names are shown once they are completed.
   *
   * @param options.exceptPublicId leaves out the versions of this document
   * @returns the highest `nameIndex` of live versions with this name, plus 1; 0 if there is no such version
   */
  nextNameIndex(
    contextId: number,
    originalName: string,
    options?: { readonly exceptPublicId?: number },
  ): Promise<number>
  /**
   * Waits until no other transaction changes this version. A transaction that changes it later sees what this one has
   * committed. @returns false if no live version has this id
   */
  lock(id: number): Promise<boolean>
  /** Changes the given members of a live version. @returns false if no live version has this id */
  update(
    id: number,
    changes: Partial<
      Pick<
        DocumentRecord,
        | 'sizeBytes'
        | 'chunkCount'
        | 'started'
        | 'completed'
        | 'error'
        | 'deleted'
        | 'wordsVersion'
        | 'embeddedChunks'
        | 'replaces'
        | 'displayName'
        | 'metadata'
      >
    > & {
      readonly receipt?: IngestionReceipt | null
    },
  ): Promise<boolean>
  /** Marks all live versions of a context as deleted. @param deleted the time of the deletion */
  deleteOfContext(contextId: number, deleted: string): Promise<void>
  /** Lists live versions that are neither completed nor failed. */
  listUnfinished(): Promise<readonly DocumentRecord[]>
  /** Lists deleted versions that still have a row. @param contextId default: all contexts */
  listDeleted(contextId?: number): Promise<readonly Pick<DocumentRecord, 'id' | 'uuid' | 'contextId' | 'generation'>[]>
  /** @returns true if a live version, which may be a shadow, has this UUID: its file must stay */
  isFileInUse(uuid: string): Promise<boolean>
  /**
   * Reads which versions of a context's documents a search by meaning may find: current and completed ones. Cheap if few
   * are hidden, however many there are. Every version that it shows was completed before the call returned.
   */
  visibility(contextId: number): Promise<DocumentVisibility>
  /** As {@link visibility}, for a search by words. */
  wordVisibility(contextId: number, rules: WordVisibility): Promise<DocumentVisibility>
  /** Counts the live documents of a context by their state. @param version version of the analyzer */
  countStates(contextId: number, version: number): Promise<DocumentStateCounts>
  /** Reads a mark for {@link hasNewVersions}. Cheap, however many documents there are. */
  markVersions(contextId: number): Promise<VersionMark>
  /**
   * Checks whether a version has replaced another one since a mark was read, or the context has another generation. A
   * search that began after the mark may then find neither of the two: it hid the newer one, and the data of the older
   * one may be removed. Cheap.
   */
  hasNewVersions(contextId: number, since: VersionMark): Promise<boolean>
  /** Lists the ids of live, completed documents of a context whose words do not have this version of the analyzer. */
  listWithoutWords(contextId: number, version: number, page: Page): Promise<readonly number[]>
  /** Lists the ids of the versions of a context's documents, deleted or not, with those that have a `generation`. */
  listIds(contextId: number, page: Page): Promise<readonly number[]>
  /** Reads the versions with these ids, deleted or not. Accepts any number of ids. */
  find(ids: readonly number[]): Promise<readonly DocumentRecord[]>
  /** @returns those of these ids that have a row, deleted or not. Accepts any number of ids. */
  existing(ids: readonly number[]): Promise<ReadonlySet<number>>
  /** Removes the row of a version. Does nothing if there is no row. */
  remove(id: number): Promise<void>
}

/** The key of a window's vector, and the generation of its version: see {@link DocumentRecord}. */
export interface FoundWindow extends VectorKey {
  readonly generation: number | null
}

/** Uploads in progress. They expire by the database's clock. */
export interface UploadRepository {
  /** Adds an upload that expires after `ttlMs` milliseconds. */
  insert(upload: UploadRecord, ttlMs: number): Promise<void>
  /** Extends an upload: it expires `ttlMs` milliseconds from now. @returns false if it has expired or is missing */
  extend(uuid: string, ttlMs: number): Promise<boolean>
  /** Sets the number of bytes that an upload reserves, and extends it. @returns as {@link extend} */
  hold(uuid: string, sizeBytes: number, ttlMs: number): Promise<boolean>
  /** Removes an upload. @returns true if it existed and had not expired */
  remove(uuid: string): Promise<boolean>
  /**
   * Sums the used bytes of a context's quota: live documents and uploads that have not expired. A document with a
   * replacement counts with the larger one of the two.
   */
  usedBytes(contextId: number): Promise<number>
  /**
   * Finds the UUIDs that belong to a row of a document, or to an upload that has not expired. Never misses a UUID that
   * a concurrent transaction moves from an upload to a document. Accepts any number of UUIDs.
   */
  claimed(uuids: readonly string[]): Promise<ReadonlySet<string>>
  /** Counts the expired uploads that still have a row. */
  countExpired(): Promise<number>
  /** Removes expired uploads. @param options.all true to remove all uploads */
  removeExpired(options: { readonly all: boolean }): Promise<void>
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
}

import type { Page } from '../page.js'
import type { DocumentFilter } from './document-filter.js'
import type { DocumentPage, DocumentPosition, DocumentSelection } from './document-list.js'
import type {
  DocumentRecord,
  DocumentStateCounts,
  IngestionReceipt,
  LanguageCount,
  SearchableVersions,
  VersionMark,
  WordVisibility,
} from './document-record.js'

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
   * Finds the versions of documents of a context that a filter selects, whether a search may find them or not. Cheap if
   * few documents pass it, however many there are.
   *
   * @returns their ids in ascending order
   */
  filtered(contextId: number, filter: DocumentFilter): Promise<readonly number[]>
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
        | 'excessBytes'
        | 'chunkCount'
        | 'started'
        | 'completed'
        | 'error'
        | 'deleted'
        | 'wordsVersion'
        | 'embeddedChunks'
        | 'replaces'
        | 'originalName'
        | 'nameIndex'
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
  /** @returns those of these UUIDs that a live version has, which may be a shadow: their files must stay. Any number */
  filesInUse(uuids: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * Reads which versions of a context's documents a search may find, with a mark of the same moment. By meaning, these are
   * current and completed ones. Cheap if few are hidden, however many there are. Every version that it shows by meaning
   * was completed before the call returned.
   *
   * @param words the rules for a search by words. Default: the result has no `byWords`
   */
  searchable(contextId: number, words?: WordVisibility): Promise<SearchableVersions>
  /** Counts the live documents of a context by their state. @param version version of the analyzer */
  countStates(contextId: number, version: number): Promise<DocumentStateCounts>
  /** Counts the completed current versions of a context by the language in their receipts, in any order. */
  countLanguages(contextId: number): Promise<readonly LanguageCount[]>
  /** @returns the highest id of any version, of all contexts; 0 without versions */
  lastId(): Promise<number>
  /**
   * Checks whether a version has replaced another one since {@link searchable} read a mark, or the context has another generation. A
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
  /** Removes the rows of versions. Accepts any number of ids, and ignores those without a row. */
  remove(ids: readonly number[]): Promise<void>
}

import {
  type ChunkQuery,
  type Document,
  type DocumentChanges,
  type DocumentChunk,
  type DocumentListPage,
  type DocumentListQuery,
  type DocumentReference,
  type DocumentState,
  type DocumentText,
  type DocumentWithReceipt,
  type NewDocument,
  type NewVersion,
  parseListQuery,
  type TextRange,
  type UploadOptions,
  type WaitOptions,
  type WatchOptions,
} from '../../documents/index.js'
import type { ListPage, Run } from '../../kernel/lists.js'
import { refuseUnknownMembers } from '../../kernel/validate.js'
import type { Principal } from '../../tenancy/index.js'
import type { EngineParts } from '../engine-parts.js'
import { type EngineSignals, inTurns, itemsInTurns, LISTS } from './operations.js'

/**
 * The training documents that a principal can use. Each call checks the current state of its permission. After the
 * engine is closed, all calls reject with a `ClosedError`.
 */
export interface DocumentOperations {
  /**
   * Stores the bytes of a document. A job then processes it, and makes its text searchable.
   *
   * @returns the document's UUID; for the same bytes under the same name, the UUID of the existing document
   * @throws InvalidInputError for an invalid file name, content or option
   * @throws NotFoundError `ERR_CONTEXT_NOT_FOUND`
   * @throws QuotaExceededError if the file does not fit in the rest of the context's `maxSize`, or has more than
   *   `maxFileBytes`
   * @throws LimitReachedError if the context has reached the limit `documentsPerContext`
   * @throws ExtractionError `ERR_UNSUPPORTED_FORMAT`, `ERR_WRONG_TYPE` or `ERR_EMPTY_FILE`
   * @throws LeaseLostError if no bytes arrived for more than 10 minutes
   * @throws ThrottledError if the company already has `uploadsPerCompany` uploads in progress
   * @throws StorageFullError if the disk is full
   * @throws UnauthenticatedError @throws ForbiddenError if the principal may not do this
   * @throws ClosedError if the engine is closed during the upload
   */
  upload(contextId: number, document: NewDocument, options?: UploadOptions): Promise<string>
  /**
   * Stores the bytes of a new version of a document. A job then processes it. Until it is completed, searches, lists and
   * {@link get} show the old version, whose `replacement` shows the progress. From then on they show the new version
   * alone: no search finds both or neither. Its id stays, and its UUID changes.
   *
   * - The same bytes under the same name change nothing.
   * - A second call removes a replacement that waits or has failed.
   * - If the replacement fails, the old version stays. {@link retry} retries the replacement.
   *
   * @returns the UUID of the new version. It identifies the document at once
   * @throws NotFoundError `ERR_DOCUMENT_NOT_FOUND`, also if the document is deleted while the bytes arrive
   * @throws QuotaExceededError if the context without the old version has no room for the new one
   * @throws as {@link upload}; the limit `documentsPerContext` does not count replacements
   */
  replace(document: DocumentReference, version: NewVersion, options?: UploadOptions): Promise<string>
  /**
   * Checks whether {@link upload} would accept a file of this size, before any byte is read.
   *
   * @param sizeBytes size of the file in bytes
   * @throws as {@link upload}, without the errors that depend on the bytes
   */
  checkRoom(contextId: number, sizeBytes: number, options?: Pick<UploadOptions, 'maxFileBytes'>): Promise<void>
  /** As {@link checkRoom}, for {@link replace}. @throws as {@link replace}, without the errors that depend on the bytes */
  checkReplacement(
    document: DocumentReference,
    sizeBytes: number,
    options?: Pick<UploadOptions, 'maxFileBytes'>,
  ): Promise<void>
  /**
   * Waits until the newest version of a document is completed: its replacement, if it has one. It may have to wait for the
   * server of the model, or for a disk that is full or read-only: `onWaiting` tells the reason.
   *
   * @returns the completed document
   * @throws DocumentFailedError once the failure of that version is final
   * @throws NotFoundError `ERR_DOCUMENT_NOT_FOUND`, also if the document is deleted during the wait
   * @throws UnauthenticatedError @throws ForbiddenError if the principal may not do this
   * @throws ClosedError if the engine is closed during the wait
   */
  whenProcessed(document: DocumentReference, options?: WaitOptions): Promise<Document>
  /**
   * Follows the states of a context's documents. First yields the states at the beginning, then each change: waiting,
   * processing with its progress, completed, failed. Works for documents that other processes handle too; their
   * progress is the stored one, read once a second, and counts windows in proportion to the stored chunks.
   *
   * - The iteration goes on until the caller leaves it, the `signal` is aborted, or an error ends it.
   * - A slow consumer gets only the last state of each document.
   * - A completed document is reported again if it is replaced, processed again or deleted. A deletion by this engine is
   *   reported at once, one by another process within a few seconds. A watch of a `docId` ends with it.
   * - The rights are checked every five seconds, and before a state that comes later than one second after a check.
   *
   * @throws InvalidInputError for an invalid option
   * @throws NotFoundError `ERR_CONTEXT_NOT_FOUND`, also once the context is deleted; `ERR_DOCUMENT_NOT_FOUND`
   * @throws ThrottledError at the limits `watchesPerKey` and `watchesPerCompany`
   * @throws UnauthenticatedError @throws ForbiddenError once the principal may not do this
   * @throws ClosedError once the engine is closed
   */
  watch(contextId: number, options?: WatchOptions): AsyncIterable<DocumentState>
  /**
   * Lists the documents of a context, ordered by id unless the query has another order. Each shows its current version.
   *
   * @param query a part of the list, an order and filters. Default: the whole list
   * @throws InvalidInputError for an invalid query or filter
   * @throws NotFoundError `ERR_CONTEXT_NOT_FOUND`, also if the context is deleted during the read
   * @throws UnauthenticatedError @throws ForbiddenError if the principal may not do this
   */
  list(contextId: number, query?: DocumentListQuery): Promise<Document[]>
  /** As {@link list}, but reads a few items at a time, when the consumer asks for them. @throws as {@link list} */
  entries(contextId: number, query?: DocumentListQuery): AsyncIterable<Document>
  /** As {@link entries}, with the id, and the name, after which the next page begins. @throws as {@link list} */
  page(contextId: number, query: DocumentListQuery): Promise<DocumentListPage>
  /**
   * Reads a document with its ingestion receipt.
   *
   * @throws NotFoundError `ERR_DOCUMENT_NOT_FOUND`
   * @throws UnauthenticatedError @throws ForbiddenError if the principal may not do this
   */
  get(document: DocumentReference): Promise<DocumentWithReceipt>
  /**
   * Opens the bytes of a document, as they were uploaded.
   *
   * @throws as {@link get}; the iterable throws a FileMissingError if the file is lost
   */
  open(document: DocumentReference): Promise<AsyncIterable<Uint8Array>>
  /** Lists the chunks in their order. Empty until the document is completed. @throws as {@link get} */
  chunks(document: DocumentReference): Promise<DocumentChunk[]>
  /**
   * Changes the name and the metadata of a document. Its text, its vectors and its `fileName` stay.
   *
   * @returns the changed document
   * @throws InvalidInputError that names the invalid key, or for metadata that would become too large
   * @throws NotFoundError `ERR_DOCUMENT_NOT_FOUND`
   * @throws UnauthenticatedError @throws ForbiddenError if the principal may not do this, or if another user shares the
   *   context
   */
  update(document: DocumentReference, changes: DocumentChanges): Promise<Document>
  /**
   * Reads one page of the chunks, in their order. Reads a few chunks at a time, when the consumer asks for them.
   *
   * @param query 1 to 100 chunks, after an ordinal. Default: the first 20
   * @throws InvalidInputError for an invalid query
   * @throws as {@link get}
   */
  chunkPage(document: DocumentReference, query?: ChunkQuery): Promise<ListPage<DocumentChunk>>
  /**
   * Reads the text that was extracted from a document, or a part of it: `start` and `end` of a hit or a chunk give
   * exactly its `content`.
   *
   * @param range offsets in UTF-16 units. Default: the whole text
   * @throws TextUnavailableError `ERR_NOT_READY` while the document is being processed, `ERR_DOCUMENT_FAILED` if it has
   *   failed
   * @throws InvalidInputError if the range is not within the text or has more than 4,194,304 units. Also if a version completed the document that did not store the white space in the range
   * @throws as {@link get}
   */
  text(document: DocumentReference, range?: TextRange): Promise<string>
  /**
   * As {@link text}, in pieces that are read when the consumer asks for them, for a text of any length.
   *
   * @returns the part with the length of the whole text
   * @throws as {@link text}, also during the iteration
   */
  openText(document: DocumentReference, range?: TextRange): Promise<DocumentText>
  /**
   * Processes a failed document, or its failed replacement, a second time.
   *
   * @throws InvalidInputError if neither has failed, or the replacement is still being processed
   * @throws NotFoundError `ERR_DOCUMENT_NOT_FOUND`
   * @throws UnauthenticatedError @throws ForbiddenError if the principal may not do this, or if another user shares the
   *   context
   */
  retry(document: DocumentReference): Promise<Document>
  /**
   * Deletes a document, with its replacement. No search finds it from now on. Jobs remove its vectors, words and files:
   * see `Engine.whenCleared`.
   *
   * @returns the document before its deletion
   * @throws NotFoundError `ERR_DOCUMENT_NOT_FOUND`
   * @throws UnauthenticatedError @throws ForbiddenError if the principal may not do this, or if another user shares the
   *   context
   */
  delete(document: DocumentReference): Promise<Document>
}

export function createDocumentOperations(
  parts: EngineParts,
  principal: Principal,
  signals: EngineSignals,
): DocumentOperations {
  const { run } = signals
  const operations: DocumentOperations = {
    upload: async (contextId, document, options = {}) => {
      return await signals.runUntilClosed(options.signal, async (signal) => {
        const uuid = await parts.uploadDocument.execute(principal, contextId, document, { ...options, signal })
        signals.workers?.documentUploaded()
        return uuid
      })
    },
    replace: async (document, version, options = {}) => {
      return await signals.runUntilClosed(options.signal, async (signal) => {
        const replacing = { ...options, signal }
        const { uuid, removedIds } = await parts.replaceDocument.execute(principal, document, version, replacing)
        signals.workers?.versionsDeleted(removedIds)
        signals.workers?.documentUploaded()
        signals.workers?.documentRenamed()
        return uuid
      })
    },
    checkRoom: async (contextId, sizeBytes, options) => {
      refuseUnknownMembers(options, ['maxFileBytes'], 'option')
      await parts.uploadDocument.check(principal, contextId, sizeBytes, options)
    },
    checkReplacement: async (document, sizeBytes, options) => {
      refuseUnknownMembers(options, ['maxFileBytes'], 'option')
      await parts.replaceDocument.check(principal, document, sizeBytes, options)
    },
    whenProcessed: async (document, options) => {
      refuseUnknownMembers(options, ['signal', 'onWaiting'], 'option')
      return await signals.runUntilClosed(options?.signal, async (signal) => {
        return await parts.waitForDocument.execute(principal, document, { ...options, signal })
      })
    },
    watch: (contextId, options) => watchDocuments(parts, principal, signals, contextId, options),
    ...createDocumentLists(parts, principal, run),
    get: async (document) => await parts.documents.get(principal, document),
    open: async (document) => itemsInTurns(await parts.documents.open(principal, document), run),
    chunks: async (document) => await parts.documents.chunks(principal, document),
    update: async (document, changes) => {
      const updated = await parts.documents.update(principal, document, changes)
      signals.workers?.documentRenamed()
      return updated
    },
    chunkPage: async (document, query) => {
      const { items, nextAfter } = await parts.documents.chunkPage(principal, document, query)
      return { items: itemsInTurns(items, run), nextAfter }
    },
    text: async (document, range) => await parts.documents.text(principal, document, range),
    openText: async (document, range) => {
      const text = await parts.documents.openText(principal, document, range)
      return { ...text, pieces: itemsInTurns(text.pieces, run) }
    },
    retry: async (document) => {
      const retried = await parts.documents.retry(principal, document)
      signals.workers?.documentUploaded()
      return retried
    },
    delete: async (document) => {
      const { document: deleted, versionIds } = await parts.documents.delete(principal, document)
      parts.watchDocuments.tellDeleted(deleted)
      signals.workers?.versionsDeleted(versionIds)
      // An event of the deletion may be among them.
      signals.workers?.deliveriesQueued()
      return deleted
    },
  }
  return inTurns(operations, run, [...LISTS, 'upload', 'replace', 'whenProcessed', 'watch'])
}

async function* watchDocuments(
  { watchDocuments: watches }: EngineParts,
  principal: Principal,
  signals: EngineSignals,
  contextId: number,
  options?: WatchOptions,
): AsyncGenerator<DocumentState> {
  const signal = options?.signal
  const open = async () => await watches.open(principal, contextId, signals.run, options)
  const watch = await signals.runUntilClosed(signal, async () => await signals.run(open))
  // Also while the caller does not ask for the next state.
  const end = (): void => watch.end()
  signal?.addEventListener('abort', end, { once: true })
  try {
    options?.onOpen?.()
    for (;;) {
      const state = await signals.runUntilClosed(signal, async (either) => await watch.next(either))
      if (state === undefined) return
      yield state
    }
  } finally {
    signal?.removeEventListener('abort', end)
    watch.end()
  }
}

function createDocumentLists(
  parts: EngineParts,
  principal: Principal,
  run: Run,
): Pick<DocumentOperations, 'list' | 'entries' | 'page'> {
  return {
    list: async (contextId, query) => {
      const parsed = parseListQuery(query)
      return await parts.documents.list(principal, contextId, parsed).through(run).list(parsed)
    },
    // A generator: an invalid query is an error of the first read.
    entries: async function* (contextId, query) {
      const parsed = parseListQuery(query)
      yield* parts.documents.list(principal, contextId, parsed).through(run).entries(parsed)
    },
    page: async (contextId, query) => {
      const parsed = parseListQuery(query)
      const { items, next } = await parts.documents.list(principal, contextId, parsed).through(run).page(parsed)
      return {
        items,
        nextAfter: next?.publicId ?? null,
        nextAfterName: parsed.order === 'name' ? (next?.foldedName ?? null) : null,
      }
    },
  }
}

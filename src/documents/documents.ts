import type { z } from 'zod'
import { ASSISTANT, findReadable, type WaitingReasons } from '../contexts/index.js'
import { errorCodeOf, InvalidInputError, TextUnavailableError } from '../kernel/errors.js'
import { type ListPage, OrderedList, SLOW_READER_MS } from '../kernel/lists.js'
import { integerSchema, objectSchema, parseId, validate } from '../kernel/validate.js'
import { recordDocumentEvent } from '../outbox/index.js'
import {
  type Clock,
  type ContextRecord,
  type DocumentPosition,
  type DocumentRecord,
  type DocumentRepository,
  displayNameOf,
  type FileStore,
  type IngestionReceipt,
  type Repositories,
  type Storage,
} from '../ports/index.js'
import { type Authorizer, type Principal, parsePrincipal } from '../tenancy/index.js'
import {
  type Document,
  type DocumentReference,
  type DocumentWithReceipt,
  type FoundDocument,
  findDocument,
  isUnfinished,
  recordDocumentChange,
  toDocument,
} from './document.js'
import { type DocumentChunk, toDocumentChunk } from './document-chunk.js'
import { enqueueIngestion } from './document-jobs.js'
import { type ParsedListQuery, positionOf } from './document-list.js'
import { type DocumentText, inParts, joinText, openText, type TextRange } from './document-text.js'
import type { EmbeddingModels } from './embedding-models.js'
import { changeVersion, type IndexName } from './index-name.js'
import { type MeasuredModel, readMeasured } from './languages/known-languages.js'
import { withLanguageWarning } from './languages/language-warning.js'
import { type DocumentChanges, documentChangesSchema, isSameMetadata, mergeMetadata } from './metadata.js'
import { deleteVersions, listVersions, UNPROCESSED } from './versions.js'

/** A page of the chunks of a document. */
export interface ChunkQuery {
  /** 1 to 100 chunks; default 20. */
  readonly limit?: number | undefined
  /** Only chunks with a higher ordinal. For the next page: the ordinal of the last chunk. Default: from the first. */
  readonly after?: number | undefined
}

export const chunkQuerySchema: z.ZodType<ChunkQuery> = objectSchema({
  limit: integerSchema({ min: 1, max: 100 }).optional(),
  after: integerSchema({ min: 0 }).optional(),
})

const DEFAULT_CHUNKS = 20
const CHUNKS_PER_READ = 4

/** The documents of contexts. Each call checks the current rights of the principal. */
export class Documents {
  constructor(
    private readonly storage: Storage,
    private readonly fileStore: FileStore,
    private readonly clock: Clock,
    private readonly authorizer: Authorizer,
    private readonly waitingReasons: WaitingReasons,
    private readonly indexName: IndexName,
    private readonly models: EmbeddingModels,
  ) {}

  /** @throws NotFoundError `ERR_DOCUMENT_NOT_FOUND` */
  async get(principal: Principal, reference: DocumentReference): Promise<DocumentWithReceipt> {
    const access = await this.authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'context:read')
    const { measured, ...found } = await this.storage.read(async (repositories) => {
      const { document, replacement, context } = await findDocument(repositories, access, reference, 'read')
      const waiting = isUnfinished(replacement ?? document)
        ? await this.waitingReasons.sentence(repositories.settings, context.embeddingModel, 'the document')
        : null
      const waitingCode = errorCodeOf(waiting)
      const { receipt } = document
      const measuredNow = await this.#measured(repositories, receipt)
      return { ...toDocument(document, replacement), receipt, waiting, waitingCode, measured: measuredNow }
    })
    return { ...found, receipt: found.receipt && (await withLanguageWarning(found.receipt, measured)) }
  }

  async #measured({ settings }: Repositories, receipt: IngestionReceipt | null): Promise<MeasuredModel | undefined> {
    if (receipt === null || receipt.language === null) return undefined
    const { embeddingModel: id } = receipt
    return this.models.ids.includes(id) ? await readMeasured(settings, this.models.get(id)) : undefined
  }

  /** @returns the bytes as they were received */
  async open(principal: Principal, reference: DocumentReference): Promise<AsyncIterable<Uint8Array>> {
    const { document } = await this.#find(principal, reference)
    return this.#whileLive(principal, document, this.fileStore.read(document.uuid))
  }

  /**
   * Opens a part of the text that was extracted from a document, for a consumer that may be slow.
   *
   * @throws TextUnavailableError `ERR_NOT_READY` while the document is being processed, `ERR_DOCUMENT_FAILED` if it has
   *   failed
   * @throws InvalidInputError if the range is not within its text
   */
  async openText(principal: Principal, reference: DocumentReference, range?: TextRange): Promise<DocumentText> {
    const { document, replacement } = await this.#find(principal, reference)
    // A document that failed has its text once its replacement is completed.
    if (document.receipt === null && replacement !== undefined) throw new TextUnavailableError(replacement)
    const text = openText(this.storage, document, range)
    return { ...text, pieces: this.#whileLive(principal, document, inParts(text.pieces)) }
  }

  /** As {@link openText}, as a string. @throws InvalidInputError also for a part that is too long for one string */
  async text(principal: Principal, reference: DocumentReference, range?: TextRange): Promise<string> {
    return await joinText(await this.openText(principal, reference, range))
  }

  /** One page of the chunks, in their order; without chunks before the document is completed. */
  async chunkPage(
    principal: Principal,
    reference: DocumentReference,
    query: ChunkQuery = {},
  ): Promise<ListPage<DocumentChunk>> {
    const { limit = DEFAULT_CHUNKS, after = -1 } = validate(chunkQuerySchema, query)
    const { document } = await this.#find(principal, reference)
    const chunkCount = document.completed === null ? 0 : document.chunkCount
    const nextAfter = after + limit < chunkCount - 1 ? after + limit : null
    return {
      items: this.#chunksFrom(principal, document, after + 1, Math.min(after + 1 + limit, chunkCount)),
      nextAfter,
    }
  }

  /** Reads few chunks at a time: each may have half a megabyte. */
  async *#chunksFrom(
    principal: Principal,
    document: DocumentRecord,
    first: number,
    end: number,
  ): AsyncGenerator<DocumentChunk> {
    for (let ordinal = first; ordinal < end; ordinal += CHUNKS_PER_READ) {
      const part = { ordinal, limit: Math.min(CHUNKS_PER_READ, end - ordinal) }
      const read = await this.storage.read(({ chunks }) => chunks.listFrom(document.id, part))
      // A purge removes a part of the chunks at a time.
      const isWhole = read.length === part.limit && read.every((chunk, index) => chunk.ordinal === ordinal + index)
      if (!isWhole || ordinal > first) await this.#requireLive(principal, document)
      for (const chunk of read) {
        const givenAt = performance.now()
        yield toDocumentChunk(chunk, document)
        if (performance.now() - givenAt > SLOW_READER_MS) await this.#requireLive(principal, document)
      }
      if (read.length < part.limit) return
    }
  }

  /** @returns the chunks in their order; none before the document is completed */
  async chunks(principal: Principal, reference: DocumentReference): Promise<DocumentChunk[]> {
    const { document } = await this.#find(principal, reference)
    if (document.completed === null) return []
    const stored = await this.storage.read(({ chunks }) => chunks.list(document.id))
    if (stored.length !== document.chunkCount) await this.#requireLive(principal, document)
    return stored.map((chunk) => toDocumentChunk(chunk, document))
  }

  /**
   * The documents of a context in the order of a query. Reading the list throws NotFoundError `ERR_CONTEXT_NOT_FOUND`,
   * also if the context is deleted during the read.
   *
   * @param query its order and selection
   */
  list(
    principal: Principal,
    contextId: number,
    { order, selection }: ParsedListQuery,
  ): OrderedList<Document, DocumentPosition | undefined> {
    type List<T> = (documents: DocumentRepository, id: number) => Promise<T>
    const read = async <T>(list: List<T>): Promise<T> => {
      const access = await this.authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'context:read')
      const id = parseId(contextId, 'contextId')
      return await this.storage.read(async (repositories) => {
        await findReadable(repositories, access, id)
        return await list(repositories.documents, id)
      })
    }
    return new OrderedList<Document, DocumentPosition | undefined>({
      start: undefined,
      read: async (part) =>
        await read(async (documents, id) =>
          (await listVersions(documents, id, { ...part, order }, selection)).map(({ current, replacement }) =>
            toDocument(current, replacement),
          ),
        ),
      positions: async (part) =>
        await read((documents, id) => documents.listPositions(id, { ...part, order }, selection)),
      positionOf: ({ id, displayName }) => positionOf(id, displayName),
    })
  }

  /**
   * Changes the name and the metadata of a document. The next search finds it by the new metadata, and by the words of
   * the new name; a document of more than 64 chunks by these a moment later. Changes that change nothing are not
   * recorded.
   *
   * @returns the changed document
   * @throws InvalidInputError that names the invalid key, or for metadata that would become too large
   * @throws NotFoundError `ERR_DOCUMENT_NOT_FOUND`
   * @throws ForbiddenError if another user shares the context
   */
  async update(principal: Principal, reference: DocumentReference, changes: DocumentChanges): Promise<Document> {
    let [isRenamed, versionId] = [false as boolean, 0]
    const result = await this.#change(
      principal,
      reference,
      'document.updated',
      async (repositories, { document, replacement }) => {
        const { displayName, metadata } = validate(documentChangesSchema, changes)
        const changed = (version: DocumentRecord): DocumentRecord => ({
          ...version,
          ...(displayName !== undefined && { displayName }),
          ...(metadata !== undefined && { metadata: mergeMetadata(version.metadata, metadata) }),
        })
        // A replacement may have brought metadata of its own, which the changes are merged into.
        const versions = replacement === undefined ? [document] : [document, replacement]
        const different = versions.filter((version) => !isDescribedAs(version, changed(version)))
        for (const version of different) {
          const { displayName, metadata } = changed(version)
          await changeVersion(repositories, version, { displayName, metadata })
        }
        isRenamed = displayNameOf(changed(document)) !== displayNameOf(document)
        versionId = document.id
        return { result: toDocument(changed(document), replacement), isChanged: different.length > 0 }
      },
    )
    if (isRenamed) await this.indexName.indexIfSmall(versionId)
    return result
  }

  /**
   * Deletes a document, with its replacement. It is invisible at once; jobs remove its data from the disk.
   *
   * @returns the document before its deletion, and the ids of its versions
   * @throws NotFoundError `ERR_DOCUMENT_NOT_FOUND`
   * @throws ForbiddenError if another user shares the context
   */
  async delete(
    principal: Principal,
    reference: DocumentReference,
  ): Promise<{ readonly document: Document; readonly versionIds: readonly number[] }> {
    return await this.#change(principal, reference, 'document.deleted', async (repositories, found) => {
      const { document, replacement } = found
      const ids = [document.id, ...(replacement === undefined ? [] : [replacement.id])]
      const versionIds = await deleteVersions(repositories, ids, this.clock.now().toISOString())
      await recordDocumentEvent(repositories, this.clock, 'document.deleted', document, {})
      return { result: { document: toDocument(document, replacement), versionIds } }
    })
  }

  /**
   * Processes a failed document, or its failed replacement, a second time, from the bytes as they were received.
   *
   * @throws NotFoundError `ERR_DOCUMENT_NOT_FOUND`
   * @throws InvalidInputError if neither has failed, or the replacement is being processed
   * @throws ForbiddenError if another user shares the context
   */
  async retry(principal: Principal, reference: DocumentReference): Promise<Document> {
    return await this.#change(principal, reference, 'document.retried', async (repositories, found) => {
      const { document, replacement, context } = found
      const failed = replacement ?? document
      if (failed.error === null) throw notFailed(found)
      await resetDocument(repositories, failed, context)
      const reset = { ...failed, error: null, started: null }
      return { result: replacement === undefined ? toDocument(reset) : toDocument(document, reset) }
    })
  }

  async #find(principal: Principal, reference: DocumentReference): Promise<FoundDocument> {
    const access = await this.authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'context:read')
    return await this.storage.read((repositories) => findDocument(repositories, access, reference, 'read'))
  }

  /**
   * Reads data of a version, and checks the rights of the caller before each part but the first: a long answer ends once
   * the caller may not read the context any more.
   *
   * @throws NotFoundError once the version is deleted or replaced, or the caller may not read its context
   * @throws UnauthenticatedError @throws ForbiddenError
   */
  async *#whileLive<Item>(
    principal: Principal,
    document: DocumentRecord,
    items: AsyncIterable<Item>,
  ): AsyncGenerator<Item> {
    let isFirst = true
    try {
      for await (const item of items) {
        if (!isFirst) await this.#requireLive(principal, document)
        isFirst = false
        yield item
      }
    } catch (error) {
      await this.#requireLive(principal, document)
      throw error
    }
  }

  /** Checks that the caller may read a version, and that no purge may have removed data of it. @throws NotFoundError */
  async #requireLive(principal: Principal, { uuid }: DocumentRecord): Promise<void> {
    // A UUID identifies a version, so the UUID of a replaced version is not found.
    await this.#find(principal, uuid)
  }

  /**
   * Changes a document, and records the change in the same transaction.
   * @param change returns false in `isChanged` if it changed nothing. Default: true
   */
  async #change<Changed>(
    principal: Principal,
    reference: DocumentReference,
    action: 'document.updated' | 'document.deleted' | 'document.retried',
    change: (
      repositories: Repositories,
      found: FoundDocument,
    ) => Promise<{ readonly result: Changed; readonly isChanged?: boolean }>,
  ): Promise<Changed> {
    const access = await this.authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'document:write')
    return await this.storage.transaction(async (repositories) => {
      const found = await findDocument(repositories, access, reference, 'write')
      const { result, isChanged = true } = await change(repositories, found)
      if (isChanged) await recordDocumentChange(repositories, access, this.clock.now(), action, found.document)
      return result
    })
  }
}

/** True if both records show the same name and metadata. */
function isDescribedAs(one: DocumentRecord, other: DocumentRecord): boolean {
  return one.displayName === other.displayName && isSameMetadata(one.metadata, other.metadata)
}

function notFailed({ document, replacement }: FoundDocument): InvalidInputError {
  const state = document.completed === null ? 'it is still being processed' : 'it is completed'
  return new InvalidInputError(
    'document',
    `the document ${document.uuid} has not failed: ${replacement === undefined ? state : 'its replacement is still being processed'}`,
  )
}

/** Resets a failed or completed version and enqueues its processing. Until that is finished, no search finds it. */
export async function resetDocument(
  repositories: Repositories,
  document: Pick<DocumentRecord, 'id' | 'contextId'>,
  context?: Pick<ContextRecord, 'accountId'>,
): Promise<void> {
  await enqueueIngestion(repositories, document, context)
  await repositories.documents.update(document.id, UNPROCESSED)
}

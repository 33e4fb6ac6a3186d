import type { z } from 'zod'
import { recordChange } from '../audit/index.js'
import { ASSISTANT, findReadable } from '../contexts/index.js'
import { InvalidInputError } from '../kernel/errors.js'
import { type ListPage, type ListQuery, RowList } from '../kernel/lists.js'
import { integerSchema, objectSchema, parseId, validate } from '../kernel/validate.js'
import type {
  Clock,
  ContextRecord,
  DocumentConditions,
  DocumentRecord,
  DocumentRepository,
  FileStore,
  Repositories,
  Storage,
} from '../ports/index.js'
import { type Authorizer, type Principal, parsePrincipal } from '../tenancy/index.js'
import {
  type Document,
  type DocumentReference,
  type DocumentWithReceipt,
  findDocument,
  toDocument,
} from './document.js'
import { type DocumentChunk, toDocumentChunk } from './document-chunk.js'
import { parseFilter } from './document-filter.js'
import { enqueueIngestion, INGEST_DOCUMENT, PURGE_DOCUMENT } from './document-jobs.js'
import { type DocumentChanges, documentChangesSchema, mergeMetadata } from './metadata.js'

/** A part of a list of documents. */
export interface DocumentListQuery extends ListQuery {
  /** Only documents that meet these conditions. Default: all documents. */
  readonly filter?: DocumentConditions | undefined
}

import { type DocumentText, openText, readTextWhole, type TextRange } from './document-text.js'

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
  readonly #storage: Storage
  readonly #fileStore: FileStore
  readonly #clock: Clock
  readonly #authorizer: Authorizer

  constructor(storage: Storage, fileStore: FileStore, clock: Clock, authorizer: Authorizer) {
    this.#storage = storage
    this.#fileStore = fileStore
    this.#clock = clock
    this.#authorizer = authorizer
  }

  /** @throws NotFoundError `ERR_DOCUMENT_NOT_FOUND` */
  async get(principal: Principal, reference: DocumentReference): Promise<DocumentWithReceipt> {
    const document = await this.#find(principal, reference)
    return { ...toDocument(document), receipt: document.receipt }
  }

  /** @returns the bytes as they were received */
  async open(principal: Principal, reference: DocumentReference): Promise<AsyncIterable<Uint8Array>> {
    const { uuid } = await this.#find(principal, reference)
    return this.#fileStore.read(uuid)
  }

  /**
   * Opens a part of the text that was extracted from a document, for a consumer that may be slow.
   *
   * @throws InvalidInputError if the document is not completed, or the range is not within its text
   */
  async openText(principal: Principal, reference: DocumentReference, range?: TextRange): Promise<DocumentText> {
    return openText(this.#storage, await this.#find(principal, reference), range)
  }

  /** As {@link openText}, as a string. @throws InvalidInputError also for a part that is too long for one string */
  async text(principal: Principal, reference: DocumentReference, range?: TextRange): Promise<string> {
    return await readTextWhole(this.#storage, await this.#find(principal, reference), range)
  }

  /** One page of the chunks, in their order; without chunks before the document is completed. */
  async chunkPage(
    principal: Principal,
    reference: DocumentReference,
    query: ChunkQuery = {},
  ): Promise<ListPage<DocumentChunk>> {
    const { limit = DEFAULT_CHUNKS, after = -1 } = validate(chunkQuerySchema, query)
    const document = await this.#find(principal, reference)
    const chunkCount = document.completed === null ? 0 : document.chunkCount
    const nextAfter = after + limit < chunkCount - 1 ? after + limit : null
    return { items: this.#chunksFrom(document.id, after + 1, limit), nextAfter }
  }

  /** Reads few chunks at a time: each may have half a megabyte. */
  async *#chunksFrom(documentId: number, first: number, limit: number): AsyncGenerator<DocumentChunk> {
    for (let ordinal = first; ordinal < first + limit; ordinal += CHUNKS_PER_READ) {
      const part = { ordinal, limit: Math.min(CHUNKS_PER_READ, first + limit - ordinal) }
      const read = await this.#storage.read(({ chunks }) => chunks.listFrom(documentId, part))
      yield* read.map(toDocumentChunk)
      if (read.length < part.limit) return
    }
  }

  /** @returns the chunks in their order; none before the document is completed */
  async chunks(principal: Principal, reference: DocumentReference): Promise<DocumentChunk[]> {
    const { id } = await this.#find(principal, reference)
    return (await this.#storage.read(({ chunks }) => chunks.list(id))).map(toDocumentChunk)
  }

  /**
   * The documents of a context, ordered by id. Reading the list throws NotFoundError `ERR_CONTEXT_NOT_FOUND`, also if
   * the context is deleted during the read, and InvalidInputError for an invalid filter.
   *
   * @param filter only documents that meet these conditions. Default: all documents
   */
  list(principal: Principal, contextId: number, filter?: DocumentConditions): RowList<Document> {
    type List<T> = (documents: DocumentRepository, id: number, conditions: DocumentConditions | undefined) => Promise<T>
    const read = async <T>(list: List<T>): Promise<T> => {
      const access = await this.#authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'context:read')
      const id = parseId(contextId, 'contextId')
      const conditions = parseFilter(filter)
      return await this.#storage.read(async (repositories) => {
        await findReadable(repositories, access, id)
        return await list(repositories.documents, id, conditions)
      })
    }
    return new RowList({
      read: async (page) =>
        (await read((documents, id, conditions) => documents.list(id, page, conditions))).map(toDocument),
      ids: async (page) => await read((documents, id, conditions) => documents.listLiveIds(id, page, conditions)),
    })
  }

  /**
   * Changes the name and the metadata of a document. The next search finds it by the new metadata.
   *
   * @returns the changed document
   * @throws InvalidInputError that names the invalid key, or for metadata that would become too large
   * @throws NotFoundError `ERR_DOCUMENT_NOT_FOUND`
   * @throws ForbiddenError if another user shares the context
   */
  async update(principal: Principal, reference: DocumentReference, changes: DocumentChanges): Promise<Document> {
    return await this.#change(principal, reference, 'document.updated', async (repositories, { document }) => {
      const { displayName, metadata } = validate(documentChangesSchema, changes)
      const changed = {
        ...(displayName !== undefined && { displayName }),
        ...(metadata !== undefined && { metadata: mergeMetadata(document.metadata, metadata) }),
      }
      await repositories.documents.describe(document.publicId, changed)
      return toDocument({ ...document, ...changed })
    })
  }

  /**
   * Deletes a document. It is invisible at once; a job removes its data from the disk.
   *
   * @returns the document before its deletion
   * @throws NotFoundError `ERR_DOCUMENT_NOT_FOUND`
   * @throws ForbiddenError if another user shares the context
   */
  async delete(principal: Principal, reference: DocumentReference): Promise<Document> {
    return await this.#change(principal, reference, 'document.deleted', async (repositories, { document }) => {
      await repositories.documents.update(document.id, { deleted: this.#clock.now().toISOString() })
      await repositories.jobs.cancel({ kind: INGEST_DOCUMENT, subject: document.id })
      await repositories.jobs.enqueue({ kind: PURGE_DOCUMENT, subject: document.id })
      return toDocument(document)
    })
  }

  /**
   * Processes a failed document a second time, from the bytes as they were received.
   *
   * @throws NotFoundError `ERR_DOCUMENT_NOT_FOUND`
   * @throws InvalidInputError if the document has not failed
   * @throws ForbiddenError if another user shares the context
   */
  async retry(principal: Principal, reference: DocumentReference): Promise<Document> {
    return await this.#change(principal, reference, 'document.retried', async (repositories, { document, context }) => {
      if (document.error === null) {
        const state = document.completed === null ? 'is still being processed' : 'is completed'
        throw new InvalidInputError('document', `the document ${document.uuid} has not failed: it ${state}`)
      }
      await resetDocument(repositories, document, context)
      return toDocument({ ...document, error: null, started: null })
    })
  }

  async #find(principal: Principal, reference: DocumentReference): Promise<DocumentRecord> {
    const access = await this.#authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'context:read')
    const found = await this.#storage.read((repositories) => findDocument(repositories, access, reference, 'read'))
    return found.document
  }

  /** Changes a document and records the change, in one transaction. */
  async #change(
    principal: Principal,
    reference: DocumentReference,
    action: 'document.updated' | 'document.deleted' | 'document.retried',
    change: (repositories: Repositories, found: Awaited<ReturnType<typeof findDocument>>) => Promise<Document>,
  ): Promise<Document> {
    const access = await this.#authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'document:write')
    return await this.#storage.transaction(async (repositories) => {
      const found = await findDocument(repositories, access, reference, 'write')
      const changed = await change(repositories, found)
      await recordChange(repositories, access.by, this.#clock.now(), {
        action,
        companyId: access.companyId,
        targetId: found.document.id,
        details: { contextId: found.document.contextId },
      })
      return changed
    })
  }
}

/** Resets a failed or completed document and enqueues its processing. Until that is finished, no search finds it. */
export async function resetDocument(
  repositories: Repositories,
  document: Pick<DocumentRecord, 'id' | 'contextId'>,
  context?: Pick<ContextRecord, 'accountId'>,
): Promise<void> {
  await enqueueIngestion(repositories, document, context)
  const initialState = {
    error: null,
    started: null,
    completed: null,
    chunkCount: 0,
    receipt: null,
    wordsVersion: null,
    embeddedChunks: 0,
  }
  await repositories.documents.update(document.id, initialState)
}

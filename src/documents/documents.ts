import { recordChange } from '../audit/index.js'
import { ASSISTANT, findReadable } from '../contexts/index.js'
import { InvalidInputError } from '../kernel/errors.js'
import { RowList } from '../kernel/lists.js'
import { parseId } from '../kernel/validate.js'
import type {
  ChunkRecord,
  Clock,
  ContextRecord,
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
import { enqueueIngestion, INGEST_DOCUMENT, PURGE_DOCUMENT } from './document-jobs.js'

/** A chunk of a document. */
export interface DocumentChunk {
  readonly id: number
  readonly docId: number
  /** 0 for the first chunk. */
  readonly ordinal: number
  readonly content: string
  /** UTF-16 offset of the chunk in the extracted text. */
  readonly start: number
  readonly tokens: number
}

/** Reads one document: its record and receipt, its bytes, its chunks. */
export class GetDocument {
  readonly #storage: Storage
  readonly #fileStore: FileStore
  readonly #authorizer: Authorizer

  constructor(storage: Storage, fileStore: FileStore, authorizer: Authorizer) {
    this.#storage = storage
    this.#fileStore = fileStore
    this.#authorizer = authorizer
  }

  /** @throws NotFoundError `ERR_DOCUMENT_NOT_FOUND` */
  async execute(principal: Principal, reference: DocumentReference): Promise<DocumentWithReceipt> {
    const document = await this.#find(principal, reference)
    return { ...toDocument(document), receipt: document.receipt }
  }

  /** @returns the bytes as they were received */
  async open(principal: Principal, reference: DocumentReference): Promise<AsyncIterable<Uint8Array>> {
    const { uuid } = await this.#find(principal, reference)
    return this.#fileStore.read(uuid)
  }

  /** @returns the chunks in their order; none before the document is completed */
  async chunks(principal: Principal, reference: DocumentReference): Promise<DocumentChunk[]> {
    const { id } = await this.#find(principal, reference)
    return (await this.#storage.read(({ chunks }) => chunks.list(id))).map(toDocumentChunk)
  }

  async #find(principal: Principal, reference: DocumentReference) {
    const access = await this.#authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'context:read')
    const found = await this.#storage.read((repositories) => findDocument(repositories, access, reference, 'read'))
    return found.document
  }
}

function toDocumentChunk({ id, documentId, ordinal, content, start, tokens }: ChunkRecord): DocumentChunk {
  return { id, docId: documentId, ordinal, content, start, tokens }
}

/** Lists the documents of a context, ordered by id. */
export class ListDocuments {
  readonly #storage: Storage
  readonly #authorizer: Authorizer

  constructor(storage: Storage, authorizer: Authorizer) {
    this.#storage = storage
    this.#authorizer = authorizer
  }

  /** Reading the list throws NotFoundError `ERR_CONTEXT_NOT_FOUND`, also if the context is deleted during the read. */
  execute(principal: Principal, contextId: number): RowList<Document> {
    const read = async <T>(list: (documents: DocumentRepository, id: number) => Promise<T>): Promise<T> => {
      const access = await this.#authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'context:read')
      const id = parseId(contextId, 'contextId')
      return await this.#storage.read(async (repositories) => {
        await findReadable(repositories, access, id)
        return await list(repositories.documents, id)
      })
    }
    return new RowList({
      read: async (page) => (await read((documents, id) => documents.list(id, page))).map(toDocument),
      ids: async (page) => await read((documents, id) => documents.listLiveIds(id, page)),
    })
  }
}

/** Deletes a document. It is invisible at once; a job removes its data from the disk. */
export class DeleteDocument {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #authorizer: Authorizer

  constructor(storage: Storage, clock: Clock, authorizer: Authorizer) {
    this.#storage = storage
    this.#clock = clock
    this.#authorizer = authorizer
  }

  /**
   * @returns the document before its deletion
   * @throws NotFoundError `ERR_DOCUMENT_NOT_FOUND`
   * @throws ForbiddenError if another user shares the context
   */
  async execute(principal: Principal, reference: DocumentReference): Promise<Document> {
    const access = await this.#authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'document:write')
    return await this.#storage.transaction(async (repositories) => {
      const { document } = await findDocument(repositories, access, reference, 'write')
      await repositories.documents.update(document.id, { deleted: this.#clock.now().toISOString() })
      await repositories.jobs.cancel({ kind: INGEST_DOCUMENT, subject: document.id })
      await repositories.jobs.enqueue({ kind: PURGE_DOCUMENT, subject: document.id })
      await recordChange(repositories, access.by, this.#clock.now(), {
        action: 'document.deleted',
        companyId: access.companyId,
        targetId: document.id,
        details: { contextId: document.contextId },
      })
      return toDocument(document)
    })
  }
}

/** Processes a failed document a second time, from the bytes as they were received. */
export class RetryDocument {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #authorizer: Authorizer

  constructor(storage: Storage, clock: Clock, authorizer: Authorizer) {
    this.#storage = storage
    this.#clock = clock
    this.#authorizer = authorizer
  }

  /**
   * @throws NotFoundError `ERR_DOCUMENT_NOT_FOUND`
   * @throws InvalidInputError if the document has not failed
   * @throws ForbiddenError if another user shares the context
   */
  async execute(principal: Principal, reference: DocumentReference): Promise<Document> {
    const access = await this.#authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'document:write')
    return await this.#storage.transaction(async (repositories) => {
      const { document, context } = await findDocument(repositories, access, reference, 'write')
      if (document.error === null) {
        const state = document.completed === null ? 'is still being processed' : 'is completed'
        throw new InvalidInputError('document', `the document ${document.uuid} has not failed: it ${state}`)
      }
      await resetDocument(repositories, document, context)
      await recordChange(repositories, access.by, this.#clock.now(), {
        action: 'document.retried',
        companyId: access.companyId,
        targetId: document.id,
        details: { contextId: document.contextId },
      })
      return toDocument({ ...document, error: null, started: null })
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

import { recordChange } from '../audit/index.js'
import { ASSISTANT } from '../contexts/index.js'
import { InvalidInputError } from '../kernel/errors.js'
import type { Clock, ContextRecord, DocumentRecord, Repositories, Storage } from '../ports/index.js'
import { type Authorizer, type Principal, parsePrincipal } from '../tenancy/index.js'
import { type Document, type DocumentReference, findDocument, toDocument } from './document.js'
import { enqueueIngestion, INGEST_DOCUMENT, PURGE_DOCUMENT } from './enqueue.js'

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

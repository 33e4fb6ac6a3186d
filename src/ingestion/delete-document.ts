import { recordChange } from '../audit/index.js'
import { ASSISTANT } from '../context/index.js'
import type { Clock, Storage } from '../ports/index.js'
import { type Authorizer, type Principal, parsePrincipal } from '../tenancy-authorization/index.js'
import { type Document, type DocumentReference, toDocument } from './document.js'
import { findDocument } from './document-access.js'
import { INGEST_DOCUMENT, PURGE_DOCUMENT } from './job-kinds.js'

/** Deletes a document: at once for everybody who looks, on the disk by a job. */
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
   * @returns the document as it was
   * @throws NotFoundError `ERR_DOCUMENT_NOT_FOUND`
   * @throws ForbiddenError where another user shares the context
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

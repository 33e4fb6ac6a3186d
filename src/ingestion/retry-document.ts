import { ASSISTANT } from '../context/index.js'
import type { Repositories, Storage } from '../ports/index.js'
import { InvalidInputError } from '../shared/errors.js'
import { type Authorizer, type Principal, parsePrincipal } from '../tenancy-authorization/index.js'
import { type Document, type DocumentReference, toDocument } from './document.js'
import { findDocument } from './document-access.js'
import { INGEST_DOCUMENT } from './job-kinds.js'

/** Processes a document that has failed once more, from the bytes as they were received. */
export class RetryDocument {
  readonly #storage: Storage
  readonly #authorizer: Authorizer

  constructor(storage: Storage, authorizer: Authorizer) {
    this.#storage = storage
    this.#authorizer = authorizer
  }

  /**
   * @throws NotFoundError `ERR_DOCUMENT_NOT_FOUND`
   * @throws InvalidInputError where the document has not failed
   * @throws ForbiddenError where another user shares the context
   */
  async execute(principal: Principal, reference: DocumentReference): Promise<Document> {
    const access = await this.#authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'document:write')
    return await this.#storage.transaction(async (repositories) => {
      const { document } = await findDocument(repositories, access, reference, 'write')
      if (document.error === null) {
        const state = document.completed === null ? 'is still being processed' : 'is completed'
        throw new InvalidInputError('document', `the document ${document.uuid} has not failed: it ${state}`)
      }
      await processAgain(repositories, document.id)
      return toDocument({ ...document, error: null, started: null })
    })
  }
}

/** Puts a failed document back to the beginning. */
export async function processAgain({ documents, jobs }: Repositories, documentId: number): Promise<void> {
  await documents.update(documentId, { error: null, started: null })
  await jobs.enqueue({ kind: INGEST_DOCUMENT, subject: documentId })
}

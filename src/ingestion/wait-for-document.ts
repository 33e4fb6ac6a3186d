import { ASSISTANT } from '../context/index.js'
import type { Storage } from '../ports/index.js'
import { DocumentFailedError } from '../shared/errors.js'
import { type Authorizer, type Principal, parsePrincipal } from '../tenancy-authorization/index.js'
import { type Document, type DocumentReference, toDocument } from './document.js'
import { findDocument } from './document-access.js'
import type { DocumentEventEmitter } from './document-events.js'

/** Longest wait between two looks: another process may be the one that works on it. */
const POLL_MS = 500

/** Waits until a document is searchable. */
export class WaitForDocument {
  readonly #storage: Storage
  readonly #authorizer: Authorizer
  readonly #events: DocumentEventEmitter

  constructor(storage: Storage, authorizer: Authorizer, events: DocumentEventEmitter) {
    this.#storage = storage
    this.#authorizer = authorizer
    this.#events = events
  }

  /**
   * @returns the completed document
   * @throws DocumentFailedError once its failure is final
   * @throws NotFoundError `ERR_DOCUMENT_NOT_FOUND`, also when it is deleted meanwhile
   */
  async execute(
    principal: Principal,
    reference: DocumentReference,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<Document> {
    const { signal } = options
    const access = await this.#authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'context:read')
    for (;;) {
      signal?.throwIfAborted()
      const changed = this.#nextChange(signal)
      const found = await this.#storage.read((repositories) => findDocument(repositories, access, reference, 'read'))
      const document = toDocument(found.document)
      if (document.error !== null) throw new DocumentFailedError({ ...document, error: document.error })
      if (document.completed !== null) return document
      await changed
    }
  }

  async #nextChange(signal: AbortSignal | undefined): Promise<void> {
    await new Promise<void>((resolve) => {
      const stopListening = [this.#events.on('document.completed', wake), this.#events.on('document.failed', wake)]
      const timer = setTimeout(wake, POLL_MS)
      signal?.addEventListener('abort', wake)
      function wake(): void {
        clearTimeout(timer)
        signal?.removeEventListener('abort', wake)
        for (const stop of stopListening) stop()
        resolve()
      }
    })
  }
}

import { ASSISTANT } from '../context/index.js'
import type { Storage } from '../ports/index.js'
import { DocumentFailedError } from '../shared/errors.js'
import { untilAborted } from '../shared/until-aborted.js'
import { type Authorizer, type Principal, parsePrincipal } from '../tenancy-authorization/index.js'
import { type Document, type DocumentReference, toDocument } from './document.js'
import { findDocument } from './document-access.js'
import type { DocumentEventEmitter } from './document-events.js'
import { DocumentWatches } from './document-watches.js'

/** Waits until a document is searchable. */
export class WaitForDocument {
  readonly #storage: Storage
  readonly #authorizer: Authorizer
  readonly #watches: DocumentWatches

  constructor(storage: Storage, authorizer: Authorizer, events: DocumentEventEmitter) {
    this.#storage = storage
    this.#authorizer = authorizer
    this.#watches = new DocumentWatches(storage, events)
  }

  /**
   * @returns the completed document
   * @throws DocumentFailedError once its failure is final
   * @throws NotFoundError `ERR_DOCUMENT_NOT_FOUND`, also when it is deleted meanwhile
   */
  async execute(
    principal: Principal,
    reference: DocumentReference,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Document> {
    signal?.throwIfAborted()
    const access = await this.#authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'context:read')
    const read = async (): Promise<Document> => {
      const found = await this.#storage.read((repositories) => findDocument(repositories, access, reference, 'read'))
      return toDocument(found.document)
    }
    let document = await read()
    const watch = this.#watches.begin(document.id)
    try {
      for (;;) {
        // Begun before the document is read: what changes meanwhile is not missed.
        const changed = watch.nextChange()
        document = isEnded(document) ? document : await read()
        if (document.error !== null) throw new DocumentFailedError({ ...document, error: document.error })
        if (document.completed !== null) return document
        await untilAborted(changed, signal)
      }
    } finally {
      watch.end()
    }
  }
}

function isEnded({ completed, error }: Document): boolean {
  return completed !== null || error !== null
}

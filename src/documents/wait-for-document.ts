import { ASSISTANT } from '../contexts/index.js'
import { untilAborted } from '../kernel/abort.js'
import { DocumentFailedError } from '../kernel/errors.js'
import type { Storage } from '../ports/index.js'
import { type Authorizer, type Principal, parsePrincipal } from '../tenancy/index.js'
import { type Document, type DocumentReference, findDocument, isUnfinished, toDocument } from './document.js'
import type { DocumentEventEmitter } from './document-events.js'

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

/** Time between two looks into the database: the document may be processed in another process. */
const POLL_MS = 500
/** Of so many looks, one wakes all: the caller may have lost the right to see the document. */
const LOOKS_PER_WAKING = 10

/** Somebody who watches a document. */
interface DocumentWatch {
  /** Resolves once the document may have been completed, failed or deleted since the call. */
  readonly nextChange: () => Promise<void>
  readonly end: () => void
}

/** Watches documents for all who wait for them: one look into the database serves all. */
class DocumentWatches {
  readonly #storage: Storage
  /** By the id of the document. */
  readonly #watches = new Map<number, Set<() => void>>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #looks = 0

  constructor(storage: Storage, events: DocumentEventEmitter) {
    this.#storage = storage
    for (const name of ['document.completed', 'document.failed'] as const) events.on(name, ({ id }) => this.#wake(id))
  }

  begin(documentId: number): DocumentWatch {
    let wake: () => void = () => undefined
    const wakeLatest = (): void => wake()
    const watches = this.#watches.get(documentId) ?? new Set()
    this.#watches.set(documentId, watches.add(wakeLatest))
    this.#poll()
    return {
      nextChange: () =>
        new Promise<void>((resolve) => {
          wake = resolve
        }),
      end: () => {
        watches.delete(wakeLatest)
        if (watches.size === 0) this.#watches.delete(documentId)
        if (this.#watches.size === 0) this.#rest()
      },
    }
  }

  #wake(documentId: number): void {
    for (const wake of this.#watches.get(documentId) ?? []) wake()
  }

  #poll(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.#look().finally(() => {
        if (this.#watches.size > 0) this.#poll()
      })
    }, POLL_MS)
  }

  #rest(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  async #look(): Promise<void> {
    const ids = [...this.#watches.keys()]
    this.#looks += 1
    const isWakingAll = this.#looks % LOOKS_PER_WAKING === 0
    try {
      const found = isWakingAll ? [] : await this.#storage.read(({ documents }) => documents.find(ids))
      const underWay = new Set(found.filter(isUnfinished).map(({ id }) => id))
      for (const id of ids) if (!underWay.has(id)) this.#wake(id)
    } catch {
      // Each of them asks the database itself, and is told what is wrong.
      for (const id of ids) this.#wake(id)
    }
  }
}

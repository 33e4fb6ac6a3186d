import { ASSISTANT } from '../contexts/index.js'
import { DocumentFailedError, InvalidInputError } from '../kernel/errors.js'
import { untilAborted } from '../kernel/waiting.js'
import type { Storage, Telemetry } from '../ports/index.js'
import { type Authorizer, type Principal, parsePrincipal } from '../tenancy/index.js'
import { type Document, type DocumentReference, findDocument, isUnfinished, toDocument } from './document.js'

/** The progress of a document. */
export interface DocumentProgress {
  readonly contextId: number
  readonly fileName: string
  /** UTF-16 units of text extracted so far. */
  readonly charactersExtracted: number
  /** Windows that have their vectors so far, reused ones included. */
  readonly windowsEmbedded: number
}

/** A document that searches by words find. */
export interface FindableDocument {
  readonly contextId: number
  readonly fileName: string
}

/** The events about documents, by name, for listeners of the engine. */
export interface DocumentEvents {
  'document.completed': Document
  'document.failed': Document
  'document.progress': DocumentProgress
  /**
   * All words of a document are indexed. A search by words finds it, even if its vectors are still being computed.
   * Emitted once, before `document.completed`, in contexts whose setting `findsEarly` is on.
   */
  'document.findable': FindableDocument
}

type Listener<Name extends keyof DocumentEvents> = (event: DocumentEvents[Name]) => void

/** Notifies listeners in this process. An error of one listener does not affect the others. */
export class DocumentEventEmitter {
  readonly #telemetry: Telemetry
  readonly #listeners: { readonly [Name in keyof DocumentEvents]: Set<Listener<Name>> } = {
    'document.completed': new Set(),
    'document.failed': new Set(),
    'document.progress': new Set(),
    'document.findable': new Set(),
  }

  constructor(telemetry: Telemetry) {
    this.#telemetry = telemetry
  }

  /**
   * @returns a function that removes the listener
   * @throws InvalidInputError for an unknown event, or a listener that is no function
   */
  on<Name extends keyof DocumentEvents>(name: Name, listener: Listener<Name>): () => void {
    if (!Object.hasOwn(this.#listeners, name))
      throw new InvalidInputError(
        'name',
        `unknown event "${name}"; expected one of ${Object.keys(this.#listeners).join(', ')}`,
      )
    if (typeof (listener as unknown) !== 'function')
      throw new InvalidInputError('listener', `must be a function, for the event ${name}`)
    const listeners: Set<Listener<Name>> = this.#listeners[name]
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  emit<Name extends keyof DocumentEvents>(name: Name, event: DocumentEvents[Name]): void {
    const listeners: Set<Listener<Name>> = this.#listeners[name]
    for (const listener of listeners) {
      try {
        listener(event)
      } catch (error) {
        this.#telemetry.record({ name: 'events.listener.failed', level: 'error', fields: { event: name }, error })
      }
    }
  }
}

/** Waits until a document is completed. */
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
   * @throws NotFoundError `ERR_DOCUMENT_NOT_FOUND`, also if it is deleted during the wait
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
    const watch = this.#watches.start(document.id)
    try {
      for (;;) {
        // Before the read of the document: a change during the read is not missed.
        const changed = watch.nextChange()
        document = isFinal(document) ? document : await read()
        if (document.error !== null) throw new DocumentFailedError({ ...document, error: document.error })
        if (document.completed !== null) return document
        await untilAborted(changed, signal)
      }
    } finally {
      watch.end()
    }
  }
}

function isFinal({ completed, error }: Document): boolean {
  return completed !== null || error !== null
}

/** Interval of the reads of the database: another process may process the document. */
const POLL_MS = 500
/** One of so many polls wakes all callers: a caller may have lost the right to read its document. */
const POLLS_PER_WAKE_ALL = 10

/** The wait of one caller for changes of a document. */
interface DocumentWatch {
  /** Resolves once the document may have been completed, failed or deleted since the call. */
  readonly nextChange: () => Promise<void>
  readonly end: () => void
}

/** Watches documents for all callers that wait: one read of the database serves all of them. */
class DocumentWatches {
  readonly #storage: Storage
  /** Functions that wake the waiting callers, by document id. */
  readonly #watches = new Map<number, Set<() => void>>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #polls = 0

  constructor(storage: Storage, events: DocumentEventEmitter) {
    this.#storage = storage
    for (const name of ['document.completed', 'document.failed'] as const) events.on(name, ({ id }) => this.#wake(id))
  }

  start(documentId: number): DocumentWatch {
    let wake: () => void = () => undefined
    const wakeLatest = (): void => wake()
    const watches = this.#watches.get(documentId) ?? new Set()
    this.#watches.set(documentId, watches.add(wakeLatest))
    this.#schedulePoll()
    return {
      nextChange: () =>
        new Promise<void>((resolve) => {
          wake = resolve
        }),
      end: () => {
        watches.delete(wakeLatest)
        if (watches.size === 0) this.#watches.delete(documentId)
        if (this.#watches.size === 0) this.#stopPolling()
      },
    }
  }

  #wake(documentId: number): void {
    for (const wake of this.#watches.get(documentId) ?? []) wake()
  }

  #schedulePoll(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.#poll().finally(() => {
        if (this.#watches.size > 0) this.#schedulePoll()
      })
    }, POLL_MS)
  }

  #stopPolling(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  async #poll(): Promise<void> {
    const ids = [...this.#watches.keys()]
    this.#polls += 1
    const isWakingAll = this.#polls % POLLS_PER_WAKE_ALL === 0
    try {
      const found = isWakingAll ? [] : await this.#storage.read(({ documents }) => documents.find(ids))
      const unfinished = new Set(found.filter(isUnfinished).map(({ id }) => id))
      for (const id of ids) if (!unfinished.has(id)) this.#wake(id)
    } catch {
      // Each caller then reads the database itself, and gets the error.
      for (const id of ids) this.#wake(id)
    }
  }
}

import { ASSISTANT, type WaitingReasons } from '../../contexts/index.js'
import { type AlcoveError, DocumentFailedError, InvalidInputError } from '../../kernel/errors.js'
import { untilAborted } from '../../kernel/scheduling/abort.js'
import type { DocumentRecord, Storage, Telemetry } from '../../ports/index.js'
import { type Authorizer, type Principal, parsePrincipal } from '../../tenancy/index.js'
import {
  type Document,
  type DocumentReference,
  type FoundDocument,
  findDocument,
  isUnfinished,
  toDocument,
  withoutContext,
} from '../document.js'
import type { ProcessingStage } from '../document-state.js'

/** The progress of a document, or of a version that is to replace it. */
export interface DocumentProgress {
  readonly contextId: number
  /** UUID of the version. */
  readonly fileName: string
  /** `reading` until the whole text is read, cut and indexed by its words; then `embedding`. */
  readonly stage: ProcessingStage
  /** UTF-16 units of text extracted so far. */
  readonly charactersExtracted: number
  /** Windows that have their vectors so far, reused ones included. */
  readonly windowsEmbedded: number
  /** Number of windows. Null while the text is read. */
  readonly windowsTotal: number | null
  /** Share of the windows that have their vectors, 0 to 99. Null while the text is read. */
  readonly percent: number | null
}

/** A document that searches by words find. */
export interface FindableDocument {
  readonly contextId: number
  /** UUID of the version that they find. */
  readonly fileName: string
}

/** A context whose documents were re-indexed. */
export interface ReindexedContext {
  readonly contextId: number
}

/** The events about documents, by name, for listeners of the engine. */
export interface DocumentEvents {
  /** A document is completed, or a replacement is: then it is the document from now on. */
  'document.completed': Document
  /**
   * A document has failed, or a replacement has. The event describes the version that failed, with its UUID and its
   * error. If it is a replacement, the document itself stays as it was.
   */
  'document.failed': Document
  'document.progress': DocumentProgress
  /**
   * All words of a document are indexed. A search by words finds it, even if its vectors are still being computed.
   * Emitted once, before `document.completed`, in contexts whose setting `findsEarly` is on. A replacement is findable
   * when it is completed, and no earlier.
   */
  'document.findable': FindableDocument
  /** A re-index is finished: searches of the context find its documents as the new settings cut and embed them. */
  'context.reindexed': ReindexedContext
}

type Listener<Name extends keyof DocumentEvents> = (event: DocumentEvents[Name]) => void

/** Notifies listeners in this process. An error of one listener does not affect the others. */
export class DocumentEventEmitter {
  readonly #listeners: { readonly [Name in keyof DocumentEvents]: Set<Listener<Name>> } = {
    'document.completed': new Set(),
    'document.failed': new Set(),
    'document.progress': new Set(),
    'document.findable': new Set(),
    'context.reindexed': new Set(),
  }

  constructor(private readonly telemetry: Telemetry) {}

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
        this.telemetry.record({ name: 'events.listener.failed', level: 'error', fields: { event: name }, error })
      }
    }
  }
}

/** Options of a wait for a document. */
export interface WaitOptions {
  /** Aborts the call, which then rejects with the signal's reason. Default: no signal. */
  readonly signal?: AbortSignal | undefined
  /**
   * Called once for each reason for which the document has to wait: the server of its model is away, or a disk is full or
   * read-only. The wait goes on until that is over. An error that this function throws ends the wait. Default: none.
   */
  readonly onWaiting?: ((reason: AlcoveError) => void) | undefined
}

/** Waits until the newest version of a document is completed. */
export class WaitForDocument {
  readonly #watches: DocumentWatches

  constructor(
    private readonly storage: Storage,
    private readonly authorizer: Authorizer,
    events: DocumentEventEmitter,
    private readonly waitingReasons: WaitingReasons,
  ) {
    this.#watches = new DocumentWatches(storage, events)
  }

  /**
   * If the document is replaced during the wait, the wait goes on until that replacement is completed.
   *
   * @returns the completed document
   * @throws DocumentFailedError once the failure of its newest version is final
   * @throws NotFoundError `ERR_DOCUMENT_NOT_FOUND`, also if it is deleted during the wait
   */
  async execute(
    principal: Principal,
    reference: DocumentReference,
    { signal, onWaiting }: WaitOptions = {},
  ): Promise<Document> {
    signal?.throwIfAborted()
    const access = await this.authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'context:read')
    const told = new Set<string>()
    const read = async (document: DocumentReference): Promise<DocumentRecord> => {
      const { record, reason } = await this.storage.read(async (repositories) => {
        const found = await findDocument(repositories, access, document, 'read')
        const record = newestOf(found)
        if (onWaiting === undefined || !isUnfinished(record)) return { record }
        const { embeddingModel } = found.context
        return {
          record,
          reason: await this.waitingReasons.find(repositories.settings, embeddingModel, 'the document'),
        }
      })
      if (reason !== undefined && !told.has(reason.message)) {
        told.add(reason.message)
        onWaiting?.(reason)
      }
      return record
    }
    let newest = await read(reference)
    // From here on by its id: a completed replacement changes the UUID.
    const { contextId, publicId: id } = newest
    let watch = this.#watches.start(newest)
    try {
      for (;;) {
        // Before the read of the document: a change during the read is not missed.
        const changed = watch.nextChange()
        newest = isUnfinished(newest) ? await read({ contextId, id }) : newest
        const document = toDocument(newest)
        if (document.error !== null) throw new DocumentFailedError({ ...document, error: document.error })
        if (document.completed !== null) return document
        if (newest.id === watch.versionId) {
          await untilAborted(changed, signal)
        } else {
          watch.end()
          watch = this.#watches.start(newest)
        }
      }
    } catch (error) {
      throw typeof reference === 'string' ? withoutContext(error, reference) : error
    } finally {
      watch.end()
    }
  }
}

function newestOf({ document, replacement }: FoundDocument): DocumentRecord {
  return replacement ?? document
}

/** Interval of the reads of the database: another process may process the document. */
const POLL_MS = 500
/** One of so many polls wakes all callers: a caller may have lost the right to read its document. */
const POLLS_PER_WAKE_ALL = 10

/** The wait of one caller for changes of a version. */
interface DocumentWatch {
  readonly versionId: number
  /** Resolves once the version may have been completed, failed or deleted since the call. */
  readonly nextChange: () => Promise<void>
  readonly end: () => void
}

/** The callers that wait for one version. */
interface WatchedVersion {
  readonly id: number
  /** Functions that wake the callers. */
  readonly waiters: Set<() => void>
}

/** Watches versions for all callers that wait: one read of the database serves all of them. */
class DocumentWatches {
  /** By the UUID of the version. */
  readonly #versions = new Map<string, WatchedVersion>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #polls = 0

  constructor(
    private readonly storage: Storage,
    events: DocumentEventEmitter,
  ) {
    for (const name of ['document.completed', 'document.failed'] as const)
      events.on(name, ({ uuid }) => this.#wake(uuid))
  }

  start({ id, uuid }: Pick<DocumentRecord, 'id' | 'uuid'>): DocumentWatch {
    let wake: () => void = () => undefined
    const wakeLatest = (): void => wake()
    const { waiters } = this.#versions.get(uuid) ?? { waiters: new Set() }
    this.#versions.set(uuid, { id, waiters: waiters.add(wakeLatest) })
    this.#schedulePoll()
    return {
      versionId: id,
      nextChange: () =>
        new Promise<void>((resolve) => {
          wake = resolve
        }),
      end: () => {
        waiters.delete(wakeLatest)
        if (waiters.size === 0) this.#versions.delete(uuid)
        if (this.#versions.size === 0) this.#stopPolling()
      },
    }
  }

  #wake(uuid: string): void {
    for (const wake of this.#versions.get(uuid)?.waiters ?? []) wake()
  }

  #schedulePoll(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.#poll().finally(() => {
        if (this.#versions.size > 0) this.#schedulePoll()
      })
    }, POLL_MS)
  }

  #stopPolling(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  async #poll(): Promise<void> {
    const watched = [...this.#versions]
    this.#polls += 1
    const isWakingAll = this.#polls % POLLS_PER_WAKE_ALL === 0
    try {
      const ids = watched.map(([, { id }]) => id)
      const found = isWakingAll ? [] : await this.storage.read(({ documents }) => documents.find(ids))
      const unfinished = new Set(found.filter(isUnfinished).map(({ uuid }) => uuid))
      for (const [uuid] of watched) if (!unfinished.has(uuid)) this.#wake(uuid)
    } catch {
      // Each caller then reads the database itself, and gets the error.
      for (const [uuid] of watched) this.#wake(uuid)
    }
  }
}

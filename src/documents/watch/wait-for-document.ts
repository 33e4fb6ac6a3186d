import { ASSISTANT, type WaitingReasons } from '../../contexts/index.js'
import { type AlcoveError, DocumentFailedError } from '../../kernel/errors.js'
import { untilAborted } from '../../kernel/scheduling/abort.js'
import type { DocumentRecord, Storage } from '../../ports/index.js'
import { type Authorizer, type Principal, parsePrincipal } from '../../tenancy/index.js'
import {
  type Document,
  type DocumentReference,
  findDocument,
  isUnfinished,
  toDocument,
  withoutContext,
} from '../document.js'
import type { DocumentEventEmitter } from './document-events.js'

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

/** Interval of the reads of the database: another process may process the document. */
const POLL_MS = 500
/** One of so many polls wakes all callers: a caller may have lost the right to read its document. */
const POLLS_PER_WAKE_ALL = 10

/** The wait of one caller for changes of a version. */
interface Wait {
  version: Pick<DocumentRecord, 'id' | 'uuid'>
  /** Called once the version may have been completed, failed or deleted. */
  wake: () => void
}

/** Waits until the newest version of a document is completed. One read of the database serves all callers. */
export class WaitForDocument {
  readonly #waits = new Set<Wait>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #polls = 0

  constructor(
    private readonly storage: Storage,
    private readonly authorizer: Authorizer,
    events: DocumentEventEmitter,
    private readonly waitingReasons: WaitingReasons,
  ) {
    for (const name of ['document.completed', 'document.failed'] as const)
      events.on(name, ({ uuid }) => this.#wake((version) => version.uuid === uuid))
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
        const record = found.replacement ?? found.document
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
    const wait: Wait = { version: newest, wake: () => undefined }
    this.#waits.add(wait)
    this.#schedulePoll()
    try {
      for (;;) {
        // Before the read of the document: a change during the read is not missed.
        const changed = new Promise<void>((resolve) => {
          wait.wake = resolve
        })
        newest = isUnfinished(newest) ? await read({ contextId, id }) : newest
        const document = toDocument(newest)
        if (document.error !== null) throw new DocumentFailedError({ ...document, error: document.error })
        if (document.completed !== null) return document
        if (newest.id === wait.version.id) await untilAborted(changed, signal)
        else wait.version = newest
      }
    } catch (error) {
      throw typeof reference === 'string' ? withoutContext(error, reference) : error
    } finally {
      this.#waits.delete(wait)
      if (this.#waits.size === 0) this.#stopPolling()
    }
  }

  #wake(isWoken: (version: Wait['version']) => boolean): void {
    for (const { version, wake } of this.#waits) if (isWoken(version)) wake()
  }

  #schedulePoll(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.#poll().finally(() => {
        if (this.#waits.size > 0) this.#schedulePoll()
      })
    }, POLL_MS)
  }

  #stopPolling(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  async #poll(): Promise<void> {
    const ids = new Set([...this.#waits].map(({ version }) => version.id))
    this.#polls += 1
    const isWakingAll = this.#polls % POLLS_PER_WAKE_ALL === 0
    try {
      const found = isWakingAll ? [] : await this.storage.read(({ documents }) => documents.find([...ids]))
      for (const { id } of found.filter(isUnfinished)) ids.delete(id)
    } catch {
      // Each caller then reads the database itself, and gets the error.
    }
    this.#wake(({ id }) => ids.has(id))
  }
}

import type { z } from 'zod'
import { ASSISTANT, findReadable, type WaitingReasons } from '../../contexts/index.js'
import { NotFoundError, ThrottledError } from '../../kernel/errors.js'
import type { EngineLimits } from '../../kernel/limits.js'
import type { Run } from '../../kernel/lists.js'
import { pause, untilAborted } from '../../kernel/scheduling/abort.js'
import { Places } from '../../kernel/scheduling/fair-scheduler.js'
import { choiceSchema, idSchema, objectSchema, parseId, refuseUnknownMembers, validate } from '../../kernel/validate.js'
import type { DocumentPosition, Repositories, Storage } from '../../ports/index.js'
import { type Authorizer, type Principal, parsePrincipal } from '../../tenancy/index.js'
import type { Document } from '../document.js'
import { type DocumentState, deletedState } from '../document-state.js'
import { type DocumentVersions, findVersions, listVersions } from '../versions.js'
import { ContextWatch } from './context-watch.js'
import type { DocumentEventEmitter } from './document-events.js'
import { ReportedProgress } from './reported-progress.js'

/** The documents that a caller watches. */
export interface WatchSelection {
  /** Only the document with this id. Default: all documents of the context. */
  readonly docId?: number | undefined
  /** The documents whose states are yielded at first; changes of all follow. Default: `all`. */
  readonly snapshot?: 'all' | 'unfinished' | undefined
}

export const watchSelectionSchema: z.ZodType<WatchSelection> = objectSchema({
  docId: idSchema().optional(),
  snapshot: choiceSchema(['all', 'unfinished']).optional(),
})

/** Options of a watch. */
export interface WatchOptions extends WatchSelection {
  /** Ends the iteration, which then throws the signal's reason. Default: no signal. */
  readonly signal?: AbortSignal | undefined
  /** Called once the rights of the caller are checked, before the first state. */
  readonly onOpen?: (() => void) | undefined
  /** Called when the states of all documents at the beginning have been yielded. */
  readonly onReady?: (() => void) | undefined
}

const OPTIONS = ['docId', 'snapshot', 'signal', 'onOpen', 'onReady']
/** Most documents whose changes wait for a slow caller. With more, the caller gets the states of all documents again. */
const MAX_PENDING = 10_000
/** Interval of the checks of the caller's rights while nothing changes. */
const CHECK_MS = 5_000
/** A state is yielded only if the rights were checked within this time. */
const FRESH_MS = 5
/** Small reads for a caller that may be slow. */
const SNAPSHOT_PAGE = { order: 'oldest', limit: 50, maxBytes: 65_536 } as const
/** A state at the beginning is yielded only if it was read within this time. */
const MAX_AGE_MS = 250
const RETRY_AFTER_SECONDS = 5

/** Follows the states of a context's documents, for any number of callers. */
export class WatchDocuments {
  readonly #reported: ReportedProgress
  readonly #places = new Places()
  readonly #contexts = new Map<number, ContextWatch>()

  constructor(
    private readonly storage: Storage,
    private readonly authorizer: Authorizer,
    private readonly events: DocumentEventEmitter,
    private readonly limits: EngineLimits,
    private readonly waitingReasons: WaitingReasons,
  ) {
    this.#reported = new ReportedProgress(events)
  }

  /**
   * @param run runs each later read of the watch
   * @returns a watch, which the caller must end
   * @throws NotFoundError `ERR_CONTEXT_NOT_FOUND`, or `ERR_DOCUMENT_NOT_FOUND` for a `docId` that is not in the context
   * @throws ThrottledError if the principal, or its company, already has as many watches as its limit allows
   */
  async open(principal: Principal, contextId: number, run: Run, options: WatchOptions = {}): Promise<DocumentWatch> {
    refuseUnknownMembers(options, OPTIONS, 'option')
    const { docId, snapshot } = options
    const selection = validate(watchSelectionSchema, { docId, snapshot })
    const id = parseId(contextId, 'contextId')
    const checkRights = async (): Promise<void> => {
      const access = await this.authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'context:read')
      await this.storage.read(async (repositories) => await findReadable(repositories, access, id))
    }
    await checkRights()
    if (docId !== undefined) await this.#find(id, docId)
    const free = this.#takePlace(principal)
    try {
      const context = await this.#contextWatch(id)
      const end = (): void => {
        free()
        if (!context.isWatched) this.#close(id, context)
      }
      const { onReady } = options
      return new DocumentWatch(this.storage, id, context, { ...selection, onReady, checkRights, run, end })
    } catch (error) {
      free()
      throw error
    }
  }

  /** Tells the callers that this process has deleted a document. */
  tellDeleted(document: Document): void {
    this.#contexts.get(document.contextId)?.tellDeleted(document)
  }

  /** Ends all polls: the engine closes. */
  close(): void {
    for (const [id, context] of this.#contexts) this.#close(id, context)
  }

  #close(id: number, context: ContextWatch): void {
    context.close()
    if (this.#contexts.get(id) === context) this.#contexts.delete(id)
  }

  async #find(contextId: number, docId: number): Promise<DocumentVersions> {
    const versions = await this.storage.read((repositories) => findVersions(repositories, contextId, docId))
    if (versions === undefined) throw new NotFoundError('document', docId)
    return versions
  }

  /** The callers of a context share one. */
  async #contextWatch(id: number): Promise<ContextWatch> {
    const lastId = await this.storage.read(({ documents }) => documents.lastId())
    const context =
      this.#contexts.get(id) ??
      new ContextWatch(this.storage, this.events, this.#reported, this.waitingReasons, id, lastId)
    this.#contexts.set(id, context)
    return context
  }

  #takePlace({ companyId, userId, origin }: Principal): () => void {
    const member = origin?.clientId === undefined ? userId : `key ${origin.clientId}`
    const { watchesPerKey, watchesPerCompany } = this.limits
    const company = `${companyId}`
    const free = this.#places.acquire({ [company]: watchesPerCompany, [`${company} ${member}`]: watchesPerKey })
    if (typeof free !== 'string') return free
    const holder = free === company ? 'this company' : origin?.clientId === undefined ? 'this user' : 'this API key'
    const most = free === company ? watchesPerCompany : watchesPerKey
    const problem = `${holder} already watches documents ${most} times, the maximum: end one of the watches`
    throw new ThrottledError(problem, RETRY_AFTER_SECONDS)
  }
}

interface WatchSettings extends WatchSelection {
  readonly onReady: (() => void) | undefined
  readonly checkRights: () => Promise<void>
  readonly run: Run
  readonly end: () => void
}

/**
 * One caller's watch: first the states at the beginning, then changes. For a slow caller, it keeps only the last state of
 * each document.
 */
export class DocumentWatch {
  /** By the id of the document. */
  readonly #pending = new Map<number, DocumentState>()
  /** As `#pending`. They stay when a new snapshot replaces the others: a snapshot has no deleted documents. */
  readonly #pendingDeletions = new Map<number, DocumentState>()
  readonly #receive: (state: DocumentState) => void
  #snapshot: AsyncIterator<DocumentState> | undefined
  #last: DocumentState | undefined
  #checkedAt = performance.now()
  #isEnded = false
  #wake: () => void = () => undefined

  constructor(
    private readonly storage: Storage,
    private readonly contextId: number,
    private readonly context: ContextWatch,
    private readonly settings: WatchSettings,
  ) {
    this.#snapshot = this.#readSnapshot()
    this.#receive = (state) => this.#add(state)
    context.add(this.#receive)
  }

  /**
   * @returns the next state; undefined after the end
   * @throws the signal's reason
   * @throws UnauthenticatedError @throws ForbiddenError @throws NotFoundError once the caller may not read the context
   */
  async next(signal: AbortSignal): Promise<DocumentState | undefined> {
    signal.throwIfAborted()
    while (!this.#isEnded) {
      const state = (await this.#nextOfSnapshot()) ?? this.#takePending()
      if (state !== undefined) {
        await this.#requireRights(FRESH_MS)
        if (state.status === 'deleted' && this.settings.docId !== undefined) this.end()
        this.#last = state
        return state
      }
      await this.#waitForChange(signal)
      const isChecked = await this.#requireRights(CHECK_MS)
      if (isChecked) await this.#checkDocument()
    }
    return undefined
  }

  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.context.remove(this.#receive)
    this.#pending.clear()
    this.#pendingDeletions.clear()
    this.settings.end()
    this.#wake()
  }

  #add(state: DocumentState): void {
    const { docId } = this.settings
    if (docId !== undefined && state.id !== docId) return
    const isDeleted = state.status === 'deleted'
    if (isDeleted) this.#pending.delete(state.id)
    const states = isDeleted ? this.#pendingDeletions : this.#pending
    states.set(state.id, state)
    if (this.#pending.size > MAX_PENDING) {
      this.#pending.clear()
      this.#snapshot = this.#readSnapshot('all')
    }
    this.#wake()
  }

  #takePending(): DocumentState | undefined {
    for (const states of [this.#pendingDeletions, this.#pending]) {
      for (const [id, state] of states) {
        states.delete(id)
        return state
      }
    }
    return undefined
  }

  async #nextOfSnapshot(): Promise<DocumentState | undefined> {
    const snapshot = this.#snapshot
    if (snapshot === undefined) return undefined
    const next = await snapshot.next()
    if (next.done !== true) return next.value
    // A newer one may have begun meanwhile.
    if (this.#snapshot === snapshot) this.#snapshot = undefined
    this.settings.onReady?.()
    return undefined
  }

  async *#readSnapshot(kind = this.settings.snapshot): AsyncGenerator<DocumentState> {
    const { docId } = this.settings
    if (docId !== undefined) {
      yield* await this.#readOne(docId)
      return
    }
    let after: DocumentPosition | undefined
    for (;;) {
      const page = { ...SNAPSHOT_PAGE, after }
      const listed = await this.#read(({ documents }) => listVersions(documents, this.contextId, page))
      const readAt = performance.now()
      if (listed.length === 0) return
      for (const versions of listed) {
        // The caller was slow: it gets the states of the present moment.
        if (performance.now() - readAt > MAX_AGE_MS) break
        // The order of ids does not compare names.
        after = { publicId: versions.current.publicId, foldedName: '' }
        const state = this.context.follow(versions)
        if (state === undefined) continue
        if (kind !== 'unfinished' || state.status === 'waiting' || state.status === 'processing') yield state
      }
    }
  }

  async #readOne(docId: number): Promise<DocumentState[]> {
    const [versions] = await this.#read(async (repositories) => {
      const found = await findVersions(repositories, this.contextId, docId)
      return found === undefined ? [] : [found]
    })
    // It was deleted since the watch was opened.
    if (versions === undefined) throw new NotFoundError('document', docId)
    const state = this.context.follow(versions)
    // Without a state, its deletion is among the pending states.
    return state === undefined ? [] : [state]
  }

  async #read(
    read: (repositories: Repositories) => Promise<readonly DocumentVersions[]>,
  ): Promise<readonly DocumentVersions[]> {
    return await this.settings.run(async () => await this.context.read(read))
  }

  async #waitForChange(signal: AbortSignal): Promise<void> {
    if (this.#pending.size + this.#pendingDeletions.size > 0 || this.#snapshot !== undefined) return
    const change = new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    try {
      await untilAborted(pause(CHECK_MS, change), signal)
    } finally {
      // Ends the pause after an abort.
      this.#wake()
    }
  }

  /** @returns true if the last check was older than that */
  async #requireRights(maxAgeMs: number): Promise<boolean> {
    if (performance.now() - this.#checkedAt < maxAgeMs) return false
    await this.settings.run(this.settings.checkRights)
    this.#checkedAt = performance.now()
    return true
  }

  /** The caller of a `docId` waits for nothing else, and the context watch may not know the other documents. */
  async #checkDocument(): Promise<void> {
    const { docId } = this.settings
    if (docId === undefined || this.#last === undefined) return
    const find = async (repositories: Repositories) => await findVersions(repositories, this.contextId, docId)
    const versions = await this.settings.run(async () => await this.storage.read(find))
    if (versions === undefined) this.#add(deletedState(this.#last))
  }
}

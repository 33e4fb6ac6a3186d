import { ANALYZER_VERSION } from '../../analysis/index.js'
import type { WaitingReasons } from '../../contexts/index.js'
import { TimeSlice } from '../../kernel/scheduling/time-slice.js'
import type { DocumentRecord, Repositories, Storage } from '../../ports/index.js'
import { type Document, isUnfinished } from '../document.js'
import {
  type DocumentState,
  deletedState,
  isSameState,
  lastStateOf,
  type ProcessingProgress,
  percentOf,
  toDocumentState,
} from '../document-state.js'
import { type DocumentVersions, findVersions } from '../versions.js'
import type { DocumentEventEmitter, DocumentProgress } from './document-events.js'
import { KnownDocuments } from './known-documents.js'
import type { ReportedProgress } from './reported-progress.js'

/** Interval of the reads: another process may process the documents. */
const POLL_MS = 1_000
/** Versions of each kind that one poll reads at most, so that it is short however many documents wait. */
const VERSIONS_PER_POLL = 250
/** Ids of new versions that one poll finds at most. */
const NEW_VERSIONS_PER_POLL = 1_000
/** Polls for which ids are listed again: a transaction may commit a lower id after a higher one. */
const POLLS_PER_MARK = 10

type Listener = (state: DocumentState) => void

/** The windows of a version whose text is read. They stay the same from then on. */
interface VersionSize {
  readonly chunks: number
  readonly windows: number
}

/** A followed version that is gone. */
interface GoneVersion {
  readonly gone: number
  readonly docId: number | undefined
  /** The newest version of the document, if it has another one. */
  readonly newest: DocumentRecord | undefined
}

/**
 * Follows the documents of one context for all callers that watch it. One poll a second reads what other processes do.
 * The progress of this process comes from its events.
 *
 * A caller's snapshot passes the versions to follow to {@link follow}. New versions are found by their ids.
 */
export class ContextWatch {
  readonly #listeners = new Set<Listener>()
  /** Ids of documents that are not completed, by the id of their version. There may be many. */
  readonly #followed = {
    waiting: new Map<number, number>(),
    processing: new Map<number, number>(),
    failed: new Map<number, number>(),
  }
  /** States of documents that are being processed, by the id of their version. */
  readonly #processing = new Map<number, DocumentState>()
  readonly #known: KnownDocuments
  readonly #sizes = new Map<number, VersionSize>()
  /** The reason for which unfinished documents wait, as the last read found it. */
  #waiting: string | null = null
  /** UUIDs of versions that this process finished since the last poll began, and in the poll before: those are told. */
  #finished: readonly [Set<string>, Set<string>] = [new Set(), new Set()]
  /** Ids of versions above {@link #mark} that were found. */
  readonly #found = new Set<number>()
  #mark: number
  #nextMark: number
  /** Place in the waiting documents from which the next poll reads. */
  #turn = 0
  #polls = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #stopListening: readonly (() => void)[]

  /** @param lastId highest id of a version before the first snapshot */
  constructor(
    private readonly storage: Storage,
    events: DocumentEventEmitter,
    private readonly reported: ReportedProgress,
    private readonly waitingReasons: WaitingReasons,
    private readonly contextId: number,
    lastId: number,
  ) {
    this.#known = new KnownDocuments(contextId)
    this.#mark = lastId
    this.#nextMark = lastId
    this.#stopListening = [
      events.on('document.progress', (progress) => this.#report(progress)),
      events.on('document.completed', ({ contextId: id, uuid }) => void this.#finish(id, uuid)),
      events.on('document.failed', ({ contextId: id, uuid }) => void this.#finish(id, uuid)),
    ]
    this.#schedulePoll()
  }

  get isWatched(): boolean {
    return this.#listeners.size > 0
  }

  add(listener: Listener): void {
    this.#listeners.add(listener)
  }

  remove(listener: Listener): void {
    this.#listeners.delete(listener)
  }

  /** Ends the polls. */
  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const stop of this.#stopListening) stop()
    this.#listeners.clear()
  }

  /** Reads versions for a snapshot, with what their progress needs. */
  async read(
    list: (repositories: Repositories) => Promise<readonly DocumentVersions[]>,
  ): Promise<readonly DocumentVersions[]> {
    return await this.storage.read(async (repositories) => {
      const versions = await list(repositories)
      const newest = versions.map(({ current, replacement }) => replacement ?? current)
      for (const [id, size] of await this.#countWindows(repositories, newest)) this.#sizes.set(id, size)
      if (newest.some(isUnfinished)) this.#waiting = await this.#findReason(repositories)
      return versions
    })
  }

  /**
   * Follows a version of a snapshot from now on, if it is not completed.
   * @returns its state; undefined if its deletion was told after the read of the snapshot
   */
  follow({ current, replacement }: DocumentVersions): DocumentState | undefined {
    return this.#known.isRemoved(current.publicId) ? undefined : this.#note(replacement ?? current)
  }

  /** Tells that this process has deleted a document. A snapshot that has not reached it yet skips it from now on. */
  tellDeleted(document: Document): void {
    if (this.#known.isRemoved(document.id)) return
    this.#unfollow(new Set([document.id]))
    this.#tell(this.#known.remove(document.id) ?? deletedState(lastStateOf(document)))
  }

  /** Tells the deletions that a poll has found: there may be many. */
  async #tellAllDeleted(docIds: ReadonlySet<number>): Promise<void> {
    if (docIds.size === 0) return
    this.#unfollow(docIds)
    const slice = new TimeSlice()
    for (const id of docIds) {
      const state = this.#known.remove(id)
      if (state !== undefined) this.#tell(state)
      await slice.pauseIfOver()
    }
  }

  #unfollow(docIds: ReadonlySet<number>): void {
    for (const versions of Object.values(this.#followed)) {
      for (const [id, docId] of versions) if (docIds.has(docId)) this.#drop(id)
    }
  }

  #drop(id: number): void {
    for (const versions of Object.values(this.#followed)) versions.delete(id)
    this.#processing.delete(id)
    this.#sizes.delete(id)
  }

  /** Stores the state of a version, without telling it. */
  #note(record: DocumentRecord): DocumentState {
    const state = toDocumentState(record, this.#progressOf(record), this.#waiting)
    const { status } = state
    const before = this.#known.note(record.id, state)
    if (before !== undefined && before !== record.id) this.#drop(before)
    if (status === 'processing') {
      this.#processing.set(record.id, state)
    } else {
      this.#processing.delete(record.id)
      this.#sizes.delete(record.id)
      this.reported.forget(record.uuid)
    }
    for (const [name, versions] of Object.entries(this.#followed)) {
      // A waiting document keeps its place.
      if (name === status) versions.set(record.id, state.id)
      else versions.delete(record.id)
    }
    return state
  }

  /** The last state of a version that is not completed. */
  #last(id: number): DocumentState | undefined {
    const docId = this.#followed.waiting.get(id) ?? this.#followed.failed.get(id)
    return this.#processing.get(id) ?? (docId === undefined ? undefined : this.#known.get(docId))
  }

  /** The progress of this process, which is finer, or the stored one. */
  #progressOf({ id, uuid, wordsVersion, embeddedChunks }: DocumentRecord): ProcessingProgress {
    const reported = this.reported.of(uuid)
    const size = this.#sizes.get(id)
    if (wordsVersion !== ANALYZER_VERSION || size === undefined)
      return reported ?? { stage: 'reading', windowsEmbedded: 0, windowsTotal: null }
    const share = size.chunks === 0 ? 0 : Math.min(1, embeddedChunks / size.chunks)
    const stored = Math.round(size.windows * share)
    const windowsEmbedded = Math.max(stored, reported?.windowsEmbedded ?? 0)
    return { stage: 'embedding', windowsEmbedded, windowsTotal: size.windows }
  }

  #report({ contextId, fileName, stage, windowsEmbedded, windowsTotal }: DocumentProgress): void {
    if (contextId !== this.contextId) return
    const progress = { stage, windowsEmbedded, windowsTotal }
    for (const [id, state] of this.#processing) {
      if (state.uuid !== fileName) continue
      const changed = { ...state, ...progress, percent: percentOf(windowsEmbedded, windowsTotal) }
      this.#processing.set(id, changed)
      this.#tell(changed)
    }
  }

  /** Reads a version that this process has completed, or that has failed here. */
  async #finish(contextId: number, uuid: string): Promise<void> {
    if (contextId !== this.contextId) return
    const [finished] = this.#finished
    finished.add(uuid)
    try {
      const record = await this.storage.read(({ documents }) => documents.getByUuid(uuid))
      if (record !== undefined && !this.#known.isRemoved(record.publicId)) this.#tell(this.#note(record))
    } catch {
      // The next poll reads it.
      finished.delete(uuid)
    }
  }

  #tell(state: DocumentState): void {
    for (const listener of this.#listeners) listener(state)
  }

  #schedulePoll(): void {
    this.#timer = setTimeout(() => {
      void this.#poll()
        // The callers check their rights by reads of their own, and get the error.
        .catch(() => undefined)
        .finally(() => {
          if (this.#timer !== undefined) this.#schedulePoll()
        })
    }, POLL_MS)
  }

  async #poll(): Promise<void> {
    this.#finished = [new Set(), this.#finished[0]]
    this.#known.beginPoll()
    const followed = this.#followedIds()
    const { ids, records, sizes, others, deletedIds, waiting } = await this.storage.read(async (repositories) => {
      const listed = await this.#listIds(repositories)
      const unknown = listed.filter((id) => !this.#found.has(id))
      const found = await repositories.documents.find([...unknown, ...followed])
      return {
        ids: listed,
        records: found,
        sizes: await this.#countWindows(repositories, found),
        others: await this.#othersOf(repositories, followed, found),
        deletedIds: await this.#known.listDeleted(repositories.documents, found),
        waiting: found.some(isUnfinished) ? await this.#findReason(repositories) : null,
      }
    })
    this.#waiting = waiting
    this.#remember(ids)
    for (const [id, size] of sizes) this.#sizes.set(id, size)
    // The newest version of a document counts.
    for (const record of records) if ((this.#known.versionOf(record.publicId) ?? 0) <= record.id) this.#update(record)
    for (const { newest } of others) if (newest !== undefined) this.#update(newest)
    const deleted = new Set(deletedIds)
    for (const { gone, docId, newest } of others) {
      this.#drop(gone)
      if (newest === undefined && docId !== undefined) deleted.add(docId)
    }
    await this.#tellAllDeleted(deleted)
  }

  /** Tells the state of a version, if it is another one than before. */
  #update(record: DocumentRecord): void {
    // Nobody sees a shadow.
    if (record.deleted !== null || record.generation !== null || this.#known.isRemoved(record.publicId)) return
    if (this.#finished.some((uuids) => uuids.has(record.uuid))) return
    const before = this.#last(record.id)
    const now = this.#note(record)
    if (before === undefined || !isSameState(before, now)) this.#tell(now)
  }

  /** Followed versions that are gone, with the newest version of the document, if it has another one. */
  async #othersOf(
    repositories: Repositories,
    followed: readonly number[],
    found: readonly DocumentRecord[],
  ): Promise<readonly GoneVersion[]> {
    const live = new Set(found.flatMap(({ id, deleted }) => (deleted === null ? [id] : [])))
    const others: GoneVersion[] = []
    for (const gone of followed.filter((id) => !live.has(id))) {
      const { waiting, processing, failed } = this.#followed
      const docId = waiting.get(gone) ?? processing.get(gone) ?? failed.get(gone)
      const versions = await findVersions(repositories, this.contextId, docId ?? 0)
      others.push({ gone, docId, newest: versions?.replacement ?? versions?.current })
    }
    return others
  }

  /** Ids of versions that are new since the mark. */
  async #listIds({ documents }: Repositories): Promise<number[]> {
    const ids: number[] = []
    let unknown = 0
    for (;;) {
      const page = { after: ids.at(-1) ?? this.#mark, limit: NEW_VERSIONS_PER_POLL }
      const listed = await documents.listIds(this.contextId, page)
      ids.push(...listed)
      unknown += listed.filter((id) => !this.#found.has(id)).length
      if (listed.length < NEW_VERSIONS_PER_POLL || unknown >= NEW_VERSIONS_PER_POLL) return ids
    }
  }

  #remember(ids: readonly number[]): void {
    for (const id of ids) this.#found.add(id)
    this.#polls += 1
    if (this.#polls % POLLS_PER_MARK !== 0) return
    this.#mark = this.#nextMark
    this.#nextMark = ids.at(-1) ?? this.#nextMark
    for (const id of this.#found) if (id <= this.#mark) this.#found.delete(id)
  }

  /** The versions that this poll reads: all that are being processed, the first of the others, and some in turn. */
  #followedIds(): number[] {
    const { waiting, processing, failed } = this.#followed
    const from = this.#turn
    this.#turn += VERSIONS_PER_POLL
    if (this.#turn >= Math.max(waiting.size, failed.size)) this.#turn = 0
    const ids = new Set(processing.keys())
    for (const versions of [waiting, failed]) {
      let at = 0
      for (const id of versions.keys()) {
        if (at < VERSIONS_PER_POLL || at >= from) ids.add(id)
        at += 1
        if (at >= Math.max(VERSIONS_PER_POLL, from + VERSIONS_PER_POLL)) break
      }
    }
    return [...ids]
  }

  /** The reason for which documents of the context wait; of its present model, also during a re-index. */
  async #findReason({ contexts, settings }: Repositories): Promise<string | null> {
    const context = await contexts.get(this.contextId)
    if (context === undefined) return null
    return await this.waitingReasons.sentence(settings, context.embeddingModel, 'the document')
  }

  /** Counts the windows of versions whose text is read. One count serves until the version is finished. */
  async #countWindows(
    { chunks }: Repositories,
    records: readonly DocumentRecord[],
  ): Promise<ReadonlyMap<number, VersionSize>> {
    for (const { id, wordsVersion } of records) if (wordsVersion !== ANALYZER_VERSION) this.#sizes.delete(id)
    const read = records.filter(
      (record) => isUnfinished(record) && record.wordsVersion === ANALYZER_VERSION && !this.#sizes.has(record.id),
    )
    return read.length === 0 ? new Map() : await chunks.count(read.map(({ id }) => id))
  }
}

import { errorCodeOf } from '../../kernel/errors.js'
import { TimeSlice } from '../../kernel/scheduling/time-slice.js'
import type { DocumentRecord, DocumentRepository } from '../../ports/index.js'
import { type DocumentState, deletedState, type LastState } from '../document-state.js'

/** Ids that one read lists at most. */
const IDS_PER_READ = 1_000
/** Neighbouring ids whose documents are packed together. */
const IDS_PER_GROUP = 64

type KnownStatus = DocumentState['status']

/** The members of a document that a watch remembers. */
type KnownDocument = readonly [
  versionId: number,
  status: KnownStatus,
  uuid: string,
  displayName: string,
  isReplacement: boolean,
  error: string | null,
  waiting: string | null,
]

/** The documents of a group, by their ids. */
type Group = Map<number, KnownDocument>

/**
 * The documents of a context that a watch has seen, so that it notices their deletion by any process. A poll counts the
 * live documents of the context, which is cheap. It lists their ids only if fewer are left than were seen.
 *
 * A context may have many documents. So groups of them are packed as one text each: a hundred thousand documents take
 * about ten megabytes, and the garbage collection has few objects to visit. Only the last group in use is unpacked.
 */
export class KnownDocuments {
  /** JSON of the entries of a {@link Group}, by its number. */
  readonly #packed = new Map<number, string>()
  #open: { readonly number: number; readonly group: Group; isChanged: boolean } | undefined
  #size = 0
  /** Ids that were removed since the last poll began, and in the poll before: an older read may still show them. */
  #removed: readonly [Set<number>, Set<number>] = [new Set(), new Set()]
  /** Ids of new documents since the ids are being listed: the list may lack them. */
  #added: Set<number> | undefined

  constructor(private readonly contextId: number) {}

  /** @returns the id of the version that was known before; undefined for a new document, or one that was removed */
  note(versionId: number, state: DocumentState): number | undefined {
    const { id, status, uuid, displayName, isReplacement, error, waiting } = state
    if (this.isRemoved(id)) return undefined
    const open = this.#openGroup(id)
    const before = open.group.get(id)
    open.group.set(id, [versionId, status, uuid, displayName, isReplacement, error, waiting])
    open.isChanged = true
    if (before === undefined) {
      this.#size += 1
      this.#added?.add(id)
    }
    return before?.[0]
  }

  /** The id of the version that was noted last. */
  versionOf(id: number): number | undefined {
    return this.#openGroup(id).group.get(id)?.[0]
  }

  /** The state that was noted last, without the progress of the processing. */
  get(id: number): DocumentState | undefined {
    const known = this.#openGroup(id).group.get(id)
    if (known === undefined) return undefined
    const [status, waiting] = [known[1], known[6]]
    const percent = status === 'completed' ? 100 : null
    return { ...deletedState(this.#lastState(id, known)), status, percent, waiting, waitingCode: errorCodeOf(waiting) }
  }

  /** True if the deletion of a document was told a moment ago. */
  isRemoved(id: number): boolean {
    return this.#removed.some((ids) => ids.has(id))
  }

  /** @returns the state that tells the deletion; undefined if the document is not known, or its deletion is told */
  remove(id: number): DocumentState | undefined {
    this.#removed[0].add(id)
    const open = this.#openGroup(id)
    const known = open.group.get(id)
    if (known === undefined) return undefined
    open.group.delete(id)
    open.isChanged = true
    this.#size -= 1
    return deletedState(this.#lastState(id, known))
  }

  /** Call it before the reads of a poll. */
  beginPoll(): void {
    this.#removed = [new Set(), this.#removed[0]]
  }

  /**
   * Lists the ids of known documents that are deleted.
   *
   * @param found versions that the same poll has read: the count includes the documents that are new among them
   */
  async listDeleted(documents: DocumentRepository, found: readonly DocumentRecord[]): Promise<readonly number[]> {
    if (this.#size === 0) return []
    const count = await documents.count(this.contextId)
    const isNew = ({ publicId, deleted, generation, replaces }: DocumentRecord): boolean =>
      (deleted ?? generation ?? replaces) === null && this.versionOf(publicId) === undefined
    if (count >= this.#size + found.filter(isNew).length) return []
    const added = new Set<number>()
    this.#added = added
    const deleted: number[] = []
    const slice = new TimeSlice()
    for (let after = 0; ; ) {
      const ids = await documents.listPublicIds(this.contextId, { after, limit: IDS_PER_READ })
      const isEnd = ids.length < IDS_PER_READ
      const upTo = isEnd ? Number.POSITIVE_INFINITY : (ids.at(-1) ?? after)
      const live = new Set(ids)
      for (const id of this.#idsBetween(after, upTo)) {
        if (!live.has(id) && !added.has(id)) deleted.push(id)
        await slice.pauseIfOver()
      }
      after = upTo
      if (!isEnd) continue
      this.#added = undefined
      return deleted
    }
  }

  /** Known ids behind one id, up to another one. */
  *#idsBetween(after: number, upTo: number): Generator<number> {
    this.#pack()
    const [first, last] = [groupOf(after), groupOf(upTo)]
    for (const [number, packed] of this.#packed) {
      if (number < first || number > last) continue
      for (const id of unpack(packed).keys()) if (id > after && id <= upTo) yield id
    }
  }

  #lastState(id: number, [, , uuid, displayName, isReplacement, error]: KnownDocument): LastState {
    return { contextId: this.contextId, id, uuid, displayName, isReplacement, error, errorCode: errorCodeOf(error) }
  }

  #openGroup(id: number): { readonly group: Group; isChanged: boolean } {
    const number = groupOf(id)
    if (this.#open?.number === number) return this.#open
    this.#pack()
    this.#open = { number, group: unpack(this.#packed.get(number)), isChanged: false }
    return this.#open
  }

  #pack(): void {
    if (this.#open?.isChanged !== true) return
    const { number, group } = this.#open
    if (group.size === 0) this.#packed.delete(number)
    else this.#packed.set(number, JSON.stringify([...group]))
    this.#open.isChanged = false
  }
}

function groupOf(id: number): number {
  return Math.floor(id / IDS_PER_GROUP)
}

function unpack(packed = '[]'): Group {
  return new Map(JSON.parse(packed) as [number, KnownDocument][])
}

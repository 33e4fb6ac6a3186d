import type { DocumentRecord, DocumentRepository } from '../../ports/index.js'
import { type DocumentState, deletedState, type LastState } from '../document-state.js'

/** Ids that one read lists at most. */
const IDS_PER_READ = 1_000

/**
 * The documents of a context that a watch has seen, so that it notices their deletion by any process. A poll counts the
 * live documents of the context, which is cheap. It lists their ids only if fewer are left than were seen.
 */
export class KnownDocuments {
  readonly #contextId: number
  /** The members that a deletion tells, by the id of the document. A context may have many documents. */
  readonly #states = new Map<number, Omit<LastState, 'contextId' | 'id'>>()
  /** Ids that were removed since the last poll began, and in the poll before: an older read may still show them. */
  #removed: readonly [Set<number>, Set<number>] = [new Set(), new Set()]

  constructor(contextId: number) {
    this.#contextId = contextId
  }

  note({ id, uuid, displayName, isReplacement, error, errorCode }: DocumentState): void {
    if (!this.isRemoved(id)) this.#states.set(id, { uuid, displayName, isReplacement, error, errorCode })
  }

  /** True if the deletion of a document was told a moment ago. */
  isRemoved(id: number): boolean {
    return this.#removed.some((ids) => ids.has(id))
  }

  /** @returns the state that tells the deletion; undefined if the document is not known, or its deletion is told */
  remove(id: number): DocumentState | undefined {
    const last = this.#states.get(id)
    this.#states.delete(id)
    this.#removed[0].add(id)
    return last && deletedState({ ...last, contextId: this.#contextId, id })
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
    if (this.#states.size === 0) return []
    const count = await documents.count(this.#contextId)
    const isNew = ({ publicId, deleted, generation, replaces }: DocumentRecord): boolean =>
      (deleted ?? generation ?? replaces) === null && !this.#states.has(publicId)
    if (count >= this.#states.size + found.filter(isNew).length) return []
    // Documents that are noted during the reads may be missing in the list.
    const known = [...this.#states.keys()]
    const live = new Set<number>()
    for (let after = 0; ; ) {
      const ids = await documents.listPublicIds(this.#contextId, { after, limit: IDS_PER_READ })
      for (const id of ids) live.add(id)
      after = ids.at(-1) ?? after
      if (ids.length < IDS_PER_READ) return known.filter((id) => !live.has(id))
    }
  }
}

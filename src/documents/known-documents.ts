import type { DocumentRepository } from '../ports/index.js'
import { type DocumentState, deletedState } from './document-state.js'

/** Ids that one read lists at most. */
const IDS_PER_READ = 1_000

/**
 * The documents of a context that a watch has seen, so that it notices their deletion by any process. A poll counts the
 * live documents of the context, which is cheap. It lists their ids only if fewer are left than were seen.
 */
export class KnownDocuments {
  readonly #contextId: number
  /** The last states that were read, by the id of the document. */
  readonly #states = new Map<number, DocumentState>()
  /** Ids that were removed since the last poll began, and in the poll before: an older read may still show them. */
  #removed: readonly [Set<number>, Set<number>] = [new Set(), new Set()]

  constructor(contextId: number) {
    this.#contextId = contextId
  }

  note(state: DocumentState): void {
    if (!this.isRemoved(state.id)) this.#states.set(state.id, state)
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
    return last && deletedState(last)
  }

  /** Call it before the reads of a poll. */
  beginPoll(): void {
    this.#removed = [new Set(), this.#removed[0]]
  }

  /** Lists the ids of known documents that are deleted. */
  async listDeleted(documents: DocumentRepository): Promise<readonly number[]> {
    if (this.#states.size === 0) return []
    // Later documents may be missing in the list.
    const known = [...this.#states.keys()]
    if ((await documents.count(this.#contextId)) >= known.length) return []
    const live = new Set<number>()
    for (let after = 0; ; ) {
      const ids = await documents.listPublicIds(this.#contextId, { after, limit: IDS_PER_READ })
      for (const id of ids) live.add(id)
      after = ids.at(-1) ?? after
      if (ids.length < IDS_PER_READ) return known.filter((id) => !live.has(id))
    }
  }
}

import type { DocumentFilter, DocumentVisibility } from '../ports/index.js'

/**
 * The documents that one search may find: fixed before the index is asked, so that one
 * that is completed meanwhile is not judged by the windows that were there by then.
 */
export class VisibleDocuments {
  readonly #lastId: number
  readonly #hidden: Set<number>
  readonly #visible: ReadonlySet<number> | undefined

  /** @param gone documents that were found to be deleted, whatever is told of them */
  constructor({ lastId, hidden, visible }: DocumentVisibility, gone: Iterable<number>) {
    this.#lastId = lastId
    this.#hidden = new Set([...hidden, ...gone])
    this.#visible = visible && new Set(visible)
  }

  has(documentId: number): boolean {
    if (this.#hidden.has(documentId)) return false
    return this.#visible === undefined ? documentId <= this.#lastId : this.#visible.has(documentId)
  }

  /** Leaves out a document that the index has and the storage did not. */
  hide(documentId: number): void {
    this.#hidden.add(documentId)
  }

  /** The shorter of two lists for the index; none, which is fastest, where nothing is hidden. */
  get filter(): { readonly documents?: DocumentFilter } {
    if (this.#visible !== undefined) {
      return { documents: { only: [...this.#visible].filter((id) => !this.#hidden.has(id)) } }
    }
    return this.#hidden.size === 0 ? {} : { documents: { except: [...this.#hidden] } }
  }
}

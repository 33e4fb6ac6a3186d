import type { ChunkCounts, ChunkKey, DocumentFilter, DocumentVisibility } from '../ports/index.js'
import { nameOf } from './known-chunks.js'

/** Indexes may have these, and the storage does not have them. A search leaves them out. */
export class MissingChunks {
  /** All chunks of these are left out. */
  readonly documents: Set<number> = new Set()
  /** Documents of which telemetry was told. */
  readonly reported: Set<number> = new Set()
  readonly #chunks = new Set<string>()
  readonly #ends = new Map<number, number>()

  /** Adds a chunk of a document that is there; with all that follow it, where it is behind the last one. */
  add(chunk: ChunkKey, { chunks, isWhole }: ChunkCounts): void {
    if (isWhole && chunk.ordinal >= chunks) this.#ends.set(chunk.documentId, chunks)
    else this.#chunks.add(nameOf(chunk))
  }

  has(chunk: ChunkKey): boolean {
    if (chunk.ordinal >= (this.#ends.get(chunk.documentId) ?? Number.POSITIVE_INFINITY)) return true
    return this.#chunks.size > 0 && this.#chunks.has(nameOf(chunk))
  }
}

/**
 * The documents that one search may find: fixed before the index is asked, so that one
 * that is completed meanwhile is not judged by the windows that were there by then.
 */
export class VisibleDocuments {
  readonly #lastId: number
  readonly #hidden: Set<number>
  readonly #visible: ReadonlySet<number> | undefined
  readonly #missing: MissingChunks

  /** @param missing hidden, even if `visibility` shows their documents */
  constructor({ lastId, hidden, visible }: DocumentVisibility, missing: MissingChunks) {
    this.#lastId = lastId
    this.#hidden = new Set([...hidden, ...missing.documents])
    this.#missing = missing
    this.#visible = visible && new Set(visible)
  }

  has(documentId: number): boolean {
    if (this.#hidden.has(documentId)) return false
    return this.#visible === undefined ? documentId <= this.#lastId : this.#visible.has(documentId)
  }

  /** Whether a chunk of a visible document is left out. */
  isMissing(chunk: ChunkKey): boolean {
    return this.#missing.has(chunk)
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

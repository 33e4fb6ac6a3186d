import type { ChunkCounts, ChunkKey, DocumentFilter, DocumentVisibility } from '../ports/index.js'
import { toMapKey } from './known-chunks.js'

/** Chunks that an index has and the storage does not have. A search leaves them out. */
export class MissingChunks {
  /** Ids of documents whose chunks are all left out. */
  readonly documents: Set<number> = new Set()
  /** Ids of documents that this search has reported to telemetry. */
  readonly reported: Set<number> = new Set()
  readonly #chunks = new Set<string>()
  /** By document id: the ordinal from which on all chunks are left out. */
  readonly #ends = new Map<number, number>()

  /**
   * Adds a chunk of a stored document. If the chunk lies behind the document's last one, adds all that follow it too.
   *
   * @param counts the stored chunks of the document
   */
  add(chunk: ChunkKey, { chunks, isWhole }: ChunkCounts): void {
    if (isWhole && chunk.ordinal >= chunks) this.#ends.set(chunk.documentId, chunks)
    else this.#chunks.add(toMapKey(chunk))
  }

  has(chunk: ChunkKey): boolean {
    if (chunk.ordinal >= (this.#ends.get(chunk.documentId) ?? Number.POSITIVE_INFINITY)) return true
    return this.#chunks.size > 0 && this.#chunks.has(toMapKey(chunk))
  }
}

/**
 * The documents that one search may find. The set is fixed before the search reads an index. Otherwise a document that
 * is completed during the search would be compared by only those windows that the index had at that time.
 */
export class VisibleDocuments {
  readonly #lastId: number
  readonly #hidden: Set<number>
  readonly #visible: ReadonlySet<number> | undefined
  readonly #missing: MissingChunks

  /** @param missing chunks and documents to leave out, even if `visibility` shows the documents */
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

  /** True if the search leaves out this chunk although its document is visible. */
  isMissing(chunk: ChunkKey): boolean {
    return this.#missing.has(chunk)
  }

  /** Leaves out a document that the index returned although the search may not find it. */
  hide(documentId: number): void {
    this.#hidden.add(documentId)
  }

  /** The filter for an index: the shorter of two lists, or no filter if nothing is hidden, which is fastest. */
  get filter(): { readonly documents?: DocumentFilter } {
    if (this.#visible !== undefined) {
      return { documents: { only: [...this.#visible].filter((id) => !this.#hidden.has(id)) } }
    }
    return this.#hidden.size === 0 ? {} : { documents: { except: [...this.#hidden] } }
  }
}

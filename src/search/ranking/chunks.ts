import type { ChunkCounts, ChunkKey, DocumentFilter, DocumentVisibility, VectorHit } from '../../ports/index.js'

/** The side of a search that found a chunk: the word index or the vector index. */
export type FoundBy = 'words' | 'meaning'

/** A chunk with the similarity of its nearest window. */
export interface NearChunk extends ChunkKey {
  /** Cosine, limited to 0 to 1. */
  readonly similarity: number
  /** Ordinal of the window in the chunk. */
  readonly window: number
}

/** A chunk that a search found. */
export interface RankedChunk extends ChunkKey {
  /** Cosine of the prompt and the chunk, limited to 0 to 1; the same whichever side found the chunk. */
  readonly similarity: number
  /** The value that orders the chunks, 0 to 1. Comparable within one search only. */
  readonly score: number
  /** Ordinal in the chunk of the window that is nearest in meaning. */
  readonly window: number
  /** BM25, if both sides made the score. */
  readonly wordScore?: number
  readonly foundBy: readonly FoundBy[]
}

/** The best window of each chunk among the hits of one or more queries. */
export class BestWindows {
  readonly #best = new Map<string, NearChunk>()

  /** Adds a hit of the vector index. Keeps the window only if it is the best one of its chunk so far. */
  addHit({ documentId, chunk, window, similarity }: VectorHit): void {
    this.add({ documentId, ordinal: chunk, window, similarity: clamp(similarity) })
  }

  /** As {@link addHit}, for a similarity that is 0 to 1 already. */
  add(candidate: NearChunk): void {
    const key = toMapKey(candidate)
    const best = this.#best.get(key)
    if (best === undefined || best.similarity < candidate.similarity) this.#best.set(key, candidate)
  }

  get(key: ChunkKey): NearChunk | undefined {
    return this.#best.get(toMapKey(key))
  }

  /** @returns all chunks, in any order */
  all(): readonly NearChunk[] {
    return [...this.#best.values()]
  }

  /** @returns the chunks with at least this similarity, the most similar first, equal ones by age */
  ranked(scoreThreshold: number): NearChunk[] {
    return this.all()
      .filter(({ similarity }) => similarity >= scoreThreshold)
      .sort((one, other) => other.similarity - one.similarity || byAge(one, other))
  }
}

/** The similarities that one search knows, and the chunks that have no vectors. */
export class KnownChunks {
  readonly bestWindows: BestWindows = new BestWindows()
  /** Chunks that have no vectors in the index; true while the search has not computed these vectors yet. */
  readonly #unembedded = new Map<string, boolean>()

  /** True if the search need not ask the vector index for this chunk. */
  has(key: ChunkKey): boolean {
    return this.bestWindows.get(key) !== undefined || this.#unembedded.has(toMapKey(key))
  }

  isWaiting(key: ChunkKey): boolean {
    return this.bestWindows.get(key) === undefined && this.#unembedded.get(toMapKey(key)) === true
  }

  setWaiting(key: ChunkKey, isWaiting: boolean): void {
    this.#unembedded.set(toMapKey(key), isWaiting)
  }
}

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
  #filter: { readonly documents?: DocumentFilter } | undefined

  /**
   * @param missing chunks and documents to leave out, even if `visibility` shows the documents
   * @param matching ids of the documents that the conditions of the search select. Default: all documents
   */
  constructor(
    { lastId, hidden, visible }: DocumentVisibility,
    private readonly missing: MissingChunks,
    private readonly matching?: ReadonlySet<number> | undefined,
  ) {
    this.#lastId = lastId
    this.#hidden = new Set([...hidden, ...missing.documents])
    this.#visible = visible && new Set(visible)
  }

  has(documentId: number): boolean {
    if (this.#hidden.has(documentId) || this.matching?.has(documentId) === false) return false
    return this.#visible === undefined ? documentId <= this.#lastId : this.#visible.has(documentId)
  }

  /** True if it is certain that no document is visible. False says nothing: the context may have no documents. */
  get isEmpty(): boolean {
    return this.#lastId === 0 || this.#visible?.size === 0 || this.matching?.size === 0
  }

  /** True if the search leaves out this chunk although its document is visible. */
  isMissing(chunk: ChunkKey): boolean {
    return this.missing.has(chunk)
  }

  /** Leaves out a document that the index returned although the search may not find it. */
  hide(documentId: number): void {
    this.#hidden.add(documentId)
    this.#filter = undefined
  }

  /** The filter for an index: the shorter of two lists, or no filter if nothing is hidden, which is fastest. */
  get filter(): { readonly documents?: DocumentFilter } {
    // Kept: each read of an index asks for it, and the list may have many ids.
    return (this.#filter ??= this.#makeFilter())
  }

  #makeFilter(): { readonly documents?: DocumentFilter } {
    if (this.matching !== undefined) return { documents: { only: [...this.matching].filter((id) => this.has(id)) } }
    if (this.#visible !== undefined) {
      return { documents: { only: [...this.#visible].filter((id) => !this.#hidden.has(id)) } }
    }
    return this.#hidden.size === 0 ? {} : { documents: { except: [...this.#hidden] } }
  }
}

/** @returns a string that identifies the chunk as a key of a `Map` or `Set` */
export function toMapKey({ documentId, ordinal }: ChunkKey): string {
  return `${documentId}:${ordinal}`
}

/** Limits a similarity or a score to 0 to 1, the range of the specification. */
export function clamp(value: number): number {
  return Math.min(1, Math.max(0, value))
}

/** The fields that decide the order of chunks. */
type Relevance = ChunkKey & Pick<RankedChunk, 'score' | 'similarity'>

/** Orders the best first, equal ones by similarity, then by age. The same chunks always have the same order. */
export function byRelevance(one: Relevance, other: Relevance): number {
  return other.score - one.score || other.similarity - one.similarity || byAge(one, other)
}

/** Orders the oldest document first, and the chunks of a document by their ordinals. */
function byAge(one: ChunkKey, other: ChunkKey): number {
  return one.documentId - other.documentId || one.ordinal - other.ordinal
}

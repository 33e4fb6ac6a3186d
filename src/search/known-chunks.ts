import type { ChunkKey, VectorHit } from '../ports/index.js'

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

/** A chunk with the similarity of its nearest window. */
export interface NearChunk extends ChunkKey {
  /** Cosine, limited to 0 to 1. */
  readonly similarity: number
  /** Ordinal of the window in the chunk. */
  readonly window: number
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

/** Orders the oldest document first, and the chunks of a document by their ordinals. */
function byAge(one: ChunkKey, other: ChunkKey): number {
  return one.documentId - other.documentId || one.ordinal - other.ordinal
}

/** @returns a string that identifies the chunk as a key of a `Map` or `Set` */
export function toMapKey({ documentId, ordinal }: ChunkKey): string {
  return `${documentId}:${ordinal}`
}

/** Limits a similarity or a score to 0 to 1, the range of the specification. */
export function clamp(value: number): number {
  return Math.min(1, Math.max(0, value))
}

/** The side of a search that found a chunk: the word index or the vector index. */
export type FoundBy = 'words' | 'meaning'

/** A chunk that a search found. */
export interface RankedChunk extends ChunkKey {
  /** Cosine of the prompt and the chunk, limited to 0 to 1; the same whichever side found the chunk. */
  readonly similarity: number
  /** The value that orders the chunks, 0 to 1. Comparable within one search only. */
  readonly score: number
  /** Ordinal in the chunk of the window that is nearest in meaning. */
  readonly window: number
  readonly foundBy: readonly FoundBy[]
}

/** The fields that decide the order of chunks. */
type Relevance = ChunkKey & Pick<RankedChunk, 'score' | 'similarity'>

/** Orders the best first, equal ones by similarity, then by age. The same chunks always have the same order. */
export function byRelevance(one: Relevance, other: Relevance): number {
  return other.score - one.score || other.similarity - one.similarity || byAge(one, other)
}

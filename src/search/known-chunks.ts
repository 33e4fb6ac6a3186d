import type { ChunkKey, VectorHit } from '../ports/index.js'

/** How near chunks are, as far as one search knows. */
export class KnownChunks {
  readonly near: BestWindows = new BestWindows()
  /** Chunks without vectors: whether their vectors are still to be computed. */
  readonly #waiting = new Map<string, boolean>()

  /** Whether the vector index need not be asked. */
  has(key: ChunkKey): boolean {
    return this.near.get(key) !== undefined || this.#waiting.has(nameOf(key))
  }

  isWaiting(key: ChunkKey): boolean {
    return this.near.get(key) === undefined && this.#waiting.get(nameOf(key)) === true
  }

  setWaiting(key: ChunkKey, isWaiting: boolean): void {
    this.#waiting.set(nameOf(key), isWaiting)
  }
}

/** A chunk, by its key, and how near its nearest window is. */
export interface NearChunk extends ChunkKey {
  /** 0 to 1. */
  readonly similarity: number
  /** The window, by its ordinal in the chunk. */
  readonly window: number
}

/** The best window of each chunk among the hits of one or more queries. */
export class BestWindows {
  readonly #best = new Map<string, NearChunk>()

  /** Takes a window into account. */
  add({ documentId, chunk, window, similarity }: VectorHit): void {
    this.take({ documentId, ordinal: chunk, window, similarity: clamp(similarity) })
  }

  /** As {@link add}, for a window of which that is known. */
  take(place: NearChunk): void {
    const known = this.#best.get(nameOf(place))
    if (known === undefined || known.similarity < place.similarity) this.#best.set(nameOf(place), place)
  }

  get(key: ChunkKey): NearChunk | undefined {
    return this.#best.get(nameOf(key))
  }

  /** In no order. */
  all(): readonly NearChunk[] {
    return [...this.#best.values()]
  }

  /** The chunks that are similar enough, the most similar first; equal ones by age. */
  ranked(scoreThreshold: number): NearChunk[] {
    return this.all()
      .filter(({ similarity }) => similarity >= scoreThreshold)
      .sort((one, other) => other.similarity - one.similarity || byAge(one, other))
  }
}

/** The oldest document first, and its chunks in their order. */
function byAge(one: ChunkKey, other: ChunkKey): number {
  return one.documentId - other.documentId || one.ordinal - other.ordinal
}

export function nameOf({ documentId, ordinal }: ChunkKey): string {
  return `${documentId}:${ordinal}`
}

/** A similarity or a score as the specification shows it: 0 to 1. */
export function clamp(value: number): number {
  return Math.min(1, Math.max(0, value))
}

/** Which side of a search has found a chunk. */
export type FoundBy = 'words' | 'meaning'

/** A chunk that a search found, by its key. */
export interface RankedChunk extends ChunkKey {
  /** Cosine of the prompt and the chunk, 0 to 1, whichever side found it. */
  readonly similarity: number
  /** By which chunks are ordered, 0 to 1: comparable within one search. */
  readonly score: number
  /** The window that is nearest in meaning, by its ordinal in the chunk. */
  readonly window: number
  readonly foundBy: readonly FoundBy[]
}

/** What the order of chunks follows. */
type Relevance = ChunkKey & Pick<RankedChunk, 'score' | 'similarity'>

/** The best first; equal ones by similarity, then by age: the same chunks always come in the same order. */
export function byRelevance(one: Relevance, other: Relevance): number {
  return other.score - one.score || other.similarity - one.similarity || byAge(one, other)
}

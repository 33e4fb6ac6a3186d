import type { ChunkKey, VectorHit } from '../ports/index.js'

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
export function byAge(one: ChunkKey, other: ChunkKey): number {
  return one.documentId - other.documentId || one.ordinal - other.ordinal
}

export function nameOf({ documentId, ordinal }: ChunkKey): string {
  return `${documentId}:${ordinal}`
}

/** A similarity or a score as the specification shows it: 0 to 1. */
export function clamp(value: number): number {
  return Math.min(1, Math.max(0, value))
}

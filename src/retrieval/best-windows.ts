import type { ChunkKey, VectorHit } from '../ports/index.js'

/** A chunk, by its key, and how near it is. */
export interface RankedChunk extends ChunkKey {
  /** 0 to 1. */
  readonly similarity: number
}

/** The best window of each chunk among the hits of one or more queries. */
export class BestWindows {
  readonly #best = new Map<string, RankedChunk>()

  add({ documentId, chunk, similarity }: VectorHit): void {
    const name = `${documentId}:${chunk}`
    const known = this.#best.get(name)
    if (known !== undefined && known.similarity >= clamp(similarity)) return
    this.#best.set(name, { documentId, ordinal: chunk, similarity: clamp(similarity) })
  }

  /** The chunks that are similar enough, the most similar first; equal ones by age. */
  ranked(scoreThreshold: number): RankedChunk[] {
    return [...this.#best.values()].filter(({ similarity }) => similarity >= scoreThreshold).sort(byRelevance)
  }
}

function byRelevance(one: RankedChunk, other: RankedChunk): number {
  return other.similarity - one.similarity || one.documentId - other.documentId || one.ordinal - other.ordinal
}

/** A cosine as the specification shows it: 0 to 1. */
function clamp(similarity: number): number {
  return Math.min(1, Math.max(0, similarity))
}

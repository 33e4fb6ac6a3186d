import type { ChunkKey, VectorHit } from '../ports/index.js'

/** The best window of each chunk among the hits of one or more queries. */
export class BestWindows {
  readonly #best = new Map<string, { readonly key: ChunkKey; similarity: number }>()

  add(hits: readonly VectorHit[]): void {
    for (const { documentId, chunk, similarity } of hits) {
      const key = { documentId, ordinal: chunk }
      const known = this.#best.get(nameOf(key))
      if (known === undefined) this.#best.set(nameOf(key), { key, similarity: clamp(similarity) })
      else known.similarity = Math.max(known.similarity, clamp(similarity))
    }
  }

  /** The chunks that are similar enough. */
  chunksFrom(scoreThreshold: number): ChunkKey[] {
    return [...this.#best.values()].filter(({ similarity }) => similarity >= scoreThreshold).map(({ key }) => key)
  }

  similarityOf(key: ChunkKey): number {
    return this.#best.get(nameOf(key))?.similarity ?? 0
  }
}

function nameOf({ documentId, ordinal }: ChunkKey): string {
  return `${documentId}:${ordinal}`
}

/** A cosine as the specification shows it: 0 to 1. */
function clamp(similarity: number): number {
  return Math.min(1, Math.max(0, similarity))
}

import type { EmbeddingModel } from '../ports/index.js'

/** Vectors that are kept of each model: 3 MB with 384 dimensions. */
const MOST_KEPT = 2_048

/**
 * The vectors that searches have computed last, of windows that have none in the index yet: the next search in the same
 * document needs many of them again.
 */
export class KeptVectors {
  readonly #ofModels = new WeakMap<EmbeddingModel, VectorsByHash>()

  of(model: EmbeddingModel): VectorsByHash {
    const known = this.#ofModels.get(model) ?? new VectorsByHash()
    this.#ofModels.set(model, known)
    return known
  }
}

/** Vectors by the hash of their window. Those that were used longest ago go first. */
export class VectorsByHash {
  readonly #vectors = new Map<string, Float32Array>()

  get(hash: string): Float32Array | undefined {
    const vector = this.#vectors.get(hash)
    if (vector !== undefined) this.set(hash, vector)
    return vector
  }

  set(hash: string, vector: Float32Array): void {
    this.#vectors.delete(hash)
    this.#vectors.set(hash, vector)
    if (this.#vectors.size <= MOST_KEPT) return
    const [oldest] = this.#vectors.keys()
    if (oldest !== undefined) this.#vectors.delete(oldest)
  }
}

import type { EmbeddingModel } from '../ports/index.js'

/** Vectors that are kept of each model: 3 MB with 384 dimensions, and as much of texts. */
const MOST_KEPT = 2_048

/**
 * The vectors that searches have computed last, of windows that have none in the index yet: the next search in the same
 * document needs many of them again.
 */
export class KeptVectors {
  readonly #ofModels = new WeakMap<EmbeddingModel, VectorsByText>()

  of(model: EmbeddingModel): VectorsByText {
    const known = this.#ofModels.get(model) ?? new VectorsByText()
    this.#ofModels.set(model, known)
    return known
  }
}

/** Vectors by the text of their window. Those that were used longest ago go first. */
export class VectorsByText {
  readonly #vectors = new Map<string, Float32Array>()

  get(text: string): Float32Array | undefined {
    const vector = this.#vectors.get(text)
    if (vector !== undefined) this.set(text, vector)
    return vector
  }

  set(text: string, vector: Float32Array): void {
    this.#vectors.delete(text)
    this.#vectors.set(text, vector)
    if (this.#vectors.size <= MOST_KEPT) return
    const [oldest] = this.#vectors.keys()
    if (oldest !== undefined) this.#vectors.delete(oldest)
  }
}

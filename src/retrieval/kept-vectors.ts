import QuickLRU from 'quick-lru'
import type { EmbeddingModel } from '../ports/index.js'

/** Vectors of each model, at the least; twice as many at the most: 3 MB with 384 dimensions, and as much of texts. */
const KEPT = 1_024

/** Vectors by the text of their window. */
export type VectorsByText = Pick<Map<string, Float32Array>, 'get' | 'set'>

/**
 * The vectors that searches have computed last, of windows that have none in the index yet: the next search in the same
 * document needs many of them again.
 */
export class KeptVectors {
  readonly #ofModels = new WeakMap<EmbeddingModel, VectorsByText>()

  of(model: EmbeddingModel): VectorsByText {
    const known = this.#ofModels.get(model)
    if (known !== undefined) return known
    const kept: VectorsByText = new QuickLRU<string, Float32Array>({ maxSize: KEPT })
    this.#ofModels.set(model, kept)
    return kept
  }
}

import type { VectorRows } from '../../dist/src/ports/index.js'

export const DIMENSIONS = 384
const CLUSTERS = 2_000
const ROWS_PER_DOCUMENT = 50

/**
 * Vectors in clusters, the same in every run. A spread of 0.5 gives round clusters that lie apart and are easy to
 * index. With 1.2 they overlap: the nearest neighbours are at a cosine of 0.5. Embeddings lie between the two.
 */
export class ClusteredVectors {
  readonly #spread: number
  readonly #centers: Float32Array[]
  #state: number

  constructor(spread: number, seed: number) {
    this.#spread = spread / Math.sqrt(DIMENSIONS)
    this.#state = 20_001
    this.#centers = Array.from({ length: CLUSTERS }, () => this.#unit(() => this.#gaussian()))
    this.#state = seed
  }

  next(): Float32Array {
    const center = this.#centers[Math.floor(this.#random() * CLUSTERS)]
    return this.#unit((component) => (center?.[component] ?? 0) + this.#spread * this.#gaussian())
  }

  /** Rows of one document. */
  rows(documentId: number, count: number = ROWS_PER_DOCUMENT): VectorRows {
    const vectors = new Float32Array(count * DIMENSIONS)
    for (let row = 0; row < count; row += 1) vectors.set(this.next(), row * DIMENSIONS)
    return {
      documentId,
      chunks: Uint32Array.from({ length: count }, (_, row) => row),
      windows: new Uint16Array(count),
      vectors,
    }
  }

  #unit(component: (index: number) => number): Float32Array {
    const vector = new Float32Array(DIMENSIONS)
    let squares = 0
    for (let index = 0; index < DIMENSIONS; index += 1) {
      const value = component(index)
      vector[index] = value
      squares += value * value
    }
    const length = Math.sqrt(squares)
    for (let index = 0; index < DIMENSIONS; index += 1) vector[index] = (vector[index] ?? 0) / length
    return vector
  }

  #gaussian(): number {
    return (this.#random() + this.#random() + this.#random() + this.#random() - 2) * Math.sqrt(3)
  }

  #random(): number {
    this.#state ^= this.#state << 13
    this.#state ^= this.#state >>> 17
    this.#state ^= this.#state << 5
    return (this.#state >>> 0) / 2 ** 32
  }
}

import { bm25LengthFactor } from '../../src/ports/index.js'

/** Lengths whose factors are kept. */
const KEPT_LENGTHS = 2_048

/** The length factors of BM25 in one collection, each computed once. */
export class LengthFactors {
  readonly #meanLength: number
  readonly #kept = new Float64Array(KEPT_LENGTHS)

  constructor(meanLength: number) {
    this.#meanLength = meanLength
  }

  of(length: number): number {
    if (length >= KEPT_LENGTHS) return bm25LengthFactor(length, this.#meanLength)
    const known = this.#kept[length] ?? 0
    if (known !== 0) return known
    return (this.#kept[length] = bm25LengthFactor(length, this.#meanLength))
  }
}

import { bm25 } from '../../src/ports/index.js'

/** Lengths for which scores are kept. */
const KEPT_LENGTHS = 2_048

/** What one term adds to the score of a chunk: computed once for chunks of the same length that have it equally often. */
export class TermScores {
  readonly #idfs: ReadonlyMap<string, number>
  readonly #meanLength: number
  readonly #byOccurrences: (Float64Array | undefined)[] = []

  /** @param idf of the term, times its weight */
  constructor(idf: number, meanLength: number) {
    this.#idfs = new Map([['', idf]])
    this.#meanLength = meanLength
  }

  of(occurrences: number, length: number): number {
    if (length >= KEPT_LENGTHS) return this.#compute(occurrences, length)
    let scores = this.#byOccurrences[occurrences]
    if (scores === undefined) {
      scores = new Float64Array(KEPT_LENGTHS)
      this.#byOccurrences[occurrences] = scores
    }
    const known = scores[length] ?? 0
    if (known !== 0) return known
    const score = this.#compute(occurrences, length)
    scores[length] = score
    return score
  }

  #compute(occurrences: number, length: number): number {
    return bm25(this.#idfs, { occurrences: () => occurrences, length }, this.#meanLength)
  }
}

import { bm25LengthFactor, bm25OfTerm } from '../../src/ports/index.js'
import { POSTING_BYTES } from './postings.js'

/** Factors of shorter chunks are computed once and kept. */
const KEPT_LENGTHS = 1_024

/** The score of the posting at an index. */
export type TermScore = (postings: DataView, index: number) => number

/**
 * Makes the score functions of terms in one collection.
 * @param meanLength the mean length of a chunk, in terms
 * @returns a function that makes the score function of a term from its idf times its weight
 */
export function makeTermScores(meanLength: number): (idf: number) => TermScore {
  const factors = Float64Array.from({ length: KEPT_LENGTHS }, (_, length) => bm25LengthFactor(length, meanLength))
  return (idf) => {
    // Most chunks that have a term have it once. A division for each of them would take half of the time.
    const once = factors.map((factor) => bm25OfTerm(idf, 1, factor))
    return (postings, index) => {
      const byte = index * POSTING_BYTES
      const frequency = postings.getUint16(byte + 4)
      const length = postings.getUint16(byte + 6)
      if (length >= KEPT_LENGTHS) return bm25OfTerm(idf, frequency, bm25LengthFactor(length, meanLength))
      return frequency === 1 ? (once[length] ?? 0) : bm25OfTerm(idf, frequency, factors[length] ?? 0)
    }
  }
}

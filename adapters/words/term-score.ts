import { bm25LengthFactor, bm25OfTerm } from '../../src/ports/index.js'
import { POSTING_BYTES } from './postings.js'

/** Lengths of chunks whose factors are kept. */
const KEPT_LENGTHS = 1_024

/** What the posting at a place is worth. */
export type TermScore = (postings: DataView, place: number) => number

/**
 * Scores of terms in one collection.
 * @param meanLength of a chunk, in terms
 * @returns makes the score of a term, of its idf times its weight
 */
export function termScores(meanLength: number): (idf: number) => TermScore {
  const factors = Float64Array.from({ length: KEPT_LENGTHS }, (_, length) => bm25LengthFactor(length, meanLength))
  return (idf) => {
    // Most chunks that have a term have it once: to divide for each of them would take half of the time.
    const once = factors.map((factor) => bm25OfTerm(idf, 1, factor))
    return (postings, place) => {
      const byte = place * POSTING_BYTES
      const frequency = postings.getUint16(byte + 4)
      const length = postings.getUint16(byte + 6)
      if (length >= KEPT_LENGTHS) return bm25OfTerm(idf, frequency, bm25LengthFactor(length, meanLength))
      return frequency === 1 ? (once[length] ?? 0) : bm25OfTerm(idf, frequency, factors[length] ?? 0)
    }
  }
}

import { bm25LengthFactor, bm25OfTerm } from '../../src/ports/index.js'
import { POSTING_BYTES } from './postings.js'

/** Lengths whose factors are kept. */
const KEPT_LENGTHS = 2_048

/** What the posting at a place is worth. */
export type TermScore = (postings: DataView, place: number) => number

/** Scores of terms in one collection, whose chunks have so many terms on the average. @returns makes one, of a term's idf times its weight */
export function termScores(meanLength: number): (idf: number) => TermScore {
  // The length factors of BM25, each computed once.
  const kept = new Float64Array(KEPT_LENGTHS)
  for (let length = 0; length < KEPT_LENGTHS; length += 1) kept[length] = bm25LengthFactor(length, meanLength)
  return (idf) => (postings, place) => {
    const byte = place * POSTING_BYTES
    const length = postings.getUint16(byte + 6)
    return bm25OfTerm(idf, postings.getUint16(byte + 4), kept[length] ?? bm25LengthFactor(length, meanLength))
  }
}

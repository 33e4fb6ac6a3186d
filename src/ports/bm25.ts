/** k1: how fast further occurrences of a term in a chunk lose weight. */
const SATURATION = 1.2
/** b: how much a chunk loses weight if it is longer than the mean. */
const LENGTH_NORMALIZATION = 0.75

/** The properties of a chunk that its score depends on: see {@link bm25}. */
export interface ChunkTerms {
  /** @returns the number of occurrences of a term in the chunk */
  readonly occurrences: (term: string) => number
  /** Number of terms in the chunk; each occurrence counts. */
  readonly length: number
}

/**
 * Computes the inverse document frequency of a term as Lucene does: ln(1 + (N - n + 0.5) / (n + 0.5)).
 *
 * @param chunks N: the number of all chunks
 * @param withTerm n: the number of chunks that have the term
 * @returns a number above 0; about 0 for a term that every chunk has
 */
export function inverseDocumentFrequency(chunks: number, withTerm: number): number {
  return Math.log(1 + (Math.max(0, chunks - withTerm) + 0.5) / (withTerm + 0.5))
}

/**
 * Computes the BM25 score of a chunk, a sum over the terms of a question:
 *
 * `weight · idf · tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / mean length))`
 *
 * k1 is 1.2 and b is 0.75. After Robertson and Zaragoza 2009, "The
 * Probabilistic Relevance Framework: BM25 and Beyond".
 *
 * @param idfs for each term of the question: its {@link inverseDocumentFrequency} times its weight
 * @param meanLength mean length of all chunks, in terms
 * @returns 0 or more; 0 for a chunk without a term of the question
 */
export function bm25(
  idfs: ReadonlyMap<string, number>,
  { occurrences, length }: ChunkTerms,
  meanLength: number,
): number {
  const lengthFactor = bm25LengthFactor(length, meanLength)
  let score = 0
  for (const [term, idf] of idfs) {
    const frequency = occurrences(term)
    if (frequency > 0) score += bm25OfTerm(idf, frequency, lengthFactor)
  }
  return score
}

/**
 * Computes the part of {@link bm25} that one term adds.
 *
 * @param idf the term's {@link inverseDocumentFrequency} times its weight
 * @param frequency number of occurrences of the term in the chunk, 1 or more
 * @param lengthFactor the result of {@link bm25LengthFactor} for the chunk
 */
export function bm25OfTerm(idf: number, frequency: number, lengthFactor: number): number {
  return (idf * frequency * (SATURATION + 1)) / (frequency + lengthFactor)
}

/**
 * Computes how much the length of a chunk lowers the scores of its terms: k1 · (1 - b + b · length / mean length).
 *
 * @param length length of the chunk, in terms
 * @param meanLength mean length of all chunks, in terms
 */
export function bm25LengthFactor(length: number, meanLength: number): number {
  return SATURATION * (1 - LENGTH_NORMALIZATION + (LENGTH_NORMALIZATION * length) / (meanLength || 1))
}

/** @returns the score that no chunk's {@link bm25} can exceed. @param idfs as the parameter of {@link bm25} */
export function bm25Maximum(idfs: ReadonlyMap<string, number>): number {
  let sum = 0
  for (const idf of idfs.values()) sum += idf
  return sum * (SATURATION + 1)
}

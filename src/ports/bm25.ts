/** How quickly further occurrences of a term in a chunk count for less. */
const SATURATION = 1.2
/** How much a chunk that is longer than the mean counts for less. */
const LENGTH_NORMALIZATION = 0.75

/** What a chunk is judged by: see {@link bm25}. */
export interface ChunkTerms {
  /** How often a term occurs in the chunk. */
  readonly occurrences: (term: string) => number
  /** Terms of the chunk, as often as they occur. */
  readonly length: number
}

/**
 * Inverse document frequency of a term, above 0: about 0 for one that every chunk has.
 * As Lucene has it: ln(1 + (N - n + 0.5) / (n + 0.5)).
 *
 * @param chunks how many chunks there are
 * @param withTerm how many of them have the term
 */
export function inverseDocumentFrequency(chunks: number, withTerm: number): number {
  return Math.log(1 + (Math.max(0, chunks - withTerm) + 0.5) / (withTerm + 0.5))
}

/**
 * BM25 of a chunk: the sum, over the terms of a question, of weight · idf · tf · (k1 + 1) / (tf + k1 · (1 - b + b ·
 * length / mean length)), where k1 is 1.2 and b is 0.75. After Robertson and Zaragoza 2009, "The Probabilistic Relevance
 * Framework: BM25 and Beyond".
 *
 * @param idfs what {@link inverseDocumentFrequency} gives for each term, times its weight
 * @param meanLength of a chunk, in terms
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

/** What one term adds to the {@link bm25} of a chunk that has it. @param lengthFactor of the chunk */
export function bm25OfTerm(idf: number, frequency: number, lengthFactor: number): number {
  return (idf * frequency * (SATURATION + 1)) / (frequency + lengthFactor)
}

/** How much the length of a chunk lowers what its terms add: k1 · (1 - b + b · length / mean length). */
export function bm25LengthFactor(length: number, meanLength: number): number {
  return SATURATION * (1 - LENGTH_NORMALIZATION + (LENGTH_NORMALIZATION * length) / (meanLength || 1))
}

/** What no chunk's {@link bm25} can exceed. @param idfs as there */
export function bm25Maximum(idfs: ReadonlyMap<string, number>): number {
  let sum = 0
  for (const idf of idfs.values()) sum += idf
  return sum * (SATURATION + 1)
}

/** What is known of a candidate. */
export interface Candidate {
  /** Cosine, 0 to 1. */
  readonly similarity: number
  /** BM25, 0 where the words did not find it. */
  readonly wordScore: number
}

/** What is known of a question. */
export interface QuestionFacts {
  /** The word score that no chunk can exceed; 0 for a question without words. */
  readonly maximum: number
  /** How much of the question the model's vocabulary knows, 0 to 1. */
  readonly knowledge: number
}

/** The joint score of a candidate, 0 to 1. */
export function jointScore({ similarity, wordScore }: Candidate, { maximum, knowledge }: QuestionFacts): number {
  if (maximum <= 0) return similarity
  const weight = 0.5 * knowledge
  return weight * similarity + (1 - weight) * Math.min(1, wordScore / maximum)
}

/** How far a score may lie below that of the reference program. */
export const TOLERANCE = 0.01

/** How well something is found, and how well the reference program finds it. */
export interface Score {
  /** What is searched. */
  readonly collection: string
  readonly measure: string
  readonly score: number
  /** `null` where nothing is known to compare with. */
  readonly reference: number | null
}

/** Recall and precision of chunks. */
export interface ChunkingScores {
  readonly chunkSizeTokens: number
  readonly recall: number
  readonly reference: number
  readonly precision: number
  readonly referencePrecision: number
}

export function scoresOf(chunkings: readonly ChunkingScores[]): readonly Score[] {
  return chunkings.flatMap(({ chunkSizeTokens, recall, reference, precision, referencePrecision }) => {
    const collection = `chunks of ${chunkSizeTokens} tokens`
    return [
      { collection, measure: 'recall', score: recall, reference },
      { collection, measure: 'precision', score: precision, reference: referencePrecision },
    ]
  })
}

/** What has fallen below its reference, a sentence each. */
export function missedReferences(scores: readonly Score[]): string[] {
  return scores
    .filter(({ score, reference }) => reference !== null && isMissed(score, reference))
    .map(
      ({ collection, measure, score, reference }) => `${measure} of ${collection} is ${score}, not ${reference ?? ''}`,
    )
}

/** The least difference of a score and its reference, of those that have one. */
export function leastOverReference(scores: readonly Score[]): number {
  return Math.min(
    ...scores.map(({ score, reference }) => (reference === null ? Number.POSITIVE_INFINITY : score - reference)),
  )
}

/** A score that is no number is missed too. */
function isMissed(score: number, reference: number): boolean {
  return !(score >= reference - TOLERANCE)
}

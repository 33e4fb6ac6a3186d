/** The allowed difference of a score below the score of the reference program. */
const TOLERANCE = 0.01
/**
 * The allowed difference of a precision, as a part of the reference: long chunks have a precision of some hundredths.
 */
const PRECISION_TOLERANCE = 0.1

/** A score of the engine, beside the score of the reference program. */
export interface Score {
  /** The name of the searched collection. */
  readonly collection: string
  readonly measure: string
  readonly score: number
  /** `null` if there is no reference. */
  readonly reference: number | null
  /** The allowed difference below the reference. Default: {@link TOLERANCE}. */
  readonly tolerance?: number
}

/** Recall and precision of chunks. A reference is `null` if there is none. */
export interface ChunkingScores {
  readonly chunkSizeTokens: number
  readonly recall: number
  readonly reference: number | null
  readonly precision: number
  readonly referencePrecision: number | null
}

export function scoresOf(chunkings: readonly ChunkingScores[]): readonly Score[] {
  return chunkings.flatMap(({ chunkSizeTokens, recall, reference, precision, referencePrecision }) => {
    const collection = `chunks of ${chunkSizeTokens} tokens`
    return [
      { collection, measure: 'recall', score: recall, reference },
      {
        collection,
        measure: 'precision',
        score: precision,
        reference: referencePrecision,
        tolerance: (referencePrecision ?? 0) * PRECISION_TOLERANCE,
      },
    ]
  })
}

/** A sentence for each score below its reference. */
export function missedReferences(scores: readonly Score[]): string[] {
  return scores
    .filter(({ score, reference, tolerance }) => reference !== null && isMissed(score, reference, tolerance))
    .map(
      ({ collection, measure, score, reference }) => `${measure} of ${collection} is ${score}, not ${reference ?? ''}`,
    )
}

/**
 * The lowest difference of a score from its reference, as a multiple of the allowed difference. Less than −1 is a miss.
 */
export function leastOverReference(scores: readonly Score[]): number {
  return Math.min(
    ...scores.map(({ score, reference, tolerance = TOLERANCE }) =>
      reference === null ? Number.POSITIVE_INFINITY : (score - reference) / tolerance,
    ),
  )
}

/** A score that is no number is also a miss. */
function isMissed(score: number, reference: number, tolerance = TOLERANCE): boolean {
  return !(score >= reference - tolerance)
}

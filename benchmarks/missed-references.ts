/** How far a score may lie below that of the reference program. */
const TOLERANCE = 0.01
/** The same of precision, which is hundredths where chunks are long: a part of the reference. */
const PRECISION_TOLERANCE = 0.1

/** How well something is found, and how well the reference program finds it. */
export interface Score {
  /** What is searched. */
  readonly collection: string
  readonly measure: string
  readonly score: number
  /** `null` where nothing is known to compare with. */
  readonly reference: number | null
  /** How far it may lie below; default {@link TOLERANCE}. */
  readonly tolerance?: number
}

/** Recall and precision of chunks; references are `null` where nothing is known to compare with. */
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

/** What has fallen below its reference, a sentence each. */
export function missedReferences(scores: readonly Score[]): string[] {
  return scores
    .filter(({ score, reference, tolerance }) => reference !== null && isMissed(score, reference, tolerance))
    .map(
      ({ collection, measure, score, reference }) => `${measure} of ${collection} is ${score}, not ${reference ?? ''}`,
    )
}

/** How far the lowest of all scores is above its reference, in parts of what it may be below: less than −1 is a miss. */
export function leastOverReference(scores: readonly Score[]): number {
  return Math.min(
    ...scores.map(({ score, reference, tolerance = TOLERANCE }) =>
      reference === null ? Number.POSITIVE_INFINITY : (score - reference) / tolerance,
    ),
  )
}

/** A score that is no number is missed too. */
function isMissed(score: number, reference: number, tolerance = TOLERANCE): boolean {
  return !(score >= reference - tolerance)
}

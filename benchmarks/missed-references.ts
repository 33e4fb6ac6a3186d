/** How far a score may lie below that of the reference program. */
const TOLERANCE = 0.01

export interface ChunkingScore {
  readonly chunkSizeTokens: number
  readonly recall: number
  readonly reference: number
}

export interface CollectionScore {
  readonly collection: string
  readonly measure: string
  readonly score: number
  /** `null` where nothing is known to compare with. */
  readonly reference: number | null
}

/** What has fallen below its reference, a sentence each. */
export function missedReferences(
  chunkings: readonly ChunkingScore[],
  collections: readonly CollectionScore[],
): string[] {
  return [
    ...chunkings
      .filter(({ recall, reference }) => isMissed(recall, reference))
      .map(
        ({ chunkSizeTokens, recall, reference }) =>
          `recall at ${chunkSizeTokens} tokens is ${recall}, not ${reference}`,
      ),
    ...collections
      .filter(({ score, reference }) => reference !== null && isMissed(score, reference))
      .map(
        ({ collection, measure, score, reference }) =>
          `${measure} of ${collection} is ${score}, not ${reference ?? ''}`,
      ),
  ]
}

/** A score that is no number is missed too. */
function isMissed(score: number, reference: number): boolean {
  return !(score >= reference - TOLERANCE)
}

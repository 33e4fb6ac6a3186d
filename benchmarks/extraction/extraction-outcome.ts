/** The result of one document. */
export interface Outcome {
  readonly file: string
  readonly type: string
  readonly tag: string
  /** `completed`, or the error's code. */
  readonly code: string
  readonly ms: number
  /** The engine's scores from 0 to 1, by measure. The first measure is the main one of the type. */
  readonly scores: ReadonlyMap<string, number>
  readonly plain: readonly PlainOutcome[]
}

export interface PlainOutcome {
  readonly library: string
  readonly isCompleted: boolean
  readonly ms: number | undefined
  readonly peakMb: number | undefined
  readonly scores: ReadonlyMap<string, number>
}

/** A text with a lower share of its words has lost something. */
const GOOD_SCORE = 0.98

export interface Summary {
  readonly references: number
  readonly mean: number | null
  /** The share of the references with at least 0.98. */
  readonly goodShare: number | null
  readonly least: number | null
}

export function summary(scores: readonly number[]): Summary {
  if (scores.length === 0) return { references: 0, mean: null, goodShare: null, least: null }
  return {
    references: scores.length,
    mean: round(scores.reduce((sum, score) => sum + score, 0) / scores.length),
    goodShare: round(scores.filter((score) => score >= GOOD_SCORE).length / scores.length),
    least: round(Math.min(...scores)),
  }
}

/** Tags of documents that may have no text, or none without a password. */
const UNREADABLE = new Set(['corrupt', 'fuzzed', 'encrypted', 'empty', 'scanned-or-image-only', 'malicious-or-odd'])

/** The scores of a measure, for all documents that can be read. */
export function scoresOf(outcomes: readonly Outcome[], measure: string): number[] {
  return outcomes.flatMap(({ code, tag, scores }) => {
    const score = scores.get(measure)
    return score === undefined || (code !== 'completed' && UNREADABLE.has(tag)) ? [] : [score]
  })
}

/** The scores of a plain library. */
export function plainScoresOf(outcomes: readonly Outcome[], library: string, measure: string): number[] {
  return outcomes.flatMap(({ tag, plain }) => {
    const of = plain.find((one) => one.library === library)
    const score = of?.scores.get(measure)
    return of === undefined || score === undefined || (!of.isCompleted && UNREADABLE.has(tag)) ? [] : [score]
  })
}

export function round(value: number): number {
  return Math.round(value * 10_000) / 10_000
}

type Row = Readonly<Record<string, unknown>>

/** A step to a figure: a member, or the row of a list that has these members. */
type Step = string | Row

/** A figure that a benchmark is to reach. */
export interface Target {
  readonly benchmark: string
  readonly what: string
  readonly path: readonly Step[]
  readonly atLeast?: number
  readonly atMost?: number
  readonly unit: string
  /** What limits it, where it is not reached: a sentence of the figures that were measured beside it, as `{}`. */
  readonly limit?: { readonly text: string; readonly figures: readonly (readonly Step[])[] }
}

/** What became of it. */
export interface Outcome {
  readonly target: Target
  /** `undefined` where it was not measured yet. */
  readonly figure: number | undefined
  readonly isReached: boolean
}

export function outcomeOf(target: Target, results: unknown): Outcome {
  const figure = figureAt(results, target.path)
  const { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = target
  return { target, figure, isReached: figure !== undefined && figure >= atLeast && figure <= atMost }
}

/** What limits a figure, in a sentence. */
export function limitOf({ what, limit }: Target, results: unknown): string {
  if (limit === undefined) return `${what}: not known yet.`
  const figures = limit.figures.map((path) => figureAt(results, path) ?? 'not measured')
  return `${what}: ${limit.text.replaceAll('{}', () => String(figures.shift() ?? ''))}`
}

/** A number, or the median of a spread. */
export function figureAt(results: unknown, path: readonly Step[]): number | undefined {
  let at = results
  for (const step of path) {
    if (typeof step === 'string') at = (at as Row | undefined)?.[step]
    else if (Array.isArray(at))
      at = (at as Row[]).find((row) => Object.entries(step).every(([key, value]) => row[key] === value))
    else return undefined
  }
  const figure = typeof at === 'object' && at !== null ? (at as Row)['median'] : at
  return typeof figure === 'number' ? figure : undefined
}

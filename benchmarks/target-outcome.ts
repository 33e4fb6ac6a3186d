type Row = Readonly<Record<string, unknown>>

/** A step to a figure: a member, or the row of a list that has these members, or a name of this form. */
type Step = string | Row | RegExp

/** A figure that a benchmark is to reach. */
export interface Target {
  readonly benchmark: string
  readonly what: string
  readonly path: readonly Step[]
  readonly atLeast?: number
  readonly atMost?: number
  readonly unit: string
  /** What limits it, where it is not reached. */
  readonly limit?: {
    /** A sentence of the figures that were measured beside it, as `{}`. */
    readonly text: string
    readonly figures?: readonly (readonly Step[])[]
    /** What would be needed to reach it. */
    readonly needed: string
  }
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

/** What limits a figure, and what would be needed, in sentences. */
export function limitOf({ what, limit }: Target, results: unknown): string {
  if (limit === undefined) return `${what}: not known yet.`
  const figures = (limit.figures ?? []).map((path) => figureAt(results, path) ?? 'not measured')
  return `${what}: ${limit.text.replaceAll('{}', () => String(figures.shift() ?? ''))} Needed: ${limit.needed}`
}

/** What is not as it is to be, a sentence each. A figure that is missing is not. */
export function missedBy(targets: readonly Target[], results: unknown): readonly string[] {
  return targets
    .map((target) => outcomeOf(target, results))
    .filter(({ isReached }) => !isReached)
    .map(({ target, figure }) => {
      const wanted = wantedOf(target)
      return `${target.what} is ${figure ?? 'not measured'}, and not ${wanted}`
    })
}

/** What a figure is to be, with its unit. */
export function wantedOf({ atLeast, atMost, unit }: Target): string {
  return (atLeast === undefined ? `≤ ${atMost ?? ''} ${unit}` : `≥ ${atLeast} ${unit}`).trim()
}

/** A number, or the median of a spread. */
export function figureAt(results: unknown, path: readonly Step[]): number | undefined {
  let at = results
  for (const step of path) {
    if (typeof step === 'string') at = (at as Row | undefined)?.[step]
    else if (Array.isArray(at)) at = (at as Row[]).find((row) => isRow(row, step))
    else return undefined
  }
  const figure = typeof at === 'object' && at !== null ? (at as Row)['median'] : at
  return typeof figure === 'number' ? figure : undefined
}

function isRow(row: Row, step: Row | RegExp): boolean {
  if (step instanceof RegExp) return step.test(String(row['name']))
  return Object.entries(step).every(([key, value]) => row[key] === value)
}

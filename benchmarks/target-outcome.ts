type Row = Readonly<Record<string, unknown>>

/** A step to a figure: a member, or the row of a list that has these members, or a name of this form. */
export type Step = string | Row | RegExp

/** A figure that a benchmark is to reach. */
export interface Target {
  readonly benchmark: string
  readonly what: string
  readonly path: readonly Step[]
  readonly atLeast?: number
  readonly atMost?: number
  readonly unit: string
  /** Whether that depends on no machine: where it does not hold, the program ends with 1. */
  readonly mustHold?: boolean
  /** What limits it, where it is not reached. */
  readonly limit?: {
    /** A sentence of the figures that were measured beside it, as `{}`. */
    readonly text: string
    readonly figures?: readonly (readonly Step[])[]
    /** What would be needed to reach it; default a core for itself, or a faster one if the best round was not enough. */
    readonly needed?: string
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
  return { target, figure, isReached: isReached(target, figure) }
}

function isReached({ atLeast, atMost }: Target, figure: number | undefined): boolean {
  if (figure === undefined) return false
  return figure >= (atLeast ?? Number.NEGATIVE_INFINITY) && figure <= (atMost ?? Number.POSITIVE_INFINITY)
}

/** What limits a figure, and what would be needed, in sentences. */
export function limitOf(target: Target, results: unknown): string {
  const { limit } = target
  if (limit === undefined) return 'not known yet.'
  const figures = (limit.figures ?? []).map((path) => figureAt(results, path) ?? 'not measured')
  const text = limit.text.replaceAll('{}', () => String(figures.shift() ?? ''))
  return `${text} Needed: ${limit.needed ?? neededCore(target, results)}`
}

function neededCore(target: Target, results: unknown): string {
  const best = bestOf(target, results)
  if (!isReached(target, best)) return 'a faster core.'
  return `a core that no other program shares: ${best ?? ''} ${target.unit} were measured at the best.`
}

/** Of the rounds: the least where that is wanted. */
function bestOf(target: Target, results: unknown): number | undefined {
  const path = target.path.filter((step) => step !== 'most')
  return figureAt(results, [...path, target.atLeast === undefined ? 'least' : 'most'])
}

/** What is not as it is to be, a sentence each, and whether it must be so. A figure that is missing is not. */
export function missedBy(targets: readonly Target[], results: unknown): readonly MissedTarget[] {
  return targets
    .map((target) => outcomeOf(target, results))
    .filter(({ isReached }) => !isReached)
    .map(({ target, figure }) => {
      const missed = `${target.what} is ${figure ?? 'not measured'}, and not ${wantedOf(target)}`
      const why = target.limit === undefined || figure === undefined ? '' : `: ${limitOf(target, results)}`
      return { sentence: `${missed}${why}`, mustHold: figure === undefined || target.mustHold === true }
    })
}

export interface MissedTarget {
  /** With what limits it. */
  readonly sentence: string
  readonly mustHold: boolean
}

/** What a figure is to be, with its unit. */
export function wantedOf({ atLeast, atMost, unit }: Target): string {
  return (atLeast === undefined ? `≤ ${atMost ?? ''} ${unit}` : `≥ ${atLeast} ${unit}`).trim()
}

/** A number, or the median of a spread. */
export function figureAt(results: unknown, path: readonly Step[]): number | undefined {
  const at = valueAt(results, path)
  const figure = typeof at === 'object' && at !== null ? (at as Row)['median'] : at
  return Number.isFinite(figure) ? (figure as number) : undefined
}

/** What is there: a number, or a spread. */
export function valueAt(results: unknown, path: readonly Step[]): unknown {
  let at = results
  for (const step of path) {
    if (typeof step === 'string') at = (at as Row | undefined)?.[step]
    else if (Array.isArray(at)) at = (at as Row[]).find((row) => isRow(row, step))
    else return undefined
  }
  return at
}

function isRow(row: Row, step: Row | RegExp): boolean {
  if (step instanceof RegExp) return step.test(String(row['name']))
  return Object.entries(step).every(([key, value]) => row[key] === value)
}

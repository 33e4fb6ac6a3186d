type Row = Readonly<Record<string, unknown>>

/** A step on the path to a figure: the name of a member, the members of a row, or a pattern of its name. */
export type Step = string | Row | RegExp

/** A figure that a benchmark must reach. */
export interface Target {
  readonly benchmark: string
  readonly what: string
  readonly path: readonly Step[]
  readonly atLeast?: number
  readonly atMost?: number
  readonly unit: string
  /** True if the figure depends on no machine. If it is missed, the program ends with 1. */
  readonly mustHold?: boolean
  /** The reason why the figure can be missed. */
  readonly limit?: {
    /** Sentences with `{}` for each figure that was measured beside it. */
    readonly text: string
    readonly figures?: readonly (readonly Step[])[]
    /**
     * The change that would reach the target. Default: a core without other programs, or a faster core if the best
     * round missed too.
     */
    readonly needed?: string
  }
}

/** The result for a target. */
export interface Outcome {
  readonly target: Target
  /** `undefined` if it is not measured yet. */
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

/** Sentences about the limit of a figure, and about the change that would reach it. */
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

/** The best round: the lowest figure if the target is a maximum, otherwise the highest. */
function bestOf(target: Target, results: unknown): number | undefined {
  const path = target.path.filter((step) => step !== 'most')
  return figureAt(results, [...path, target.atLeast === undefined ? 'least' : 'most'])
}

/** A sentence for each target that is missed. A missing figure is a miss. */
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
  /** Names the figure, the target, and the limit. */
  readonly sentence: string
  readonly mustHold: boolean
}

/** The target with its unit. */
export function wantedOf({ atLeast, atMost, unit }: Target): string {
  return (atLeast === undefined ? `≤ ${atMost ?? ''} ${unit}` : `≥ ${atLeast} ${unit}`).trim()
}

/** A number, or the median of a spread. */
export function figureAt(results: unknown, path: readonly Step[]): number | undefined {
  const at = valueAt(results, path)
  const figure = typeof at === 'object' && at !== null ? (at as Row)['median'] : at
  return Number.isFinite(figure) ? (figure as number) : undefined
}

/** The value at a path: a number, or a spread. */
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

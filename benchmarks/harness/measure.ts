/** The time of each run of some work, in ms. */
export async function timesOf(runs: number, work: (run: number) => Promise<unknown>): Promise<number[]> {
  return (await atOnce(1, runs, work)).times
}

/**
 * Runs work by several callers at the same time. The result has the time of each run in ms, the time of all runs, and
 * the runs a second.
 */
export async function atOnce(
  callers: number,
  runs: number,
  work: (run: number) => Promise<unknown>,
): Promise<{ readonly times: number[]; readonly seconds: number; readonly perSecond: number }> {
  const times: number[] = []
  let begun = 0
  const call = async (): Promise<void> => {
    while (begun < runs) {
      const began = performance.now()
      await work(begun++)
      times.push(performance.now() - began)
    }
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: callers }, call))
  const seconds = (performance.now() - start) / 1_000
  return { times, seconds, perSecond: Math.round(runs / seconds) }
}

/** A quantile, in thousandths. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return thousandths(sorted[Math.floor(sorted.length * share)] ?? Number.NaN)
}

function thousandths(value: number): number {
  return Math.round(value * 1_000) / 1_000
}

export function hundredths(value: number): number {
  return Math.round(value * 100) / 100
}

/** The median and the limits of several runs. */
export interface Spread {
  readonly median: number
  readonly least: number
  readonly most: number
  readonly runs: number
}

/** Figures have thousandths: a ratio of 0.895 is not 0.9. */
export function spreadOf(values: readonly number[]): Spread {
  const [median, least, most] = [
    quantile(values, 0.5),
    thousandths(Math.min(...values)),
    thousandths(Math.max(...values)),
  ]
  return { median, least, most, runs: values.length }
}

/** Work that is measured once in each round, and returns a figure each time. */
export interface Contestant {
  readonly name: string
  readonly run: () => Promise<number> | number
}

/** Runs contestants in turn, round by round, so that a slow machine affects all of them alike. */
export async function inTurn(rounds: number, contestants: readonly Contestant[]): Promise<Map<string, Spread>> {
  const figures = new Map<string, number[]>()
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, run } of contestants) figures.set(name, [...(figures.get(name) ?? []), await run()])
  }
  return new Map([...figures].map(([name, values]) => [name, spreadOf(values)]))
}

/**
 * The median times of two functions in ms. Both get the same questions in turn, because the load of the machine
 * changes. Each is the first for half of the questions. The middle of three times of a question counts.
 */
export async function bothInTurn(
  questions: number,
  ...both: readonly [(question: number) => Promise<unknown>, (question: number) => Promise<unknown>]
): Promise<readonly [number, number]> {
  const [times, otherTimes]: [number[], number[]] = [[], []]
  const [one, other] = [
    { ask: both[0], times },
    { ask: both[1], times: otherTimes },
  ]
  for (let question = 0; question < questions; question += 1) {
    for (const { ask, times } of question % 2 === 0 ? [one, other] : [other, one]) {
      times.push(quantile(await timesOf(3, () => ask(question)), 0.5))
    }
  }
  return [quantile(times, 0.5), quantile(otherTimes, 0.5)]
}

/** @throws Error if the contestant did not run: a missing figure would pass any limit */
export function figureOf(figures: ReadonlyMap<string, Spread>, name: string): Spread {
  const figure = figures.get(name)
  if (figure === undefined) throw new Error(`nothing was measured of ${name}`)
  return figure
}

/** The size of texts in UTF-8. */
export function bytesOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}

/** A row for the terminal. It has only the median of each spread. */
export function mediansOf(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const medianOrValue = (value: unknown): unknown => (value as Partial<Spread> | undefined)?.median ?? value
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, medianOrValue(value)]))
}

/** Repeats work for at least this time, and returns its megabytes a second. */
export async function megabytesPerSecond(bytes: number, leastMs: number, work: () => unknown): Promise<number> {
  const began = performance.now()
  let times = 0
  while (performance.now() - began < leastMs || times === 0) {
    await work()
    times += 1
  }
  return thousandths((bytes * times) / 1e6 / ((performance.now() - began) / 1_000))
}

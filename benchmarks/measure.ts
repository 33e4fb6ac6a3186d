/** The median of a piece of work, and what all but a twentieth of its runs stay below. */
export interface Measurement {
  readonly what: string
  readonly medianMs: number
  readonly p95Ms: number
}

/** Runs a piece of work again and again. */
export async function measure(what: string, runs: number, work: () => Promise<unknown>): Promise<Measurement> {
  const times: number[] = []
  for (let run = 0; run < runs; run += 1) {
    const began = performance.now()
    await work()
    times.push(performance.now() - began)
  }
  return { what, medianMs: quantile(times, 0.5), p95Ms: quantile(times, 0.95) }
}

/** In hundredths. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 100) / 100
}

export type Bars = readonly (readonly [name: string, figure: number])[]

/** A bar chart of some figures of a benchmark's results. */
export interface Chart {
  readonly title: string
  /** The unit of all bars. */
  readonly unit: string
  /** Each bar has a name of at most {@link MAX_NAME_CHARACTERS}, and a figure. */
  readonly bars: (results: never) => Bars
}

/** Longer names take more than half of the chart's width, and Mermaid then leaves out all of them. */
export const MAX_NAME_CHARACTERS = 40

/**
 * Writes the chart in Mermaid's language, which code hosts draw. The axis begins at 0: Mermaid alone begins at the
 * smallest bar.
 */
export function drawn({ title, unit, bars }: Chart, results: unknown): string {
  const values = bars(results as never)
  const names = values.map(([name]) => JSON.stringify(name)).join(', ')
  const figures = values.map(([, value]) => value)
  return [
    '```mermaid',
    'xychart-beta horizontal',
    `  title "${title}"`,
    `  x-axis [${names}]`,
    `  y-axis "${unit}" 0 --> ${Math.max(...figures)}`,
    `  bar [${figures.join(', ')}]`,
    '```',
  ].join('\n')
}

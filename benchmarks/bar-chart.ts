export type Bars = readonly (readonly [name: string, figure: number])[]

/** A bar chart of some figures of a benchmark's results. */
export interface Chart {
  readonly title: string
  /** Of the figures. */
  readonly unit: string
  /** With names of at most {@link MAX_NAME_CHARACTERS}. */
  readonly bars: (results: never) => Bars
}

/** Longer names take more than half of the chart's width, and Mermaid then leaves out all of them. */
export const MAX_NAME_CHARACTERS = 40

/** In Mermaid's words, which code hosts draw. Bars begin at 0: by itself, Mermaid begins at the least of them. */
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

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CHARTS } from '../../benchmarks/charts.js'
import { figureAt } from '../../benchmarks/target-outcome.js'
import { TARGETS } from '../../benchmarks/targets.js'
import { readmeText } from '../../benchmarks/write-readme.js'

const folder = join(import.meta.dirname, '../../benchmarks')

interface Committed {
  readonly machine: { readonly sha256MbPerSecond?: number }
  readonly results: unknown
}

function reportOf(benchmark: string): Committed {
  return JSON.parse(readFileSync(join(folder, 'results', `${benchmark}.json`), 'utf8')) as Committed
}

/** Older programs left out some of the figures, and this one. */
function isComplete({ benchmark }: { readonly benchmark: string }): boolean {
  return reportOf(benchmark).machine.sha256MbPerSecond !== undefined
}

const charts = Object.entries(CHARTS).flatMap(([benchmark, some]) => some.map((chart) => ({ benchmark, ...chart })))

describe('the results that are committed', () => {
  it.each(TARGETS.filter(isComplete))('tell of what is to be reached: $what', ({ benchmark, path, limit }) => {
    const { results } = reportOf(benchmark)
    const figures = [path, ...(limit?.figures ?? [])].map((each) => figureAt(results, each))
    expect(figures.filter((figure) => figure === undefined)).toEqual([])
  })

  it.each(charts.filter(isComplete))('can be drawn: $benchmark, $title', ({ benchmark, bars }) => {
    const drawn = bars(reportOf(benchmark).results as never)
    expect(drawn.length).toBeGreaterThan(1)
    expect(drawn.filter(([name, figure]) => /undefined|NaN/.test(`${name} ${figure}`))).toEqual([])
  })

  it('are what the page tells', async () => {
    expect(await readmeText()).toBe(readFileSync(join(folder, 'README.md'), 'utf8'))
  })
})

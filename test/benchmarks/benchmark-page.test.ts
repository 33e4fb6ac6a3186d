import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { drawn, MAX_NAME_CHARACTERS } from '../../benchmarks/harness/bar-chart.js'
import { CHARTS } from '../../benchmarks/harness/charts.js'
import type { Spread } from '../../benchmarks/harness/measure.js'
import type { Report } from '../../benchmarks/harness/report.js'
import { figureAt } from '../../benchmarks/harness/target-outcome.js'
import { TARGETS } from '../../benchmarks/harness/targets.js'
import { pageTexts } from '../../benchmarks/harness/write-pages.js'

const folder = join(import.meta.dirname, '../../benchmarks')

function reportOf(benchmark: string): Report {
  return JSON.parse(readFileSync(join(folder, 'results', `${benchmark}.json`), 'utf8')) as Report
}

const charts = Object.entries(CHARTS).flatMap(([benchmark, some]) => some.map((chart) => ({ benchmark, ...chart })))

describe('the committed results', () => {
  it.each(TARGETS)('contain the figures of each target: $what', ({ benchmark, path, limit }) => {
    const { results } = reportOf(benchmark)
    const figures = [path, ...(limit?.figures ?? [])].map((each) => figureAt(results, each))
    expect(figures.filter((figure) => figure === undefined)).toEqual([])
  })

  it('name the limit of each target that depends on the machine', () => {
    expect(TARGETS.filter(({ mustHold, limit }) => mustHold !== true && limit === undefined)).toEqual([])
  })

  it.each(charts)('can be drawn: $benchmark, $title', ({ benchmark, ...chart }) => {
    const { results } = reportOf(benchmark)
    const bars = chart.bars(results as never)
    expect(bars.length).toBeGreaterThan(1)
    expect(bars.filter(([name]) => name.length > MAX_NAME_CHARACTERS)).toEqual([])
    expect(new Set(bars.map(([name]) => name)).size).toBe(bars.length)
    expect(drawn(chart, results)).not.toMatch(/undefined|NaN/)
  })

  it('match the figures in docs/explanation/scaling.md: sizes within a fifth, times within a half', () => {
    const text = readFileSync(join(folder, '../docs/explanation/scaling.md'), 'utf8')
    const { windowsPerSecond, windows, bytes } = reportOf('ingestion').results as {
      readonly windowsPerSecond: Spread
      readonly windows: number
      readonly bytes: number
    }
    const hours = 1e6 / windowsPerSecond.median / 3_600
    const gigabytes = (1e6 * bytes) / windows / 1e9
    const sizes = [...text.matchAll(/\| 10\^(\d) +\| ([\d.]+) GB.*\| (\d+) (hours|days) +\|/g)]
    expect(sizes).toHaveLength(4)
    for (const [, power = '', stated = '', time = '', unit = ''] of sizes) {
      const times = 10 ** (Number(power) - 6)
      expect(Math.abs(Number(stated) / (gigabytes * times) - 1)).toBeLessThan(0.2)
      // The speed of a shared machine changes from hour to hour.
      expect(Math.abs((Number(time) * (unit === 'days' ? 24 : 1)) / (hours * times) - 1)).toBeLessThan(0.5)
    }
  })

  it('equal the figures of the pages, which `npm run bench` writes', async () => {
    for (const { path, text } of await pageTexts()) expect(text).toBe(readFileSync(path, 'utf8'))
  })
})

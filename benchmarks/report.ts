import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'

/** What a benchmark measured, and on what. */
export interface Report {
  readonly benchmark: string
  readonly date: string
  readonly machine: { readonly cpu: string; readonly cores: number; readonly memoryGb: number; readonly node: string }
  readonly results: unknown
}

/** Writes `results/<name>.json`. */
export function writeReport(benchmark: string, results: unknown): void {
  const machine = {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  }
  const report: Report = { benchmark, date: new Date().toISOString().slice(0, 10), machine, results }
  const folder = join(import.meta.dirname, 'results')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${benchmark}.json`), `${JSON.stringify(report, null, 2)}\n`)
}

/**
 * Kills a process at random points of ingestion, deletion and compaction, many times, and inspects the folder. Usage:
 * `npm run soak:ingestion -- [--kills N] [--seed N] [--quick]`. Prints the kills by phase, and the resumed and removed
 * items of the sweeps.
 *
 * With `--memory MEGABYTES` it uploads so much text to one context. It prints the peaks of memory over the time, and
 * the longest stop of the event loop.
 *
 * With `--quick` no context uses the bundled model.
 */
import { parseArgs } from 'node:util'
import { runMemory } from '../run-memory.js'
import { runSoak } from './run-soak.js'

const MOST_MB = 1_000
/** The limit by which the peak of the second half of the time may exceed that of the first. */
const MOST_GROWTH = 1.25
const LONGEST_WORK_MS = 50

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
    memory: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
})
const isGood = values.memory === undefined ? await kill() : await fill(Number(values.memory))
process.exit(isGood ? 0 : 1)

async function kill(): Promise<boolean> {
  const report = await runSoak({
    kills: Number(values.kills),
    killsPerInspection: 2,
    hasRealModel: !values.quick,
    seed: Number(values.seed),
    progress: (line) => process.stderr.write(`${line}\n`),
  })
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
  // A soak with few calls proves nothing.
  const { kills, acknowledgedCalls, documentsInspected, chunksSearched } = report
  const isBusy = acknowledgedCalls > kills * 5 && documentsInspected > kills && chunksSearched > kills
  return report.problems.length === 0 && isBusy
}

async function fill(megabytes: number): Promise<boolean> {
  const report = await runMemory({ megabytes, model: values.quick ? 'quick' : 'real' })
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
  const [first, second] = [report.peaksMb.slice(0, 5), report.peaksMb.slice(5)].map((peaks) => Math.max(...peaks))
  const isFlat = (second ?? 0) <= (first ?? 0) * MOST_GROWTH
  return isFlat && Math.max(...report.peaksMb) < MOST_MB && report.longestWorkMs < LONGEST_WORK_MS
}

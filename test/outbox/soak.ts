/**
 * Many events to ten destinations that fail at random, while the relay is killed every few seconds:
 * `npm run soak -- [--events N] [--seed N]`. Prints what arrived, and why some of it more than once.
 */
import { parseArgs } from 'node:util'
import { runSoak } from './run-soak.js'

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
  },
})
const report = await runSoak({
  events: Number(values.events),
  destinations: 10,
  killEveryMs: [2_000, 5_000],
  seed: Number(values.seed),
  progress: (line) => process.stderr.write(`${line}\n`),
})
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
process.exit(report.problems.length === 0 ? 0 : 1)

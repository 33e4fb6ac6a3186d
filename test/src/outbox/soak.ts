/**
 * Many events to destinations that fail at random, while relays are killed every few seconds: `npm run soak --
 * [--events N] [--destinations N] [--kills N] [--seed N] [--postgres] [--relays N] [--alive]`. Prints the arrived
 * events, and the reasons of repeated ones. With `--kills` the run goes on until the relays were killed so often, with
 * 200 events at a time by default. With `--alive` no relay is killed.
 */
import { parseArgs } from 'node:util'
import setUp from '../../global-setup.js'

const { values } = parseArgs({
  options: {
    events: { type: 'string' },
    kills: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
    destinations: { type: 'string', default: '10' },
    alive: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
    relays: { type: 'string', default: '1' },
  },
})
const tearDown = values.postgres ? await setUp() : undefined
// The list of databases is known by now.
const { runSoak } = await import('./run-soak.js')
const report = await runSoak({
  events: Number(values.events ?? (values.kills === undefined ? 10_000 : 200)),
  ...(values.kills !== undefined && { kills: Number(values.kills) }),
  destinations: Number(values.destinations),
  database: values.postgres ? 'PostgreSQL' : 'SQLite',
  relays: Number(values.relays),
  ...(!values.alive && { killEveryMs: [2_000, 5_000] as const }),
  seed: Number(values.seed),
  progress: (line) => process.stderr.write(`${line}\n`),
})
await tearDown?.()
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
process.exit(report.problems.length === 0 ? 0 : 1)

/**
 * Many documents for several processes on one PostgreSQL, which are killed every few seconds:
 * `npm run soak:processes -- [--processes N] [--documents N] [--seed N] [--alive]`. With `--alive` nobody is killed:
 * how many documents they take in a second.
 */
import { parseArgs } from 'node:util'
import { startPostgres } from '../postgres-server.js'
import { runIngestion } from './run-ingestion.js'

const { values } = parseArgs({
  options: {
    processes: { type: 'string', default: '4' },
    documents: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
    alive: { type: 'boolean', default: false },
  },
})
const postgres = await startPostgres()
const report = await runIngestion({
  databaseUrl: postgres.url,
  processes: Number(values.processes),
  documents: Number(values.documents),
  ...(!values.alive && { killEveryMs: [10_000, 20_000] as const }),
  seed: Number(values.seed),
  progress: (line) => process.stderr.write(`${line}\n`),
})
await postgres.dispose()
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
process.exit(report.problems.length === 0 ? 0 : 1)

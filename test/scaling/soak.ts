/**
 * Many documents for several processes on one PostgreSQL, which are killed every few seconds: `npm run soak:processes
 * -- [--processes N] [--documents N] [--kills N] [--seed N] [--lives SECONDS] [--alive] [--database URL]`. Each process
 * lives at least that long, and at most twice as long. With `--kills` the run goes on until the processes were killed so
 * often, with 64 documents at a time by default. With `--alive` no process is killed, and the result is the number of
 * documents ingested in a second. `--database` names an empty database, for example on a server with pgvector. By
 * default the soak starts its own, with the vectors in LanceDB.
 */
import { parseArgs } from 'node:util'
import { startPostgres } from '../servers/postgres-server.js'
import { runIngestion } from './run-ingestion.js'

const { values } = parseArgs({
  options: {
    processes: { type: 'string', default: '4' },
    documents: { type: 'string' },
    kills: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
    lives: { type: 'string', default: '10' },
    alive: { type: 'boolean', default: false },
    database: { type: 'string' },
  },
})
const lifeMs = Number(values.lives) * 1_000
const postgres = values.database === undefined ? await startPostgres() : undefined
const report = await runIngestion({
  databaseUrl: values.database ?? postgres?.url ?? '',
  processes: Number(values.processes),
  documents: Number(values.documents ?? (values.kills === undefined ? 10_000 : 64)),
  ...(values.kills !== undefined && { kills: Number(values.kills) }),
  ...(!values.alive && { killEveryMs: [lifeMs, 2 * lifeMs] as const }),
  seed: Number(values.seed),
  progress: (line) => process.stderr.write(`${line}\n`),
})
await postgres?.dispose()
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
process.exit(report.problems.length === 0 ? 0 : 1)

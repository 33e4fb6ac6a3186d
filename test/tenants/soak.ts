/**
 * One tenant attacks, and another one searches: `npm run soak:tenants -- [--seconds N] [--contexts N] [--attacks
 * none,lists,answers,searches,uploads,bodies,mails]`. It fails if the other tenant's searches have a p99 of 500 ms or
 * more, or `/health` one of 50 ms or more. It also fails if the server uses 1.5 GB or more, or if anything fails.
 * Attackers run on the same machine, with the lowest priority.
 */
import { parseArgs } from 'node:util'
import { runTenants, type TenantsReport } from './run-tenants.js'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    contexts: { type: 'string', default: '1000' },
    attacks: { type: 'string', default: 'none,lists,answers,searches,uploads,bodies,mails' },
  },
})

const SEARCH_P99_MS = 500
const HEALTH_P99_MS = 50
const PEAK_MB = 1_536

const reports: TenantsReport[] = []
for (const attack of values.attacks.split(',')) {
  process.stderr.write(`${attack}\n`)
  const report = await runTenants({ attack, seconds: Number(values.seconds), contexts: Number(values.contexts) })
  reports.push(report)
  process.stdout.write(`${JSON.stringify(report)}\n`)
}
const missed = reports.filter(
  ({ search, health, peakMb }) =>
    search.p99 >= SEARCH_P99_MS ||
    health.p99 >= HEALTH_P99_MS ||
    peakMb >= PEAK_MB ||
    search.failures + health.failures > 0,
)
for (const { attack } of missed) process.stdout.write(`missed: ${attack}\n`)
process.exit(missed.length === 0 ? 0 : 1)

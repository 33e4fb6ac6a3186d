/**
 * The cost of permissions in large trees: 10,000 companies side by side with 100,000 permissions, and a chain of 500
 * companies. Lists a company's users and checks a permission, on SQLite.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KnexStorage, openSqlite } from '../../dist/adapters/knex/index.js'
import { openLocalEngine } from '../../dist/adapters/local/index.js'
import { MemoryEmbeddingModel } from '../../dist/adapters/memory/index.js'
import type { Repositories } from '../../dist/src/ports/index.js'
import { figureOf, inTurn, mediansOf, quantile, timesOf } from '../harness/measure.js'
import { fail, writeReport } from '../harness/report.js'

const LIMIT_MS = 10
const isQuick = process.argv.includes('--quick')
const WIDE = isQuick ? 500 : 10_000
const DEEP = 500
const PERMISSIONS = isQuick ? 5_000 : 100_000
const [ROUNDS, RUNS] = isQuick ? [1, 50] : [5, 200]
const CREATED = '2026-01-01T00:00:00.000Z'

const dataDir = await mkdtemp(join(tmpdir(), 'alcove-bench-'))
const openEngine = async () => await openLocalEngine({ dataDir, embeddingModels: [new MemoryEmbeddingModel()] })
const first = await openEngine()
const { owner } = first
await first.close()

const storage = new KnexStorage({ knex: openSqlite(join(dataDir, 'alcove.sqlite')) })
await storage.open()
const { widest, deepest } = await storage.transaction(fill)
await storage.close()

const engine = await openEngine()
const session = engine.as(owner)
// The user of the token manages from the root company, which is the longest path for each check.
const work: Readonly<Record<string, () => Promise<unknown>>> = {
  [`list the users of one of ${WIDE} companies`]: () => session.users.list(widest()),
  [`list the users of the lowest of ${DEEP}`]: () => session.users.list(deepest),
  [`check a permission: one of ${WIDE} companies`]: () => session.permissions.options({ customerId: widest() }),
  [`check a permission: the lowest of ${DEEP}`]: () => session.permissions.options({ customerId: deepest }),
  'check a permission: read a list of contexts': () => session.contexts.list(),
}
let times: number[] = []
const figures = await inTurn(
  ROUNDS,
  Object.entries(work).flatMap(([name, run]) => [
    { name: `p50 ${name}`, run: async () => quantile((times = await timesOf(RUNS, run)), 0.5) },
    { name: `p95 ${name}`, run: () => quantile(times, 0.95) },
  ]),
)
const rows = Object.keys(work).map((what) => ({
  what,
  p50Ms: figureOf(figures, `p50 ${what}`),
  p95Ms: figureOf(figures, `p95 ${what}`),
}))
await engine.close()
await rm(dataDir, { recursive: true })
console.table(rows.map(mediansOf))
if (!isQuick) writeReport('tenancy', rows)
// A smoke test runs beside others, so it does not judge speed.
if (!isQuick && rows.some(({ p50Ms }) => p50Ms.median > LIMIT_MS)) {
  fail(`a median is above ${LIMIT_MS} ms`)
}

async function fill(repositories: Repositories): Promise<{ widest: () => number; deepest: number }> {
  const { companies, users, permissions, accounts, roles, regions } = repositories
  const region = await regions.ensure('local')
  const role = (await roles.list())[0]?.id ?? 0
  const ids: number[] = []
  const accountIds: number[] = []
  for (let at = 0; at < WIDE; at += 1) {
    const { id } = await companies.insert({ name: `Company ${at}`, parentId: 1, created: CREATED })
    ids.push(id)
    const account = { companyId: id, application: 'assistant', regionId: region.id, name: 'A', isActive: true }
    accountIds.push((await accounts.insert({ ...account, created: CREATED })).id)
  }
  for (let at = 0; at < PERMISSIONS; at += 1) {
    const email = `user-${at}@example.com`
    const names = { firstName: '', lastName: '', name: 'U' }
    const user = { companyId: ids[at % WIDE] ?? 1, email, emailKey: email, externalId: null, ...names }
    const { id } = await users.insert({ ...user, created: CREATED, lastAccess: null, passwordHash: null })
    const accountId = accountIds[at % WIDE] ?? 1
    const permission = { userId: id, accountId, roleId: role, isDisabled: false, created: CREATED, createdBy: '{}' }
    await permissions.insert({ ...permission, lastAccess: null })
  }
  let deepest = 1
  for (let at = 0; at < DEEP; at += 1) {
    deepest = (await companies.insert({ name: `Deep ${at}`, parentId: deepest, created: CREATED })).id
  }
  return { widest: () => ids[Math.floor(Math.random() * ids.length)] ?? 1, deepest }
}

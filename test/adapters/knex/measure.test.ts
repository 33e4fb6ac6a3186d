import { afterEach, describe, expect, it } from 'vitest'
import { DATABASES, type TestDatabase } from '../../src/outbox/database.js'

const CREATED = '2026-01-01T00:00:00.000Z'

let database: TestDatabase

afterEach(async () => {
  await database.dispose()
})

describe.each(DATABASES)('the measurement of $name', ({ name, open, openEmpty }) => {
  it('has the size of the database and the rows of its tables', async () => {
    // PostgreSQL's statistics of a table that a former test used may still change.
    database = await openEmpty()
    const storage = database.storage()
    await storage.open()
    await database.knex('alcove_companies').insert({ name: 'Root', parent_id: null, created: CREATED })
    const { sizeBytes = 0, rows } = await storage.measure()
    expect(sizeBytes).toBeGreaterThan(10_000)
    // PostgreSQL estimates: a connection reports its rows up to ten seconds later.
    expect(rows).toMatchObject({ companies: name === 'SQLite' ? 1 : (expect.any(Number) as number), chunks: 0 })
    await storage.close()
  })

  it('reads long queues of many lanes from the index alone', async () => {
    database = await open()
    const storage = database.storage()
    const jobs = Array.from({ length: 3_000 }, (_, at) => ({ kind: 'long', subject: at + 1, lane: at % 40 }))
    await storage.transaction((repositories) => repositories.jobs.enqueueAll(jobs))
    await storage.transaction((repositories) =>
      repositories.jobs.claim({ kinds: ['long'], leaseMs: 60_000, lanes: [{ lane: 3, most: 5 }] }),
    )
    const [state] = await storage.read((repositories) => repositories.jobs.measure(['long']))
    expect(state).toMatchObject({ kind: 'long', jobs: 3_000, due: 2_995 })
    if (name === 'SQLite') {
      const plan = await database.knex.raw<readonly { readonly detail: string }[]>(
        "explain query plan select count(*) from (select due_ms from alcove_jobs where kind = 'long' limit 100)",
      )
      expect(plan.map(({ detail }) => detail).join()).toContain('USING COVERING INDEX')
    }
    await storage.close()
  })
})

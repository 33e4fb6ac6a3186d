import { setTimeout } from 'node:timers/promises'
import type { Knex } from 'knex'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { KnexStorage, openPostgres } from '../../../adapters/knex/index.js'
import type { Repositories, Storage } from '../../../src/ports/index.js'
import { LATER, NOW, seedCompany, seedContext, seedDocument } from '../../conformance/storage/storage-seed.js'
import { statementLimits } from '../../servers/statement-limits.js'
import { DATABASES, type TestDatabase } from '../../src/outbox/database.js'

const POSTGRES = DATABASES.filter(({ name }) => name === 'PostgreSQL')

describe('a database URL', () => {
  it.each(['', 'localhost', 'mysql://root:hunter2@localhost/db', '//hunter2', 5, undefined])(
    'must be of PostgreSQL and appears in no message: %j',
    (url) => {
      const open = () => openPostgres(url as string)
      expect(open).toThrow(/databaseUrl: must be a URL of a PostgreSQL database, such as postgresql:\/\/user/)
      expect(open).not.toThrow(/hunter2/)
    },
  )

  it('must name a database and have no unescaped # in the password', () => {
    expect(() => openPostgres('postgresql://alcove@localhost:5432')).toThrow(/databaseUrl: must name a database/)
    const half = () => openPostgres('postgresql://alcove:hunter#2@localhost/db', { field: 'to' })
    expect(half).toThrow(/to: has a #: .* are written as %23/)
    expect(half).not.toThrow(/hunter/)
  })

  it('causes a transient error that says what to check if no server listens there', async () => {
    const storage = new KnexStorage({ knex: openPostgres('postgresql://alcove:hunter2@127.0.0.1:1/none') })
    const failure: unknown = await storage.open().catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'ERR_STORAGE', isTransient: true })
    expect(String(failure)).toContain('no database server answers at this address: check that it is running')
    expect(String(failure)).not.toContain('hunter2')
    await storage.close()
  })
})

describe.each(POSTGRES)('a storage on $name', ({ openEmpty }) => {
  let database: TestDatabase
  let storage: Storage

  beforeEach(async () => {
    database = await openEmpty()
    storage = database.storage()
  })

  afterEach(async () => {
    await database.dispose()
  })

  const schema = (): string => new URL(database.address).searchParams.get('application_name') ?? ''

  it('can be set up by many processes at once', async () => {
    const storages = Array.from({ length: 6 }, () => database.storage())
    await Promise.all(storages.map((each) => each.open()))
    expect(await storage.verify({ isThorough: true })).toEqual([])
    const types = await database.knex.raw<{ rows: { count: string }[] }>(
      `select count(*) from information_schema.columns where table_schema = ? and data_type = 'integer'`,
      [schema()],
    )
    expect(types.rows[0]?.count).toBe('0')
  })

  it('reports a missing database with a remedy and does not retry', async () => {
    const url = new URL(database.address)
    url.pathname = '/not-there'
    const other = new KnexStorage({ knex: openPostgres(url.href) })
    await expect(other.open()).rejects.toMatchObject({
      code: 'ERR_STORAGE',
      isTransient: false,
      message: 'there is no database of that name on the server: create it first',
    })
    await other.close()
  })

  it('completes two transactions that wait for each other', async () => {
    await storage.open()
    const [one, other] = await storage.transaction(async (repositories) => {
      const seed = await seedCompany(repositories)
      return [
        (await seedContext(repositories, seed, 'One')).id,
        (await seedContext(repositories, seed, 'Other')).id,
      ] as const
    })
    const inOrder =
      (ids: readonly number[]) =>
      async ({ contexts, settings }: Repositories): Promise<void> => {
        for (const id of ids) {
          await contexts.lock(id)
          await setTimeout(100)
        }
        await settings.put(`order ${ids.join()}`, 'done')
      }
    const orders = [
      [one, other],
      [other, one],
    ]
    await Promise.all(orders.map((ids) => storage.transaction(inOrder(ids), { isolation: 'read committed' })))
    for (const ids of orders) {
      expect(await storage.read(({ settings }) => settings.get(`order ${ids.join()}`))).toBe('done')
    }
  })

  it('keeps the filters of metadata that a document gets for the first time during a switch', async () => {
    await storage.open()
    const done = { started: NOW, completed: NOW, wordsVersion: 1, chunkCount: 0 }
    const { contextId, version, shadow } = await storage.transaction(async (repositories) => {
      const context = await seedContext(repositories, await seedCompany(repositories))
      const { id } = await seedDocument(repositories, context, 'uuid', done)
      const [added = 0] = await repositories.shadows.insert(context.id, 1, 1)
      await repositories.documents.update(added, done)
      return { contextId: context.id, version: id, shadow: added }
    })
    let switching: Promise<unknown> = Promise.resolve()
    await storage.transaction(async ({ documents }) => {
      await documents.update(version, { metadata: { topic: 'birds' } })
      switching = storage.transaction(
        async ({ contexts, shadows }) => {
          await contexts.lock(contextId)
          return await shadows.switch(contextId, { from: 0, to: 1 }, LATER)
        },
        { isolation: 'read committed' },
      )
      await setTimeout(500)
    })
    expect(await switching).toEqual({ unprocessed: [], purged: [] })
    const birds = { metadata: { topic: { eq: 'birds' } } } as never
    expect(await storage.read(({ documents }) => documents.filtered(contextId, birds))).toEqual([shadow])
  })

  it('answers calls that users wait for within ten seconds', async () => {
    const knex = openPostgres(database.address)
    const own = new KnexStorage({ knex })
    await own.open()
    const calls = [
      async () => await own.read(({ settings }) => settings.get('key')),
      async () => await own.transaction(({ settings }) => settings.put('key', 'value')),
      async () => await own.measure(),
    ]
    for (const call of calls) expect(await statementLimits(knex, call)).toEqual([10_000])
    await knex.transaction(async (transaction) => {
      const join = async () =>
        await own.join(
          transaction,
          ({ settings }) => settings.put('key', 'other'),
          () => undefined,
        )
      expect(await statementLimits(transaction, join)).toEqual([10_000])
    })
    await own.close()
  })

  it('gives the deletion of all documents of a context more time', async () => {
    const knex = openPostgres(database.address)
    const own = new KnexStorage({ knex })
    await own.open()
    const { id } = await own.transaction(
      async (repositories) => await seedContext(repositories, await seedCompany(repositories)),
    )
    const remove = async () =>
      await own.transaction(async ({ contexts, documents }) => {
        await contexts.update(id, { deleted: NOW })
        await documents.deleteOfContext(id, NOW)
      })
    expect(await statementLimits(knex, remove, '_contexts" set')).toEqual([10_000])
    expect(await statementLimits(knex, remove, '_documents" set')).toEqual([undefined])
    await own.close()
  })

  it('notifies every process of committed due jobs, even after a connection was lost', async () => {
    await storage.open()
    const heard: string[] = []
    const other = database.storage()
    const stop = other.watchJobs((kind) => heard.push(kind))
    const listening = async (): Promise<number[]> => {
      for (;;) {
        const { rows } = await database.knex.raw<{ rows: { pid: number }[] }>(
          `select pid from pg_stat_activity where query = 'listen "alcove_jobs"' and application_name = ?`,
          [schema()],
        )
        if (rows.length > 0) return rows.map(({ pid }) => pid)
        await setTimeout(20)
      }
    }
    const enqueued = async (kind: string): Promise<void> => {
      await storage.transaction(async ({ jobs }) => {
        await jobs.enqueue({ kind, subject: 1 })
        await jobs.enqueue({ kind: `${kind} later`, subject: 1 }, { delayMs: 60_000 })
        await setTimeout(50)
        expect(heard).not.toContain(kind)
      })
      const deadline = performance.now() + 10_000
      while (!heard.includes(kind)) {
        if (performance.now() > deadline) throw new Error(`${kind} was not heard of`)
        await setTimeout(5)
      }
    }
    await listening()
    await enqueued('first')
    for (const pid of await listening()) await database.knex.raw('select pg_terminate_backend(?)', [pid])
    await setTimeout(800)
    await listening()
    await enqueued('second')
    expect(heard.filter((kind) => kind.endsWith('later'))).toEqual([])
    await stop()
  })

  it('continues with new connections after the server closed the old ones', async () => {
    await storage.open()
    const end = async (knex: Knex): Promise<void> => {
      await knex.raw(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = ? and pid <> pg_backend_pid()`,
        [schema()],
      )
    }
    const broken = storage.transaction(async ({ settings }) => {
      await settings.put('half', 'done')
      await end(database.knex)
      await settings.put('other half', 'done')
    })
    await expect(broken).rejects.toMatchObject({ code: 'ERR_STORAGE', isTransient: true })
    expect(await storage.read(({ settings }) => settings.get('half'))).toBeUndefined()
    await storage.transaction(({ settings }) => settings.put('half', 'whole'))
    expect(await storage.read(({ settings }) => settings.get('half'))).toBe('whole')
  })
})

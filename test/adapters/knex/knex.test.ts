import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import knex, { type Knex } from 'knex'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { KnexStorage, openSqlite } from '../../../adapters/knex/index.js'
import { memoryEngine, NEW_CONTEXT } from '../../src/engine/memory-engine.js'
import { temporaryFolder } from '../../temporary-folder.js'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let opened: Knex[]

beforeEach(async () => {
  folder = await temporaryFolder()
  opened = []
})

afterEach(async () => {
  for (const database of opened) await database.destroy()
  await folder.remove()
})

function sqlite(config: Partial<Knex.Config> = {}): Knex {
  const connection = { filename: join(folder.path, 'host.sqlite') }
  const database = knex({ client: 'sqlite3', connection, useNullAsDefault: true, ...config })
  opened.push(database)
  return database
}

function unconnected(client: string): Knex {
  // The query builder is created without the driver, which is not installed.
  return knex({ client, dialect: client } as Knex.Config)
}

const refusal = (message: RegExp): Error =>
  expect.objectContaining({
    code: 'ERR_INVALID_INPUT',
    field: 'knex',
    message: expect.stringMatching(message) as string,
  }) as Error

describe('the knex option of a host', () => {
  it.each(['x', null, undefined, {}, () => 1, { client: { driverName: 'sqlite3' } }])(
    'must be an instance of knex: %j',
    (given) => {
      expect(() => new KnexStorage({ knex: given as unknown as Knex })).toThrow(
        refusal(/must be an instance of knex for SQLite \(client "sqlite3" or "better-sqlite3"\) or PostgreSQL/),
      )
    },
  )

  it('cannot be a transaction', async () => {
    const transaction = await sqlite().transaction()
    expect(() => new KnexStorage({ knex: transaction })).toThrow(refusal(/must be an instance of knex/))
    await transaction.rollback()
  })

  it.each(['mysql', 'mysql2', 'mssql', 'cockroachdb', 'redshift', 'oracledb'])('rejects the client %s', (client) => {
    expect(() => new KnexStorage({ knex: unconnected(client) })).toThrow(refusal(/; this one is for /))
  })

  it.each(['sqlite3', 'better-sqlite3', 'pg'])('accepts the client %s', (client) => {
    expect(new KnexStorage({ knex: unconnected(client) })).toBeInstanceOf(KnexStorage)
  })

  it.each([
    { wrapIdentifier: (value: string, wrap: (value: string) => string) => wrap(value.toUpperCase()) },
    { postProcessResponse: (response: unknown) => response },
  ])('must not translate names or rows', (config) => {
    const [option = ''] = Object.keys(config)
    expect(() => new KnexStorage({ knex: sqlite(config) })).toThrow(
      refusal(new RegExp(`without ${option}: create a separate instance for the engine`)),
    )
  })

  it('causes a transient error that says what to do if no connection is free', async () => {
    const database = sqlite({ pool: { min: 0, max: 1 }, acquireConnectionTimeout: 100 })
    const storage = new KnexStorage({ knex: database, keepKnex: true })
    await storage.open()
    const count = async (): Promise<number> => storage.read(async ({ companies }) => (await companies.list()).length)
    const exhausted = {
      code: 'ERR_STORAGE',
      isTransient: true,
      message: expect.stringMatching(/make the pool of knex larger.*events\.record with \{ transaction \}/) as string,
    }
    await database.transaction(async () => {
      await expect(count()).rejects.toMatchObject(exhausted)
      await expect(storage.transaction(async () => undefined)).rejects.toMatchObject(exhausted)
    })
    expect(await count()).toBe(0)
    await storage.close()
  })
})

describe('a destination with many open deliveries', () => {
  it('is deleted with few statements', async () => {
    const database = openSqlite(join(folder.path, 'host.sqlite'))
    opened.push(database)
    const { engine } = await memoryEngine({ storage: new KnexStorage({ knex: database, keepKnex: true }), roles: [] })
    const { destinations, deliveries } = engine.administration
    const { id } = await destinations.create({ url: 'https://hooks.example.com/in', eventTypes: null })
    await engine.events.record({ type: 'agent.deleted', data: { agentId: 1 }, companyId: engine.owner.companyId })
    const [{ id: first = 0, ...row }] = (await database('alcove_deliveries').select()) as [Record<string, number>]
    const [{ id: _id, subject: _subject, ...job }] = (await database('alcove_jobs').select()) as [
      Record<string, number>,
    ]
    const copies = Array.from({ length: 3_000 }, (_, at) => first + 1 + at)
    await database.batchInsert(
      'alcove_deliveries',
      copies.map((copy) => ({ ...row, id: copy })),
      50,
    )
    await database.batchInsert(
      'alcove_jobs',
      copies.map((copy) => ({ ...job, subject: copy })),
      50,
    )
    let statements = 0
    database.on('query', () => {
      statements += 1
    })
    await destinations.delete(id)
    expect(statements).toBeLessThan(20)
    expect(await database('alcove_jobs').where('kind', 'deliver-event').select()).toEqual([])
    expect(await database('alcove_deliveries').distinct('status').pluck('status')).toEqual(['cancelled'])
    expect((await deliveries.list({ limit: 1 })).items).toMatchObject([{ error: 'the destination was deleted' }])
    await engine.close()
  })
})

describe('a context with many documents', () => {
  it('is removed with few deletions', async () => {
    const database = openSqlite(join(folder.path, 'host.sqlite'))
    opened.push(database)
    const { engine, session } = await memoryEngine({ storage: new KnexStorage({ knex: database, keepKnex: true }) })
    const { id } = await session.contexts.create(NEW_CONTEXT)
    const uuids = await Promise.all(
      Array.from({ length: 120 }, async (_, at) => {
        return await session.documents.upload(id, {
          fileName: `${at}.txt`,
          content: `Notice ${at}.`,
          metadata: { number: at },
        })
      }),
    )
    for (const uuid of uuids) await session.documents.whenProcessed(uuid)
    const statements: string[] = []
    // Workers also look for jobs while they wait: how often depends on the time.
    database.on('query', ({ sql }: { readonly sql: string }) => {
      if (/^delete/i.test(sql)) statements.push(sql)
    })
    await session.contexts.delete(id)
    expect(await engine.whenCleared()).toBe('done')
    expect(statements.length).toBeLessThanOrEqual(20)
    for (const table of ['contexts', 'documents', 'metadata', 'chunks', 'windows']) {
      expect(await database(`alcove_${table}`).select(), table).toEqual([])
    }
    await engine.close()
  })
})

describe('a database of SQLite that closes', () => {
  it('leaves no log beside its file, however many connections close', async () => {
    const left: string[] = []
    for (let attempt = 0; attempt < 40; attempt++) {
      const database = openSqlite(join(folder.path, `${attempt}.sqlite`))
      await database.raw('create table t (x)')
      const transactions = await Promise.all(Array.from({ length: 4 }, async () => await database.transaction()))
      const end = async (transaction: Knex.Transaction): Promise<void> => {
        await transaction.raw('select * from t')
        await transaction.commit()
      }
      await Promise.all(transactions.map(end))
      await database.destroy()
      left.push(...(await readdir(folder.path)).filter((name) => name.endsWith('-wal')))
    }
    expect(left).toEqual([])
  })
})

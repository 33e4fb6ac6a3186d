import type { Knex } from 'knex'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { KnexStorage, openPostgres } from '../../../adapters/knex/index.js'
import { InvalidInputError, type Repositories } from '../../../src/ports/index.js'
import { type SilentProxy, startSilentProxy } from '../../servers/silent-proxy.js'
import { DATABASES, type TestDatabase } from '../../src/outbox/database.js'

const POSTGRES = DATABASES.filter(({ name }) => name === 'PostgreSQL')
/** On any machine, a new connection is opened and answered well within this time. */
const QUERY_TIMEOUT_MS = 3_000

describe.each(POSTGRES)('a pool of connections to $name on a silent network', ({ openEmpty }) => {
  let database: TestDatabase
  let proxy: SilentProxy
  let knex: Knex
  let failures: string[]

  beforeEach(async () => {
    database = await openEmpty()
    proxy = await startSilentProxy(database.address)
    knex = openPostgres(proxy.url, { queryTimeoutMs: QUERY_TIMEOUT_MS, maxConnections: 2 })
    failures = []
    knex.on('query-error', ({ message }: Error) => failures.push(message))
  })

  afterEach(async () => {
    await knex.destroy()
    await proxy.dispose()
    await database.dispose()
  })

  const used = (): number => (knex.client as { pool: { numUsed(): number } }).pool.numUsed()

  it('discards connections with unanswered statements and opens new ones for the next statements', async () => {
    await Promise.all([knex.raw('select pg_sleep(0.1)'), knex.raw('select pg_sleep(0.1)')])
    proxy.silence()
    const lost = [knex.raw('select 1'), knex.raw('select 2')].map((query) => query.then(() => 'answered', String))
    expect(await Promise.all(lost)).toEqual([
      'Error: select 1 - Query read timeout',
      'Error: select 2 - Query read timeout',
    ])
    proxy.letNewThrough()
    const { rows } = await knex.raw<{ rows: unknown[] }>('select 3 as number')
    expect(rows).toEqual([{ number: 3 }])
    await Promise.all([knex.raw('select 4'), knex.raw('select 5')])
    expect(failures).toHaveLength(2)
    expect(used()).toBe(0)
  })

  it('waits for one unanswered statement only, however many connections were lost', async () => {
    await Promise.all([knex.raw('select pg_sleep(0.1)'), knex.raw('select pg_sleep(0.1)')])
    proxy.silence()
    await expect(knex.raw('select 1')).rejects.toThrow('Query read timeout')
    proxy.letNewThrough()
    for (const number of [2, 3]) {
      expect(await knex.raw<{ rows: unknown[] }>(`select ${number} as number`)).toMatchObject({ rows: [{ number }] })
    }
    expect(failures).toHaveLength(1)
  })

  it('rolls back a transaction at once with the error of its statement', async () => {
    const storage = new KnexStorage({ knex, keepKnex: true })
    await storage.open()
    const writing = storage.transaction(async ({ settings }) => {
      await settings.put('before', 'done')
      proxy.silence()
      await settings.put('after', 'done')
    })
    await expect(writing).rejects.toMatchObject({
      code: 'ERR_STORAGE',
      isTransient: true,
      message: 'the connection to the database was lost',
      cause: { message: expect.stringMatching(/^insert .* - Query read timeout$/) as string },
    })
    expect(failures).toEqual([
      expect.stringMatching(/ - Query read timeout$/) as string,
      'ROLLBACK - Client was closed and is not queryable',
    ])
    expect(used()).toBe(0)
    proxy.letNewThrough()
    await storage.transaction(({ settings }) => settings.put('after', 'done'))
    const read = async ({ settings }: Repositories) => [await settings.get('before'), await settings.get('after')]
    expect(await storage.read(read)).toEqual([undefined, 'done'])
    expect(used()).toBe(0)
    await storage.close()
  })

  it('reports the error of the work even if the ROLLBACK is not answered', async () => {
    const storage = new KnexStorage({ knex, keepKnex: true })
    await storage.open()
    const refusal = new InvalidInputError('name', 'is taken')
    const refused = storage.transaction(() => {
      proxy.silence()
      return Promise.reject(refusal)
    })
    await expect(refused).rejects.toBe(refusal)
    expect(failures).toEqual(['ROLLBACK - Query read timeout'])
    proxy.letNewThrough()
    await storage.transaction(({ settings }) => settings.put('key', 'value'))
    expect(used()).toBe(0)
    await storage.close()
  })

  it('answers within about ten seconds with ERR_STORAGE if it turns silent in a read, a write or a COMMIT', async () => {
    const usual = openPostgres(proxy.url, { maxConnections: 3 })
    const storage = new KnexStorage({ knex: usual })
    await storage.open()
    const took = async (
      work: () => Promise<unknown>,
    ): Promise<{ readonly code: unknown; readonly seconds: number }> => {
      const began = performance.now()
      const code = await work().then(
        () => 'answered',
        (error: unknown) => (error as { readonly code?: unknown }).code,
      )
      return { code, seconds: (performance.now() - began) / 1_000 }
    }
    const underWay = (silenced: Promise<void>) => [
      took(
        async () =>
          await storage.read(async ({ settings }) => {
            await settings.get('key')
            await silenced
            await settings.get('key')
          }),
      ),
      took(
        async () =>
          await storage.transaction(async ({ settings }) => {
            await settings.put('key', 'value')
            await silenced
            await settings.put('key', 'other')
          }),
      ),
      took(
        async () =>
          await storage.transaction(async ({ settings }) => {
            await settings.get('key')
            await silenced
          }),
      ),
    ]
    let resolve: () => void = () => undefined
    const promise = new Promise<void>((done) => {
      resolve = done
    })
    const answers = underWay(promise)
    await database.knex.raw('select pg_sleep(1)')
    proxy.silence()
    resolve()
    for (const { code, seconds } of await Promise.all(answers)) {
      expect(code).toBe('ERR_STORAGE')
      expect(seconds).toBeLessThan(15)
    }
    proxy.letNewThrough()
    expect(await storage.read(({ settings }) => settings.get('key'))).not.toBe('other')
    await storage.close()
  }, 60_000)

  it('never reuses a connection whose ROLLBACK was aborted without an answer', async () => {
    const patient = openPostgres(proxy.url, { maxConnections: 1 })
    const refusal = new Error('changed my mind')
    const refused = patient.transaction(() => {
      proxy.silence()
      return Promise.reject(refusal)
    })
    await expect(refused).rejects.toBe(refusal)
    proxy.letNewThrough()
    const { rows } = await patient.raw<{ rows: unknown[] }>('select 1 as number')
    expect(rows).toEqual([{ number: 1 }])
    await patient.destroy()
  })
})

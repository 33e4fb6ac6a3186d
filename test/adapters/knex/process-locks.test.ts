import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openPostgres, PostgresProcessLocks } from '../../../adapters/knex/index.js'
import { processLocksSuite } from '../../conformance/index.js'
import { DATABASES, type TestDatabase } from '../../src/outbox/database.js'

const POSTGRES = DATABASES.filter(({ name }) => name === 'PostgreSQL')

describe.each(POSTGRES)('process locks on $name', ({ openEmpty }) => {
  let database: TestDatabase

  beforeEach(async () => {
    database = await openEmpty()
  })

  afterEach(async () => {
    await database.dispose()
  })

  /** Locks with this number of connections, as another process has. */
  const locks = (maxConnections: number): PostgresProcessLocks =>
    new PostgresProcessLocks({ knex: openPostgres(database.address, { maxConnections }) })

  processLocksSuite({ describe, it }, 'PostgreSQL', () => {
    const [one, other] = [locks(6), locks(5)]
    return Promise.resolve({
      port: { one, other },
      dispose: async () => {
        await one.close()
        await other.close()
      },
    })
  })

  it('are released when their holder loses its connection, which is never reused', async () => {
    expect(() => locks(4)).toThrow('knex: must have at least 5 connections')
    const [one, other] = [locks(5), locks(5)]
    const name = randomUUID()
    let lose: () => void = () => undefined
    const lost = new Promise<void>((resolve) => {
      lose = resolve
    })
    const taken = new Promise<void>((resolve) => {
      void one.hold(name, async () => {
        resolve()
        await lost
      })
    })
    await taken
    expect(await other.tryToHold(name, () => Promise.resolve())).toBe(false)
    await database.knex.raw(
      `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted and pid <> pg_backend_pid()
       and pid in (select pid from pg_stat_activity where query like '%pg_advisory_lock%')`,
    )
    await expect.poll(async () => await other.tryToHold(name, () => Promise.resolve())).toBe(true)
    lose()
    // A lost connection would fail, and a connection that was not released would make this wait.
    const hold = async (at: number): Promise<void> => {
      if (at < 3) await one.hold(`${name}-${at}`, async () => await hold(at + 1))
    }
    await hold(0)
    expect(await one.tryToHold(name, () => Promise.resolve())).toBe(true)
    await one.close()
    await other.close()
  })
})

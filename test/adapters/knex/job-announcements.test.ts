import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { KnexStorage } from '../../../adapters/knex/index.js'
import type { Storage } from '../../../src/ports/index.js'
import { DATABASES, type TestDatabase } from '../../src/outbox/database.js'

const POSTGRES = DATABASES.filter(({ name }) => name === 'PostgreSQL')
const LISTENS_WITHIN_MS = 30_000
const OWN_KINDS = ['taken back', 'committed', 'joined', 'too late', 'before', 'after', 'one of many', 'last']

describe.each(POSTGRES)('enqueued jobs on $name', ({ openEmpty }) => {
  let database: TestDatabase
  let storage: Storage
  let heard: string[]
  let stop: () => Promise<void>

  beforeEach(async () => {
    database = await openEmpty()
    storage = database.storage()
    await storage.open()
    heard = []
    // Engines of other tests in the same database use the same channel: they announce other kinds.
    stop = database.storage().watchJobs((kind) => {
      if (OWN_KINDS.includes(kind)) heard.push(kind)
    })
    await until(async () => {
      const { rows } = await database.knex.raw<{ rows: unknown[] }>(
        `select 1 from pg_stat_activity where query = 'listen "alcove_jobs"' and state = 'idle' and application_name = ?`,
        [new URL(database.address).searchParams.get('application_name') ?? ''],
      )
      return rows.length > 0
    })
  })

  afterEach(async () => {
    await stop()
    await database.dispose()
  })

  const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
    const deadline = performance.now() + LISTENS_WITHIN_MS
    while (!(await condition())) {
      if (performance.now() > deadline) throw new Error(`heard only of ${heard.join()}`)
      await setTimeout(5)
    }
  }
  const enqueue = async (kind: string, subject = 1): Promise<void> => {
    await storage.transaction(({ jobs }) => jobs.enqueue({ kind, subject }))
  }

  it('are announced only after their commit', async () => {
    const failing = storage.transaction(async ({ jobs }) => {
      await jobs.enqueue({ kind: 'taken back', subject: 1 })
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    await enqueue('committed')
    await until(() => heard.includes('committed'))
    expect(heard).toEqual(['committed'])
  })

  it('are announced after the commit of a transaction of the host, unless the storage is closed by then', async () => {
    const joined = new KnexStorage({ knex: database.knex, keepKnex: true })
    const [first, second] = [await database.knex.transaction(), await database.knex.transaction()]
    const ignore = (): void => undefined
    await joined.join(first, ({ jobs }) => jobs.enqueue({ kind: 'joined', subject: 1 }), ignore)
    await joined.join(second, ({ jobs }) => jobs.enqueue({ kind: 'too late', subject: 1 }), ignore)
    await enqueue('before')
    await until(() => heard.includes('before'))
    expect(heard).toEqual(['before'])
    await first.commit()
    await until(() => heard.includes('joined'))
    await joined.close()
    await second.commit()
    await enqueue('after')
    await until(() => heard.includes('after'))
    expect(heard).toEqual(['before', 'joined', 'after'])
  })

  it('are announced together if they follow each other quickly', async () => {
    const beganAt = performance.now()
    for (let subject = 0; subject < 100; subject += 1) await enqueue('one of many', subject)
    await enqueue('last')
    await until(() => heard.includes('last'))
    // One announcement at the start of each period. The last kind comes with or after the last of the others.
    expect(heard.length).toBeLessThanOrEqual(Math.ceil((performance.now() - beganAt) / 19) + 2)
  })
})

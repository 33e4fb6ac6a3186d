import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { KnexStorage, openPostgres } from '../../../adapters/knex/index.js'
import { PgLexicalIndex } from '../../../adapters/words/index.js'
import { DATABASES, type TestDatabase } from '../../src/outbox/database.js'

const POSTGRES = DATABASES.filter(({ name }) => name === 'PostgreSQL')

describe.each(POSTGRES)('the check of $name', ({ openEmpty }) => {
  let database: TestDatabase

  beforeEach(async () => {
    database = await openEmpty()
  })

  afterEach(async () => {
    await database.dispose()
  })

  it('answers while other calls have all connections of the pool', async () => {
    const knex = openPostgres(database.address, { maxConnections: 1 })
    const storage = new KnexStorage({ knex })
    const words = new PgLexicalIndex({ knex, keepKnex: true })
    const held = await knex.transaction()
    await Promise.all([storage.check(), words.check()])
    expect(held.isCompleted()).toBe(false)
    await held.rollback()
    await words.close()
    await storage.close()
    await expect(storage.check()).rejects.toMatchObject({ code: 'ERR_CLOSED' })
  })

  it('reports a database that is away', async () => {
    const storage = new KnexStorage({ knex: openPostgres('postgresql://alcove@127.0.0.1:1/none') })
    await expect(storage.check()).rejects.toMatchObject({ code: 'ERR_STORAGE', isTransient: true })
    await storage.close()
  })
})

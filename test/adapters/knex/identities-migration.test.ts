import type { Knex } from 'knex'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dialectOf } from '../../../adapters/knex/dialect.js'
import { KnexStorage } from '../../../adapters/knex/index.js'
import { identities } from '../../../adapters/knex/migrations/0009-identities.js'
import { MIGRATIONS } from '../../../adapters/knex/migrations.js'
import { DATABASES, type TestDatabase } from '../../src/outbox/database.js'

const CREATED = '2026-01-01T00:00:00.000Z'
const VERSION_BEFORE = MIGRATIONS.indexOf(identities)
const PREFIXES = ['alcove_', 'A_Host_with_a_Prefix_of_31_letr']

describe.each(DATABASES)('on $name, a database with the previous schema', ({ open }) => {
  let database: TestDatabase

  beforeEach(async () => {
    database = await open()
  })

  afterEach(async () => {
    await database.dispose()
  })

  async function makeOld(prefix: string): Promise<void> {
    const { knex } = database
    const name = (table: string): string => prefix + table
    await knex.transaction(async (transaction) => {
      for (const migration of MIGRATIONS.slice(0, VERSION_BEFORE)) {
        await migration(transaction.schema, name, dialectOf(knex))
      }
      await transaction.schema.createTable(name('schema'), (table) => table.integer('version').notNullable())
      await transaction(name('schema')).insert({ version: VERSION_BEFORE })
      for (const company of ['Root', 'Other']) {
        await transaction(name('companies')).insert({ name: company, parent_id: null, created: CREATED })
      }
    })
    await knex(name('users')).insert([oldUser(1, 'Ada@example.com'), oldUser(2, 'grace@example.com')])
    await knex(name('mails')).insert({ user_id: 2, purpose: 'invitation', created: CREATED })
  }

  it.each(PREFIXES)(
    'A54 keeps its users unchanged and accepts their addresses in other companies: %s',
    async (prefix) => {
      await makeOld(prefix)
      const { knex } = database
      const rows = async (): Promise<unknown[]> => await knex<object>(`${prefix}users`).orderBy('id')
      const before = await rows()
      await expect(knex(`${prefix}users`).insert(oldUser(2, 'ada@example.com'))).rejects.toThrow(/unique/i)
      const storage = new KnexStorage({ knex, tablePrefix: prefix, keepKnex: true })
      await storage.open()
      // Later versions have more columns.
      expect(await rows()).toMatchObject(before)
      expect(await storage.verify({ isThorough: true })).toEqual([])
      const ada = await storage.read(({ users }) => users.findByEmailKey(1, 'ada@example.com'))
      expect(ada).toMatchObject({ id: 1, companyId: 1, email: 'Ada@example.com', passwordHash: 'a hash' })
      if (ada === undefined) throw new Error('no user')
      const add = async (companyId: number): Promise<unknown> =>
        await storage.transaction(({ users }) => users.insert({ ...ada, companyId }))
      await expect(add(1)).rejects.toMatchObject({ code: 'ERR_ALREADY_EXISTS' })
      expect(await add(2)).toMatchObject({ companyId: 2 })
      await expect(add(2)).rejects.toMatchObject({ code: 'ERR_ALREADY_EXISTS' })
      await storage.close()
      // A database with the current schema is opened without a migration.
      const reopened = new KnexStorage({ knex, tablePrefix: prefix, keepKnex: true })
      await reopened.open()
      expect(await rows()).toHaveLength(before.length + 1)
      await reopened.close()
    },
  )
})

function oldUser(companyId: number, email: string): Knex.MaybeRawRecord<object> {
  return {
    company_id: companyId,
    email,
    email_key: email.toLowerCase(),
    first_name: 'Ada',
    last_name: '',
    name: 'Ada',
    created: CREATED,
    last_access: null,
    password_hash: 'a hash',
  }
}

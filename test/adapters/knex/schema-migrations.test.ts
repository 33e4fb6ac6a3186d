import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dialectOf } from '../../../adapters/knex/dialect.js'
import { KnexStorage } from '../../../adapters/knex/index.js'
import { FIRST_VERSION, MIGRATIONS, type Migration, SCHEMA_VERSION } from '../../../adapters/knex/migrations.js'
import { runMigrations } from '../../../adapters/knex/run-migrations.js'
import { DATABASES, type TestDatabase } from '../../src/outbox/database.js'

const CREATED = '2026-01-01T00:00:00.000Z'
const LONG_PREFIX = 'A_Host_with_a_Prefix_of_31_letr'

let database: TestDatabase

afterEach(async () => {
  await database.dispose()
})

function storage(tablePrefix = 'alcove_'): KnexStorage {
  return new KnexStorage({ knex: database.knex, tablePrefix, keepKnex: true })
}

/** The versions of all rows: there is only one. */
async function versions(prefix = 'alcove_'): Promise<readonly number[]> {
  // PostgreSQL returns texts.
  return (await database.knex(`${prefix}schema`).pluck('version')).map(Number)
}

describe.each(DATABASES)('the schema on $name', ({ openEmpty }) => {
  beforeEach(async () => {
    database = await openEmpty()
  })

  const addColour: Migration = async (schema, name, _dialect, transaction) => {
    await schema.alterTable(name('companies'), (table) => table.text('colour').notNullable().defaultTo('grey'))
    await transaction(name('companies')).update({ colour: 'red' })
  }
  const fail: Migration = (schema) => schema.raw('select * from nowhere')

  async function runWith(...later: readonly Migration[]): Promise<void> {
    const { knex } = database
    await knex.transaction(async (transaction) => {
      await runMigrations(transaction, {
        name: (table) => `alcove_${table}`,
        dialect: dialectOf(knex),
        migrations: [...MIGRATIONS, ...later],
      })
    })
  }

  async function addCompany(): Promise<void> {
    await database.knex('alcove_companies').insert({ name: 'Root', parent_id: null, created: CREATED })
  }

  it.each(['alcove_', LONG_PREFIX])('is made once, and is sound: %s', async (prefix) => {
    for (let round = 0; round < 2; round += 1) {
      const opened = storage(prefix)
      await opened.open()
      expect(await opened.verify({ isThorough: true })).toEqual([])
      await opened.close()
    }
    expect(await versions(prefix)).toEqual([SCHEMA_VERSION])
  })

  it('gets a later step, which keeps the rows; an engine without this step refuses the database', async () => {
    await storage().open()
    await addCompany()
    await runWith(addColour)
    await runWith(addColour)
    expect(await versions()).toEqual([SCHEMA_VERSION + 1])
    expect(await database.knex('alcove_companies').select('name', 'colour')).toEqual([{ name: 'Root', colour: 'red' }])
    await expect(storage().open()).rejects.toMatchObject({
      code: 'ERR_SCHEMA_TOO_NEW',
      message: expect.stringContaining('use a newer version of alcove') as string,
    })
    expect(await versions()).toEqual([SCHEMA_VERSION + 1])
  })

  it('is made by all steps in an empty database', async () => {
    await runWith(addColour)
    await addCompany()
    expect(await database.knex('alcove_companies').pluck('colour')).toEqual(['grey'])
    expect(await versions()).toEqual([SCHEMA_VERSION + 1])
  })

  it('has nothing of any step if one of them fails', async () => {
    await expect(runWith(fail)).rejects.toThrow()
    expect(await database.knex.schema.hasTable('alcove_schema')).toBe(false)
    await storage().open()
    await expect(runWith(addColour, fail)).rejects.toThrow()
    expect(await versions()).toEqual([SCHEMA_VERSION])
    expect(await database.knex.schema.hasColumn('alcove_companies', 'colour')).toBe(false)
  })

  it.each([1, FIRST_VERSION - 1])('of an unreleased version is refused, and does not change: %i', async (former) => {
    await database.knex.schema.createTable('alcove_schema', (table) => table.integer('version').notNullable())
    await database.knex('alcove_schema').insert({ version: former })
    await expect(storage().open()).rejects.toMatchObject({
      code: 'ERR_SCHEMA_TOO_OLD',
      isTransient: false,
      message: expect.stringMatching(
        /\(schema version \d+\).*: use a new data folder, or an empty database; nothing/,
      ) as string,
    })
    expect(await versions()).toEqual([former])
    expect(await database.knex.schema.hasTable('alcove_companies')).toBe(false)
  })
})

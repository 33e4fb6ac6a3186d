import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Knex } from 'knex'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dialectOf } from '../../../adapters/knex/dialect.js'
import { KnexStorage } from '../../../adapters/knex/index.js'
import { FIRST_VERSION, MIGRATIONS, type Migration, SCHEMA_VERSION } from '../../../adapters/knex/migrations.js'
import { runMigrations } from '../../../adapters/knex/run-migrations.js'
import { DATABASES, type TestDatabase } from '../../src/outbox/database.js'

const CREATED = '2026-01-01T00:00:00.000Z'
const LONG_PREFIX = 'A_Host_with_a_Prefix_of_31_letr'
/** The tables as the fifteen steps before the first release made them on SQLite. */
const FORMER_SCHEMA = join(import.meta.dirname, '../../fixtures/schema-of-fifteen-steps.sql')

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

  const addColour: Migration = (schema, name) =>
    schema
      .alterTable(name('companies'), (table) => table.text('colour').notNullable().defaultTo('grey'))
      .raw(`update "${name('companies')}" set colour = 'red'`)
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

  it('gets the names by which lists find the documents that it has', async () => {
    const { knex } = database
    const run = async (migrations: readonly Migration[]) =>
      await knex.transaction(async (transaction) => {
        await runMigrations(transaction, { name: (table) => `alcove_${table}`, dialect: dialectOf(knex), migrations })
      })
    await run(MIGRATIONS.slice(0, 5))
    const { context } = await seedContextRows(knex)
    const document = {
      context_id: context,
      content_type: 'text/plain',
      content_hash: '',
      size_bytes: 1,
      chunk_count: 0,
    }
    const names = ['Äpfel.txt', 'Lease.pdf', ...Array.from({ length: 450 }, (_, index) => `Number ${index}.txt`)]
    for (const [index, original_name] of names.entries()) {
      const named = { original_name, name_index: index === 0 ? 2 : 0, display_name: index === 1 ? 'Contract' : null }
      const ids = { id: index + 1, public_id: index + 1, uuid: `uuid-${index}`, created: CREATED, created_by: 1 }
      await knex('alcove_documents').insert({ ...document, ...named, ...ids })
    }
    const opened = storage()
    await opened.open()
    const found = async (foldedPart: string) =>
      await opened.read(async ({ documents }) =>
        (await documents.listPositions(context, { order: 'name', limit: 9 }, { foldedPart })).map(
          ({ foldedName }) => foldedName,
        ),
      )
    expect(await found('äpfel')).toEqual(['äpfel (2).txt'])
    expect(await found('lease')).toEqual(['contract'])
    expect(await found('number 449.')).toEqual(['number 449.txt'])
  })

  it.each([1, FIRST_VERSION - 1])('of an unreleased version is refused, and does not change: %i', async (former) => {
    await database.knex.schema.createTable('alcove_schema', (table) => table.integer('version').notNullable())
    await database.knex('alcove_schema').insert({ version: former })
    await expect(storage().open()).rejects.toMatchObject({
      code: 'ERR_SCHEMA_TOO_OLD',
      isTransient: false,
      message: expect.stringMatching(/\(schema version \d+\).*: use an empty database or data folder, or/) as string,
    })
    expect(await versions()).toEqual([former])
    expect(await database.knex.schema.hasTable('alcove_companies')).toBe(false)
  })
})

/** Rows that a document refers to, as the tables before have them. */
async function seedContextRows(knex: Knex): Promise<{ readonly context: number }> {
  const insert = async (table: string, row: object): Promise<number> => {
    const rows = await knex(`alcove_${table}`).insert(row).returning<{ readonly id: number }[]>('id')
    return Number(rows[0]?.id)
  }
  const company_id = await insert('companies', { name: 'Root', parent_id: null, created: CREATED })
  const user = { first_name: 'Ada', last_name: '', name: 'Ada', email: 'ada@example.com', email_key: 'ada@example.com' }
  const user_id = await insert('users', { company_id, ...user, created: CREATED })
  const region_id = await insert('regions', { name: 'local' })
  const account = { company_id, region_id, application: 'assistant', name: 'A', is_active: true, created: CREATED }
  const account_id = await insert('accounts', account)
  const texts = { name: 'C', description: '', caption: '', tools_json: '[]', starter_prompts: '[]' }
  const settings = { max_size_bytes: 1, top_n: 1, score_threshold: 0, chunk_size_tokens: 64, overlap: 0 }
  const other = { embedding_model: 'm', share_state: 0, created: CREATED }
  return { context: await insert('contexts', { account_id, user_id, ...texts, ...settings, ...other }) }
}

describe('a database that the fifteen steps before the first release made', () => {
  beforeEach(async () => {
    database = await openSqlite()
    for (const statement of (await readFile(FORMER_SCHEMA, 'utf8')).trim().split('\n')) {
      await database.knex.raw(statement)
    }
    await database.knex('alcove_schema').insert({ version: 15 })
  })

  it('is opened with its rows', async () => {
    const { knex } = database
    await knex('alcove_companies').insert({ name: 'Root', parent_id: null, created: CREATED })
    const ada = { email: 'Ada@example.com', email_key: 'ada@example.com', password_hash: 'a hash' }
    const names = { first_name: 'Ada', last_name: '', name: 'Ada' }
    await knex('alcove_users').insert({ company_id: 1, ...ada, ...names, created: CREATED })
    const opened = storage()
    await opened.open()
    expect(await opened.verify({ isThorough: true })).toEqual([])
    expect(await opened.read(({ users }) => users.findByEmailKey(1, 'ada@example.com'))).toMatchObject({
      id: 1,
      email: 'Ada@example.com',
      passwordHash: 'a hash',
      isDisabled: false,
    })
    expect(await versions()).toEqual([SCHEMA_VERSION])
  })

  it('has the schema of a new database', async () => {
    await storage().open()
    const former = await describeTables(database.knex, 'alcove_')
    await storage('new_').open()
    expect(await describeTables(database.knex, 'new_')).toEqual(former)
    expect(Object.keys(former)).toHaveLength(27)
  })
})

async function openSqlite(): Promise<TestDatabase> {
  const sqlite = DATABASES.find(({ name }) => name === 'SQLite')
  if (sqlite === undefined) throw new Error('SQLite is missing')
  return await sqlite.openEmpty()
}

/** The columns, references and indexes of all tables with a prefix, which the names of the result leave out. */
async function describeTables(knex: Knex, prefix: string): Promise<Readonly<Record<string, unknown>>> {
  const rows = async (sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> => {
    const found = await knex.raw<readonly object[]>(sql)
    return JSON.parse(JSON.stringify(found).replaceAll(prefix, '')) as readonly Readonly<Record<string, unknown>>[]
  }
  const tables: Record<string, unknown> = {}
  const names = await rows(`select name from sqlite_master where type = 'table' and name like '${prefix}%' order by 1`)
  for (const table of names.map(({ name }) => String(name))) {
    const indexes = await rows(
      `select name, lower(replace(sql, '\`', '"')) as sql from sqlite_master
       where type = 'index' and tbl_name = '${prefix}${table}' order by name`,
    )
    const columns = await rows(`pragma table_xinfo("${prefix}${table}")`)
    tables[table] = {
      // SQLite stores both types of integers in the same way.
      columns: columns.map((column) => ({
        ...column,
        type: String(column['type']).toLowerCase().replace('bigint', 'integer'),
      })),
      references: await rows(`pragma foreign_key_list("${prefix}${table}")`),
      indexes,
    }
  }
  return tables
}

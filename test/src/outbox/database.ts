import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Knex } from 'knex'
import { KnexStorage, openPostgres, openSqlite } from '../../../adapters/knex/index.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { emptySchema, layoutOf } from './empty-schema.js'

/** A database that several engines, of this process or of others, can share. */
export interface TestDatabase {
  readonly name: string
  /** Another storage on the database, like that of another process. */
  storage(): KnexStorage
  /** The host's own connection to the database. */
  readonly knex: Knex
  /** Argument that names the database for a child process: an SQLite file, or a URL. */
  readonly address: string
  dispose(): Promise<void>
}

const POSTGRES_URL: string | undefined = process.env['ALCOVE_TEST_DATABASE_URL']

/** A kind of database. */
export interface DatabaseKind {
  readonly name: string
  /**
   * Opens a database with the tables of the engine and without rows, whose ids begin at 1. An earlier test of this
   * process may have used it: to make the tables takes ten times as long as to empty them.
   */
  readonly open: () => Promise<TestDatabase>
  /** Opens a new database without tables. */
  readonly openEmpty: () => Promise<TestDatabase>
}

/** Each database that the engine supports. A run without PostgreSQL leaves it out, and reports that at its start. */
export const DATABASES: readonly DatabaseKind[] = [
  { name: 'SQLite', open: openSqliteWithTables, openEmpty: async () => await openTestSqlite() },
  ...(POSTGRES_URL === undefined ? [] : [postgresAt(POSTGRES_URL)]),
]

function postgresAt(url: string): DatabaseKind {
  return {
    name: 'PostgreSQL',
    open: async () => await openPostgresWithTables(url),
    openEmpty: async () => await openTestPostgres(url),
  }
}

/** Connections to an SQLite file, or to a PostgreSQL URL. */
function openDatabase(address: string): Knex {
  return address.startsWith('postgres') ? openPostgres(address) : openSqlite(address)
}

async function openTestSqlite(template?: string): Promise<TestDatabase> {
  const folder = await temporaryFolder()
  const address = join(folder.path, 'test.sqlite')
  if (template !== undefined) await copyFile(template, address)
  const knex = openSqlite(address)
  return testDatabase('SQLite', address, knex, async () => {
    await knex.destroy()
    await folder.remove()
  })
}

/** A file with the tables of the engine. It stays until the process ends. */
let sqliteTemplate: Promise<string> | undefined

async function openSqliteWithTables(): Promise<TestDatabase> {
  sqliteTemplate ??= makeSqliteTemplate()
  return await openTestSqlite(await sqliteTemplate)
}

async function makeSqliteTemplate(): Promise<string> {
  const folder = await temporaryFolder()
  process.once('exit', () => rmSync(folder.path, { recursive: true, force: true }))
  const file = join(folder.path, 'template.sqlite')
  const storage = new KnexStorage({ knex: openSqlite(file) })
  await storage.open()
  await storage.close()
  return file
}

/** A database in a schema of its own. */
async function openTestPostgres(url: string): Promise<TestDatabase> {
  const schema = newSchema()
  const address = addressOf(url, schema)
  const knex = openPostgres(address)
  await knex.raw('create schema ??', [schema])
  return testDatabase('PostgreSQL', address, knex, async () => await dropSchema(knex, schema))
}

interface ReadySchema {
  readonly schema: string
  readonly layout: string
  /** Its connections serve one test after the other, because PostgreSQL starts a process for each. */
  readonly knex: Knex
}

/** Schemas with tables and without rows that no test uses. */
const freeSchemas: ReadySchema[] = []

async function openPostgresWithTables(url: string): Promise<TestDatabase> {
  const ready = freeSchemas.pop() ?? (await makeSchema(url))
  const { schema, layout, knex } = ready
  return testDatabase('PostgreSQL', addressOf(url, schema), knex, async () => {
    if (await emptySchema(knex, schema, layout)) {
      freeSchemas.push(ready)
    } else {
      await dropSchema(knex, schema)
    }
  })
}

async function makeSchema(url: string): Promise<ReadySchema> {
  const schema = newSchema()
  const knex = openPostgres(addressOf(url, schema))
  await knex.raw('create schema ??', [schema])
  const storage = new KnexStorage({ knex, keepKnex: true })
  await storage.open()
  await storage.close()
  return { schema, layout: await layoutOf(knex, schema), knex }
}

async function dropSchema(knex: Knex, schema: string): Promise<void> {
  await knex.raw('drop schema ?? cascade', [schema])
  await knex.destroy()
}

function newSchema(): string {
  return `test_${randomUUID().replaceAll('-', '')}`
}

function addressOf(url: string, schema: string): string {
  const address = new URL(url)
  address.searchParams.set('application_name', schema)
  address.searchParams.set('options', `-c search_path=${schema}`)
  return address.href
}

function testDatabase(name: string, address: string, knex: Knex, remove: () => Promise<void>): TestDatabase {
  const storages: KnexStorage[] = []
  return {
    name,
    address,
    knex,
    storage: () => {
      const storage = new KnexStorage({ knex: openDatabase(address) })
      storages.push(storage)
      return storage
    },
    dispose: async () => {
      for (const storage of storages) await storage.close()
      await remove()
    },
  }
}

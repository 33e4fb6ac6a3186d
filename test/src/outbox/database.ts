import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Knex } from 'knex'
import { KnexStorage, openPostgres, openSqlite } from '../../../adapters/knex/index.js'
import { temporaryFolder } from '../../temporary-folder.js'

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

/** Each database that the engine supports. A run without PostgreSQL leaves it out, and reports that at its start. */
export const DATABASES: readonly { readonly name: string; readonly open: () => Promise<TestDatabase> }[] = [
  { name: 'SQLite', open: openTestSqlite },
  ...(POSTGRES_URL === undefined ? [] : [{ name: 'PostgreSQL', open: () => openTestPostgres(POSTGRES_URL) }]),
]

/** Connections to an SQLite file, or to a PostgreSQL URL. */
function openDatabase(address: string): Knex {
  return address.startsWith('postgres') ? openPostgres(address) : openSqlite(address)
}

async function openTestSqlite(): Promise<TestDatabase> {
  const folder = await temporaryFolder()
  const address = join(folder.path, 'test.sqlite')
  return testDatabase('SQLite', address, async () => await folder.remove())
}

/** A database in a schema of its own. */
async function openTestPostgres(url: string): Promise<TestDatabase> {
  const schema = `test_${randomUUID().replaceAll('-', '')}`
  const admin = openPostgres(url, { maxConnections: 1 })
  await admin.raw('create schema ??', [schema])
  const address = new URL(url)
  address.searchParams.set('application_name', schema)
  address.searchParams.set('options', `-c search_path=${schema}`)
  return testDatabase('PostgreSQL', address.href, async () => {
    await admin.raw('drop schema ?? cascade', [schema])
    await admin.destroy()
  })
}

function testDatabase(name: string, address: string, remove: () => Promise<void>): TestDatabase {
  const knex = openDatabase(address)
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
      await knex.destroy()
      await remove()
    },
  }
}

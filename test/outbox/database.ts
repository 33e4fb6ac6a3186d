import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Knex } from 'knex'
import { KnexStorage, openPostgres, openSqlite } from '../../adapters/knex/index.js'
import { temporaryFolder } from '../temporary-folder.js'

/** A database that several engines, of this process or of others, can work on. */
export interface TestDatabase {
  readonly name: string
  /** Another storage on it, as another process would have. */
  storage(): KnexStorage
  /** The host's own way to it. */
  readonly knex: Knex
  /** For a child process: the argument that names it: a file of SQLite's, or a URL. */
  readonly address: string
  dispose(): Promise<void>
}

const POSTGRES_URL: string | undefined = process.env['ALCOVE_TEST_DATABASE_URL']

/** Each database that the engine runs on. PostgreSQL is left out where the run has none, which it says at its start. */
export const DATABASES: readonly { readonly name: string; readonly open: () => Promise<TestDatabase> }[] = [
  { name: 'SQLite', open: openTestSqlite },
  ...(POSTGRES_URL === undefined ? [] : [{ name: 'PostgreSQL', open: () => openTestPostgres(POSTGRES_URL) }]),
]

/** Connections to a file of SQLite's, or to a URL of PostgreSQL. */
function openDatabase(address: string): Knex {
  return address.startsWith('postgres') ? openPostgres(address) : openSqlite(address)
}

async function openTestSqlite(): Promise<TestDatabase> {
  const folder = await temporaryFolder()
  const address = join(folder.path, 'test.sqlite')
  return testDatabase('SQLite', address, async () => await folder.remove())
}

/** In a schema of its own, which is as good as a database. */
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

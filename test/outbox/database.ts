import { join } from 'node:path'
import type { Knex } from 'knex'
import { KnexStorage, openSqlite } from '../../adapters/knex/index.js'
import { temporaryFolder } from '../temporary-folder.js'

/** A database that several engines, of this process or of others, can work on. */
export interface TestDatabase {
  readonly name: string
  /** Another storage on it, as another process would have. */
  storage(): KnexStorage
  /** The host's own way to it. */
  readonly knex: Knex
  /** For a child process: the arguments that name it. */
  readonly address: string
  dispose(): Promise<void>
}

/** Each database that the engine runs on. */
export const DATABASES: readonly { readonly name: string; readonly open: () => Promise<TestDatabase> }[] = [
  { name: 'SQLite', open: openTestSqlite },
]

async function openTestSqlite(): Promise<TestDatabase> {
  const folder = await temporaryFolder()
  const address = join(folder.path, 'test.sqlite')
  const knex = openSqlite(address)
  const storages: KnexStorage[] = []
  return {
    name: 'SQLite',
    address,
    knex,
    storage: () => {
      const storage = new KnexStorage({ knex: openSqlite(address) })
      storages.push(storage)
      return storage
    },
    dispose: async () => {
      for (const storage of storages) await storage.close()
      await knex.destroy()
      await folder.remove()
    },
  }
}

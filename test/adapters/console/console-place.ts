import { randomUUID } from 'node:crypto'
import { openPostgres } from '../../../adapters/knex/index.js'
import type { LocalEngineOptions } from '../../../adapters/local/index.js'
import { PgVectorIndex } from '../../../adapters/pgvector/index.js'
import { startPglite } from '../../servers/pglite-server.js'
import { DATABASES } from '../../src/outbox/database.js'

/** A database for the engine of a test. */
export interface ConsolePlace {
  /** Options of each engine that opens it. */
  readonly options: () => Partial<LocalEngineOptions>
  readonly dispose: () => Promise<void>
}

const PLACES: Readonly<Record<string, () => Promise<ConsolePlace>>> = {
  SQLite: async () => ({ options: () => ({}), dispose: async () => undefined }),
  PostgreSQL: async () => {
    const kind = DATABASES.find(({ name }) => name === 'PostgreSQL')
    if (kind === undefined) throw new Error('there is no PostgreSQL: ALCOVE_TEST_DATABASE_URL names one')
    const [database, pglite] = [await kind.openEmpty(), await startPglite()]
    // The vectors are on another server, which allows one connection.
    const knex = openPostgres(pglite.url, { maxConnections: 1 })
    const tablePrefix = `t${randomUUID().replaceAll('-', '').slice(0, 20)}_`
    return {
      options: () => ({
        databaseUrl: database.address,
        vectorIndex: new PgVectorIndex({ knex, keepKnex: true, tablePrefix }),
      }),
      dispose: async () => {
        await knex.destroy()
        await pglite.dispose()
        await database.dispose()
      },
    }
  },
}

/**
 * Opens an empty database.
 *
 * @param name `SQLite` or `PostgreSQL`. Default: `ALCOVE_CONSOLE_DATABASE`, so that all tests of the console can run on
 *   PostgreSQL; without it, SQLite
 */
export async function openConsolePlace(
  name: string = process.env['ALCOVE_CONSOLE_DATABASE'] ?? 'SQLite',
): Promise<ConsolePlace> {
  const open = PLACES[name]
  if (open === undefined) throw new Error(`there is no place for ${name}`)
  return await open()
}

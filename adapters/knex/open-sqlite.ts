import knex, { type Knex } from 'knex'
import type { Database } from 'sqlite3'
import { SILENT_LOG } from './silent-log.js'

/** Readers beside the one writer. */
const MAX_CONNECTIONS = 4
/** How long a statement waits for another process's transaction. */
const BUSY_TIMEOUT_MS = 15_000

/**
 * Connections to an SQLite file, made if it is not there: write-ahead log,
 * every commit on the disk before it is acknowledged.
 */
export function openSqlite(filename: string): Knex {
  return knex({
    client: 'sqlite3',
    connection: { filename },
    useNullAsDefault: true,
    log: SILENT_LOG,
    pool: {
      min: 0,
      max: MAX_CONNECTIONS,
      afterCreate: (connection: Database, done: (error: Error | null, connection: Database) => void) => {
        const pragmas = [
          `pragma busy_timeout = ${BUSY_TIMEOUT_MS}`,
          'pragma journal_mode = wal',
          'pragma synchronous = full',
          'pragma foreign_keys = on',
        ]
        connection.exec(pragmas.join(';'), (error) => {
          done(error, connection)
        })
      },
    },
  })
}

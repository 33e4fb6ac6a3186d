import knex, { type Knex } from 'knex'
import type { Database } from 'sqlite3'
import { makeDatabaseFilePrivate } from '../node-kit/index.js'
import { SILENT_LOG } from './silent-log.js'

/** The one writer, and readers beside it. */
const SQLITE_CONNECTIONS = 4
/** Longest time that a statement waits for the transaction of another process. */
const BUSY_TIMEOUT_MS = 15_000

/**
 * Opens a pool of connections to an SQLite file, and creates the file if it is missing. It uses the write-ahead log,
 * and every commit is on the disk before it is acknowledged. Only the owner may read the file (mode 0600), the log and
 * the shared memory beside it: SQLite creates these with the mode of the file.
 */
export function openSqlite(filename: string): Knex {
  if (filename !== ':memory:' && filename !== '') makeDatabaseFilePrivate(filename)
  return knex({
    client: 'sqlite3',
    connection: { filename },
    useNullAsDefault: true,
    log: SILENT_LOG,
    pool: {
      min: 0,
      max: SQLITE_CONNECTIONS,
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

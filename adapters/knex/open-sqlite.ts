import { chmodSync, closeSync, openSync, statSync } from 'node:fs'
import knex, { type Knex } from 'knex'
import type { Database } from 'sqlite3'
import { SILENT_LOG } from './silent-log.js'

/** Readers beside the one writer. */
const MAX_CONNECTIONS = 4
/** How long a statement waits for another process's transaction. */
const BUSY_TIMEOUT_MS = 15_000
/** A database is for the engine's user alone. */
const FILE_MODE = 0o600

/**
 * Connections to an SQLite file, made if it is not there: write-ahead log,
 * every commit on the disk before it is acknowledged. The file is for its owner alone (mode 0600), and so are the
 * log and the shared memory beside it, which SQLite makes with the mode of the file.
 */
export function openSqlite(filename: string): Knex {
  makePrivate(filename)
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

/** SQLite itself makes a file as the process's umask has it. A file that cannot be made is for SQLite to report. */
function makePrivate(filename: string): void {
  if (filename === ':memory:' || filename === '') return
  try {
    const isThere = statSync(filename, { throwIfNoEntry: false }) !== undefined
    // Whoever opens and closes a database ends the locks that this process has on it, by the rules of POSIX.
    if (!isThere) closeSync(openSync(filename, 'wx', FILE_MODE))
    if (((statSync(filename).mode & 0o777) | FILE_MODE) !== FILE_MODE) chmodSync(filename, FILE_MODE)
  } catch {
    // It cannot be made or changed by this user: what SQLite says of it is more than would be known here.
  }
}

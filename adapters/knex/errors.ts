import { AlcoveError, StorageError, StorageFullError } from '../../src/ports/index.js'

/** What the drivers say of themselves: SQLite's result names, PostgreSQL's SQLSTATE. */
const UNIQUE_VIOLATIONS: ReadonlySet<string> = new Set(['SQLITE_CONSTRAINT', '23505'])
const FULL_CODES: ReadonlySet<string> = new Set(['SQLITE_FULL', '53100'])
const PERMANENT_CODES: ReadonlySet<string> = new Set([
  'SQLITE_CORRUPT',
  'SQLITE_NOTADB',
  'SQLITE_READONLY',
  'SQLITE_CANTOPEN',
])
const EXPLANATIONS: Readonly<Record<string, string>> = {
  SQLITE_BUSY: 'the database is in use by another process for too long',
  SQLITE_IOERR: 'the database file cannot be read or written',
  SQLITE_CORRUPT: 'the database file is damaged; restore it from a backup',
  SQLITE_NOTADB: 'the database file is damaged; restore it from a backup',
  SQLITE_READONLY: 'the database file is read-only',
  SQLITE_CANTOPEN: 'the database file cannot be opened',
}

const POOL_EXHAUSTED =
  'no connection to the database came free in time: make the pool of knex larger; while a transaction of the host is ' +
  'open that has the last connection, await nothing of the engine but events.record with { transaction }'

/** Whether a statement failed because a row with the same unique values is there. */
export function isUniqueViolation(error: unknown): boolean {
  const code = codeOf(error)
  if (code === undefined || !UNIQUE_VIOLATIONS.has(code)) return false
  return code !== 'SQLITE_CONSTRAINT' || (error as Error).message.includes('UNIQUE constraint failed')
}

/** The core's errors pass; what the driver knows by a code becomes one of them, without the statement's values. */
export function translateError(error: unknown): Error {
  if (error instanceof AlcoveError) return error
  // By its name: the host may have a knex of its own.
  if (error instanceof Error && error.name === 'KnexTimeoutError') {
    return new StorageError(POOL_EXHAUSTED, { cause: error, isTransient: true })
  }
  const code = codeOf(error)
  if (code === undefined) return error instanceof Error ? error : new Error(String(error))
  if (FULL_CODES.has(code)) {
    return new StorageFullError('the disk with the database is full: make room, and it goes on', { cause: error })
  }
  const isTransient = !PERMANENT_CODES.has(code) && !isUniqueViolation(error)
  return new StorageError(EXPLANATIONS[code] ?? `the database failed (${code})`, { cause: error, isTransient })
}

/** Of SQLite's codes the first part: one driver gives `SQLITE_BUSY`, the other `SQLITE_BUSY_SNAPSHOT`. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  return /^(SQLITE_[A-Z]+|[0-9A-Z]{5}$|E[A-Z]+$)/.exec(error.code)?.[0]
}

import { AlcoveError, StorageError, StorageFullError } from '../../src/ports/index.js'

/** What the drivers say of themselves: SQLite's result names, PostgreSQL's SQLSTATE. */
const UNIQUE_VIOLATIONS: ReadonlySet<string> = new Set(['SQLITE_CONSTRAINT', '23505'])
const FULL_CODES: ReadonlySet<string> = new Set(['SQLITE_FULL', '53100'])
/** Serialization failure, and deadlock: nothing was written, and the same may succeed at once. */
const CONFLICT_CODES: ReadonlySet<string> = new Set(['40001', '40P01'])
/** Of OpenSSL and Node: a certificate that is not trusted. */
const UNTRUSTED_CODES = [
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_HAS_EXPIRED',
]
const PERMANENT_CODES: ReadonlySet<string> = new Set([
  ...UNTRUSTED_CODES,
  'SQLITE_CORRUPT',
  'SQLITE_NOTADB',
  'SQLITE_READONLY',
  'SQLITE_CANTOPEN',
  'SQLITE_CONSTRAINT',
  'SQLITE_MISMATCH',
  'SQLITE_TOOBIG',
  'SQLITE_RANGE',
])
/**
 * Classes of SQLSTATE that pass: connection, transaction rollback, resources, in use, operator intervention, system
 * error. What is wrong with a statement, its values or its rights stays wrong (PostgreSQL, Error Codes).
 */
const PASSING_CLASSES: ReadonlySet<string> = new Set(['08', '40', '53', '55', '57', '58'])
/** A transaction that was idle for too long, one that is read-only while a standby takes over, one that is aborted. */
const PASSING_STATES: ReadonlySet<string> = new Set(['25P03', '25006', '25P02'])
const UNTRUSTED =
  'the database server shows no certificate that is trusted here: name its authority with sslrootcert in the URL, or NODE_EXTRA_CA_CERTS'
const EXPLANATIONS: Readonly<Record<string, string>> = {
  SQLITE_BUSY: 'the database is in use by another process for too long',
  SQLITE_IOERR: 'the database file cannot be read or written',
  SQLITE_CORRUPT: 'the database file is damaged; restore it from a backup',
  SQLITE_NOTADB: 'the database file is damaged; restore it from a backup',
  SQLITE_READONLY: 'the database file is read-only',
  SQLITE_CANTOPEN: 'the database file cannot be opened',
  ECONNREFUSED: 'nothing listens where the database should be: is it running, and is its address right?',
  ENOTFOUND: 'the name of the database server is not known',
  '28P01': 'the database refuses the user or the password',
  ...Object.fromEntries(UNTRUSTED_CODES.map((code) => [code, UNTRUSTED])),
  '28000': 'the database refuses the user, or a connection like this one',
  '3D000': 'there is no database of that name on the server: create it first',
  '42501': 'the database user lacks a right: grant it on the schema and on the tables of the engine',
  '53300': 'the database server has no connection left: let it take more, or give each process fewer',
  '57P01': 'the database server is being stopped',
  '57P03': 'the database server is starting, or being stopped',
  '25006': 'the database takes no changes: it is a standby, or was set to read only',
}
const NO_TLS = 'The server does not support SSL connections'
const CONNECTION_LOST = 'the connection to the database was lost'

const POOL_EXHAUSTED =
  'no connection to the database came free in time: make the pool of knex larger; while a transaction of the host is ' +
  'open that has the last connection, await nothing of the engine but events.record with { transaction }'

/** Whether a statement failed because a row with the same unique values is there. */
export function isUniqueViolation(error: unknown): boolean {
  const code = codeOf(error)
  if (code === undefined || !UNIQUE_VIOLATIONS.has(code)) return false
  return code !== 'SQLITE_CONSTRAINT' || (error as Error).message.includes('UNIQUE constraint failed')
}

/** Whether another transaction came between, so that this one was taken back. */
export function isConflict(error: unknown): boolean {
  return CONFLICT_CODES.has(codeOf(error) ?? '')
}

/** The core's errors pass; what the driver knows by a code becomes one of them, without the statement's values. */
export function translateError(error: unknown): Error {
  if (error instanceof AlcoveError) return error
  // By its name: the host may have a knex of its own.
  if (error instanceof Error && error.name === 'KnexTimeoutError') {
    return new StorageError(POOL_EXHAUSTED, { cause: error, isTransient: true })
  }
  const code = codeOf(error)
  if (code === undefined) {
    if (error instanceof Error && error.message === NO_TLS) {
      const problem = 'the database server does not offer TLS: let it, or leave sslmode out of its URL'
      return new StorageError(problem, { cause: error, isTransient: false })
    }
    if (isConnectionLost(error)) return new StorageError(CONNECTION_LOST, { cause: error, isTransient: true })
    return error instanceof Error ? error : new Error(String(error))
  }
  if (FULL_CODES.has(code)) {
    return new StorageFullError('the disk with the database is full: make room, and it goes on', { cause: error })
  }
  const isTransient = isPassing(code)
  return new StorageError(EXPLANATIONS[code] ?? `the database failed (${code})`, { cause: error, isTransient })
}

/** What a database does, its failures told as the core's errors. */
export async function translated<T>(work: PromiseLike<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw translateError(error)
  }
}

function isPassing(code: string): boolean {
  if (isSqlState(code)) return PASSING_CLASSES.has(code.slice(0, 2)) || PASSING_STATES.has(code)
  return !PERMANENT_CODES.has(code)
}

/** The driver of PostgreSQL tells it in words only, and knex puts the statement before them. */
const LOST =
  /(^| - )(connection (terminated|ended)[a-z ]*|timeout expired|query read timeout|client (was closed|has encountered a connection error) and is not queryable)$/i

function isConnectionLost(error: unknown): boolean {
  return error instanceof Error && LOST.test(error.message)
}

function isSqlState(code: string): boolean {
  return /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code)
}

/** Of SQLite's codes the first part: one driver gives `SQLITE_BUSY`, the other `SQLITE_BUSY_SNAPSHOT`. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  if (error.code in EXPLANATIONS) return error.code
  return /^(SQLITE_[A-Z]+|[0-9A-Z]{5}$|E[A-Z_]+$)/.exec(error.code)?.[0]
}

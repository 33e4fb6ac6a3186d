import { dirname } from 'node:path'
import { AlcoveError, asError, isError, StorageError, StorageFullError } from '../../src/ports/index.js'
import { diskCodeOf, diskErrorOf, codeOf as systemCodeOf } from '../node-kit/index.js'

/** The drivers' own codes: result names of SQLite, SQLSTATE of PostgreSQL. */
const UNIQUE_VIOLATIONS: ReadonlySet<string> = new Set(['SQLITE_CONSTRAINT', '23505'])
const FULL_CODES: ReadonlySet<string> = new Set(['SQLITE_FULL', '53100'])
/** Serialization failure and deadlock: nothing was written, and a retry may succeed at once. */
const CONFLICT_CODES: ReadonlySet<string> = new Set(['40001', '40P01'])
/** Codes of OpenSSL and Node for a certificate that is not trusted. */
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
  'SQLITE_CANTOPEN',
  'SQLITE_CONSTRAINT',
  'SQLITE_MISMATCH',
  'SQLITE_TOOBIG',
  'SQLITE_RANGE',
])
/**
 * Transient classes of SQLSTATE: connection, transaction rollback, resources, in use, operator intervention, system
 * error. An error in a statement, its values or its rights is permanent (source: PostgreSQL, Error Codes).
 */
const TRANSIENT_CLASSES: ReadonlySet<string> = new Set(['08', '40', '53', '55', '57', '58'])
/** A transaction that was idle for too long, is read-only while a standby takes over, or is aborted. */
const TRANSIENT_STATES: ReadonlySet<string> = new Set(['25P03', '25006', '25P02'])
const UNTRUSTED =
  'the certificate of the database server is not trusted: name its authority with sslrootcert in the URL, or with ' +
  'NODE_EXTRA_CA_CERTS'
const EXPLANATIONS: Readonly<Record<string, string>> = {
  SQLITE_BUSY: 'another process has locked the database for too long',
  SQLITE_IOERR: 'the database file cannot be read or written',
  SQLITE_CORRUPT: 'the database file is damaged; restore it from a backup',
  SQLITE_NOTADB: 'the database file is damaged; restore it from a backup',
  SQLITE_READONLY: 'the database file is read-only',
  SQLITE_CANTOPEN: 'the database file cannot be opened',
  ECONNREFUSED:
    'no database server answers at this address: check that it is running, and that host and port are right',
  ENOTFOUND: 'the host name of the database server cannot be resolved: correct it in the URL',
  '28P01': 'the database refuses the user or the password: correct them in the URL',
  ...Object.fromEntries(UNTRUSTED_CODES.map((code) => [code, UNTRUSTED])),
  '28000': 'the database refuses this user, or this kind of connection',
  '3D000': 'there is no database of that name on the server: create it first',
  '42501': 'the database user lacks a right: grant it on the schema and on the tables of the engine',
  '53300': 'the database server has no free connection: raise its limit, or give each process fewer connections',
  '57P01': 'the database server is shutting down',
  '57P03': 'the database server is starting or shutting down',
  '25006': 'the database is read-only: it is a standby, or was set to read-only',
}
const NO_TLS = 'The server does not support SSL connections'
const CONNECTION_LOST = 'the connection to the database was lost'

const POOL_EXHAUSTED =
  'no database connection became free in time: make the pool of knex larger; while a transaction of the host uses ' +
  'the last connection, await no call of the engine except events.record with { transaction }'

/** True if a statement failed because a row with the same unique values exists. */
export function isUniqueViolation(error: unknown): boolean {
  const code = codeOf(error)
  if (code === undefined || !UNIQUE_VIOLATIONS.has(code)) return false
  return code !== 'SQLITE_CONSTRAINT' || (error as Error).message.includes('UNIQUE constraint failed')
}

/** True if the database rolled a transaction back because of a concurrent one. */
export function isConflict(error: unknown): boolean {
  return CONFLICT_CODES.has(codeOf(error) ?? '')
}

/**
 * Translates the driver's errors to the core's. The message never has the statement's values. Errors of the core stay.
 */
export function translateError(error: unknown): Error {
  if (error instanceof AlcoveError) return error
  // Compared by name: the class may come from the host's own copy of knex.
  if (isError(error) && error.name === 'KnexTimeoutError') {
    return new StorageError(POOL_EXHAUSTED, { cause: error, isTransient: true })
  }
  const code = codeOf(error)
  if (code === undefined) {
    if (isError(error) && error.message === NO_TLS) {
      const problem = 'the database server does not offer TLS: enable it there, or remove sslmode from the URL'
      return new StorageError(problem, { cause: error, isTransient: false })
    }
    if (isConnectionLost(error)) return new StorageError(CONNECTION_LOST, { cause: error, isTransient: true })
    return asError(error)
  }
  if (FULL_CODES.has(code)) {
    return new StorageFullError('the disk with the database is full: free some space, then the work continues', {
      cause: error,
    })
  }
  const isTransient = isTransientCode(code)
  return new StorageError(EXPLANATIONS[code] ?? `the database failed (${code})`, { cause: error, isTransient })
}

/** As {@link translateError}. For a file of SQLite it finds out whether its disk is full or read-only. */
export async function explainError(error: unknown, file: string | undefined): Promise<Error> {
  const code = codeOf(error)
  if (file === undefined || code === undefined || error instanceof AlcoveError) return translateError(error)
  return diskErrorOf(await diskCodeOf(code, dirname(file)), 'database', error) ?? translateError(error)
}

/**
 * Awaits database work, and translates its errors to the core's.
 *
 * @param file the file of SQLite that the work writes, if it writes one
 */
export async function withTranslatedErrors<T>(work: PromiseLike<T>, file?: string): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw await explainError(error, file)
  }
}

function isTransientCode(code: string): boolean {
  if (isSqlState(code)) return TRANSIENT_CLASSES.has(code.slice(0, 2)) || TRANSIENT_STATES.has(code)
  return !PERMANENT_CODES.has(code)
}

/** The driver of PostgreSQL reports a lost connection only in the message. knex puts the statement in front of it. */
const CONNECTION_LOST_PATTERN =
  /(^| - )(connection (terminated|ended)[a-z ]*|timeout expired|query read timeout|client (was closed|has encountered a connection error) and is not queryable)$/i

function isConnectionLost(error: unknown): boolean {
  return isError(error) && CONNECTION_LOST_PATTERN.test(error.message)
}

function isSqlState(code: string): boolean {
  return /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code)
}

/** The code of an error. SQLite's codes are cut: one driver gives `SQLITE_BUSY`, the other `SQLITE_BUSY_SNAPSHOT`. */
function codeOf(error: unknown): string | undefined {
  const code = systemCodeOf(error) ?? ''
  if (code in EXPLANATIONS) return code
  return /^(SQLITE_[A-Z]+|[0-9A-Z]{5}$|E[A-Z_]+$)/.exec(code)?.[0]
}

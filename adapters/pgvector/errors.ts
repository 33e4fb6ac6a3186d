import {
  AlcoveError,
  isError,
  StorageError,
  StorageFullError,
  UnsupportedError,
  VectorsDamagedError,
} from '../../src/ports/index.js'
import { codeOf } from '../node-kit/index.js'

const UNDEFINED_TABLE = '42P01'
const QUERY_CANCELLED = '57014'
const INSUFFICIENT_PRIVILEGE = '42501'
const UNDEFINED_OBJECT = '42704'
const DISK_FULL = '53100'
/** A lock timeout, and a deadlock. */
const LOCKED: ReadonlySet<string> = new Set(['55P03', '40P01'])
/** A damaged page or index (source: PostgreSQL, Error Codes, class XX). */
const DAMAGED: ReadonlySet<string> = new Set(['XX001', 'XX002'])
/** Transient classes: connection, transaction rollback, resources, in use, operator intervention, system error. */
const TRANSIENT = /^(08|40|53|55|57|58|25P03|25P02|25006)/
const CONNECTION_LOST = /(connection (terminated|ended)[a-z ]*|timeout expired|query read timeout|is not queryable)$/i

/** True if another process has dropped the table. */
export function isTableMissing(error: unknown): boolean {
  return codeOf(error) === UNDEFINED_TABLE
}

/** True if a statement was cancelled. */
export function isCancelled(error: unknown): boolean {
  return codeOf(error) === QUERY_CANCELLED
}

/** True if the database user lacks a right. */
export function isRightMissing(error: unknown): boolean {
  return codeOf(error) === INSUFFICIENT_PRIVILEGE
}

/** True if another transaction has locked the table for too long. */
export function isLocked(error: unknown): boolean {
  return LOCKED.has(codeOf(error) ?? '')
}

/** Runs database work, and translates its errors to the core's. @param name the collection, for messages */
export async function withTranslatedErrors<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw translateError(name, error)
  }
}

function translateError(name: string, error: unknown): unknown {
  if (!isError(error) || error instanceof AlcoveError) return error
  const code = codeOf(error)
  if (code === DISK_FULL) {
    return new StorageFullError('the disk with the vectors is full: free some space, then the work continues', {
      cause: error,
    })
  }
  if (code !== undefined && DAMAGED.has(code)) {
    return new VectorsDamagedError(
      `the vectors of ${name} are damaged: run "alcove doctor --repair" to build them again from the documents`,
      { cause: error },
    )
  }
  if (code === UNDEFINED_OBJECT) {
    return new UnsupportedError(
      'the type "vector" was not found: add the schema of the extension to the search_path of the database user',
      { cause: error },
    )
  }
  const isTransient = code === undefined ? isConnectionLost(error) : TRANSIENT.test(code) || /^E[A-Z]+$/.test(code)
  if (code === undefined && !isTransient) return error
  return new StorageError(`the database with the vectors failed (${code ?? 'no connection'})`, {
    cause: error,
    isTransient,
  })
}

function isConnectionLost(error: Error): boolean {
  return error.name === 'KnexTimeoutError' || CONNECTION_LOST.test(error.message)
}

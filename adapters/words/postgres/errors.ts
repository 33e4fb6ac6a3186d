import { AlcoveError, isError, StorageError, StorageFullError, VectorsDamagedError } from '../../../src/ports/index.js'
import { codeOf } from '../../node-kit/index.js'

const UNDEFINED_TABLE = '42P01'
const FULL = '53100'
/** A lock that was not free in time, and a deadlock. */
const IN_USE: ReadonlySet<string> = new Set(['55P03', '40P01'])
/** A page or an index that PostgreSQL cannot read (PostgreSQL, Error Codes, class XX). */
const DAMAGED: ReadonlySet<string> = new Set(['XX001', 'XX002'])
/** Classes of transient errors: connection, transaction rollback, resources, in use, operator intervention, system. */
const TRANSIENT_CODE = /^(08|40|53|55|57|58|25P03|25P02|25006)/
const LOST_CONNECTION = /(connection (terminated|ended)[a-z ]*|timeout expired|query read timeout|is not queryable)$/i

/** True if the table does not exist, because another process has dropped it. */
export function isTableMissing(error: unknown): boolean {
  return codeOf(error) === UNDEFINED_TABLE
}

/** True if another process uses the table for too long. */
export function isInUse(error: unknown): boolean {
  return IN_USE.has(codeOf(error) ?? '')
}

/** Runs work on a collection, and translates errors of the database into errors of the core. */
export async function withDatabaseErrors<T>(collection: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw translateError(collection, error)
  }
}

function translateError(collection: string, error: unknown): unknown {
  if (!isError(error) || error instanceof AlcoveError) return error
  const code = codeOf(error)
  if (code === FULL) {
    return new StorageFullError('the disk with the word index is full: free some space, then the work continues', {
      cause: error,
    })
  }
  if (code !== undefined && DAMAGED.has(code)) {
    return new VectorsDamagedError(
      `the word index of ${collection} is damaged: run "alcove doctor --repair" to build it again from the documents`,
      { cause: error },
    )
  }
  const isTransient = code === undefined ? isConnectionLost(error) : TRANSIENT_CODE.test(code) || /^E[A-Z]+$/.test(code)
  if (code === undefined && !isTransient) return error
  return new StorageError(`the database with the word index failed (${code ?? 'no connection'})`, {
    cause: error,
    isTransient,
  })
}

function isConnectionLost(error: Error): boolean {
  return error.name === 'KnexTimeoutError' || LOST_CONNECTION.test(error.message)
}

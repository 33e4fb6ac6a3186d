import { AlcoveError, isError, StorageError, StorageFullError, VectorsDamagedError } from '../../../src/ports/index.js'
import { codeOf } from '../system.js'

const UNDEFINED_TABLE = '42P01'
const DISK_FULL = '53100'
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

/** The words of messages about an index. */
export interface IndexedData {
  /** Such as `the vectors`. */
  readonly data: string
  /** Such as `the vectors of context-1 are damaged`. */
  readonly damage: string
}

/** Translates an error of PostgreSQL in work on an index into an error of the core. */
export function translateDatabaseError(error: unknown, { data, damage }: IndexedData): unknown {
  if (!isError(error) || error instanceof AlcoveError) return error
  const code = codeOf(error)
  if (code === DISK_FULL) {
    return new StorageFullError(`the disk with ${data} is full: free some space, then the work continues`, {
      cause: error,
    })
  }
  if (code !== undefined && DAMAGED.has(code)) {
    const advice = 'run "alcove doctor --repair" to build the index again from the documents'
    return new VectorsDamagedError(`${damage}: ${advice}`, { cause: error })
  }
  const isTransient = code === undefined ? isConnectionLost(error) : TRANSIENT_CODE.test(code) || /^E[A-Z]+$/.test(code)
  if (code === undefined && !isTransient) return error
  return new StorageError(`the database with ${data} failed (${code ?? 'no connection'})`, {
    cause: error,
    isTransient,
  })
}

function isConnectionLost(error: Error): boolean {
  return error.name === 'KnexTimeoutError' || LOST_CONNECTION.test(error.message)
}

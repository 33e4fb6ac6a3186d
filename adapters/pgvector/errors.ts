import {
  AlcoveError,
  StorageError,
  StorageFullError,
  UnsupportedError,
  VectorsDamagedError,
} from '../../src/ports/index.js'

const UNDEFINED_TABLE = '42P01'
const CANCELLED = '57014'
const NO_RIGHT = '42501'
const NO_TYPE = '42704'
const FULL = '53100'
/** A lock that did not come free in time, and a deadlock. */
const IN_USE: ReadonlySet<string> = new Set(['55P03', '40P01'])
/** A page, or an index, that cannot be read as what it should be (PostgreSQL, Error Codes, class XX). */
const DAMAGED: ReadonlySet<string> = new Set(['XX001', 'XX002'])
/** Classes that pass: connection, transaction rollback, resources, in use, operator intervention, system error. */
const PASSING = /^(08|40|53|55|57|58|25P03|25P02|25006)/
const LOST = /(connection (terminated|ended)[a-z ]*|timeout expired|query read timeout|is not queryable)$/i

/** Whether somebody has dropped the table meanwhile. */
export function isGone(error: unknown): boolean {
  return codeOf(error) === UNDEFINED_TABLE
}

/** Whether somebody has broken a statement off. */
export function isCancelled(error: unknown): boolean {
  return codeOf(error) === CANCELLED
}

/** Whether the database's user lacks a right. */
export function isWithoutRight(error: unknown): boolean {
  return codeOf(error) === NO_RIGHT
}

/** Whether somebody else works with the table for too long. */
export function isInUse(error: unknown): boolean {
  return IN_USE.has(codeOf(error) ?? '')
}

/** What the database does with a collection, its failures told as the core's errors. */
export async function inDatabase<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw translateError(name, error)
  }
}

function translateError(name: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AlcoveError) return error
  const code = codeOf(error)
  if (code === FULL) {
    return new StorageFullError('the disk with the vectors is full: make room, and it goes on', { cause: error })
  }
  if (code !== undefined && DAMAGED.has(code)) {
    return new VectorsDamagedError(
      `the vectors of ${name} are damaged: "alcove doctor --repair" makes them again from the documents`,
      { cause: error },
    )
  }
  if (code === NO_TYPE) {
    return new UnsupportedError(
      'the type "vector" is not found: have the schema of the extension in the search_path of the database\'s user',
      { cause: error },
    )
  }
  const isTransient = code === undefined ? isConnectionLost(error) : PASSING.test(code) || /^E[A-Z]+$/.test(code)
  if (code === undefined && !isTransient) return error
  return new StorageError(`the database with the vectors failed (${code ?? 'no connection'})`, {
    cause: error,
    isTransient,
  })
}

function isConnectionLost(error: Error): boolean {
  return error.name === 'KnexTimeoutError' || LOST.test(error.message)
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

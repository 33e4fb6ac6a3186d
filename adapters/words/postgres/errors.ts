import { AlcoveError, StorageError, StorageFullError, VectorsDamagedError } from '../../../src/ports/index.js'

const UNDEFINED_TABLE = '42P01'
const FULL = '53100'
/** A lock that did not come free in time, and a deadlock. */
const IN_USE: ReadonlySet<string> = new Set(['55P03', '40P01'])
/** A page, or an index, that PostgreSQL cannot read (PostgreSQL, Error Codes, class XX). */
const DAMAGED: ReadonlySet<string> = new Set(['XX001', 'XX002'])
/** Classes of errors that pass: connection, transaction rollback, resources, in use, operator intervention, system. */
const PASSING = /^(08|40|53|55|57|58|25P03|25P02|25006)/
const LOST = /(connection (terminated|ended)[a-z ]*|timeout expired|query read timeout|is not queryable)$/i

/** Whether the table does not exist, because somebody dropped it. */
export function isGone(error: unknown): boolean {
  return codeOf(error) === UNDEFINED_TABLE
}

/** Whether somebody else works with the table for too long. */
export function isInUse(error: unknown): boolean {
  return IN_USE.has(codeOf(error) ?? '')
}

/** Runs work on a collection, and translates errors of the database to errors of the core. */
export async function inDatabase<T>(collection: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw translateError(collection, error)
  }
}

function translateError(collection: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AlcoveError) return error
  const code = codeOf(error)
  if (code === FULL) {
    return new StorageFullError('the disk with the word index is full: make room, and it goes on', { cause: error })
  }
  if (code !== undefined && DAMAGED.has(code)) {
    return new VectorsDamagedError(
      `the word index of ${collection} is damaged: "alcove doctor --repair" makes it again from the documents`,
      { cause: error },
    )
  }
  const isTransient = code === undefined ? isConnectionLost(error) : PASSING.test(code) || /^E[A-Z]+$/.test(code)
  if (code === undefined && !isTransient) return error
  return new StorageError(`the database with the word index failed (${code ?? 'no connection'})`, {
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

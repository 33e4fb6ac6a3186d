import { AlcoveError, isError, StorageError, VectorsDamagedError } from '../../src/ports/index.js'
import { codeOf, diskErrorOf, isCode } from '../node-kit/index.js'

/** Lance gives the system's error as words and as a number. */
const DISK_FULL = /no space left on device|disk quota exceeded|\(os error (28|122)\)/i
const READ_ONLY = /read-only file ?system|ReadOnlyFilesystem|\(os error 30\)/i
/**
 * Errors that a retry may not have: a failing disk, too many open files, too little memory, a busy device, a folder
 * that another process still writes to.
 */
const TRANSIENT =
  /panic in async function|input\/output error|too many open files|\(os error (4|5|11|12|16|23|24|39|110|116)\)/i
/** Every other error of the system has a number. */
const SYSTEM_ERROR = /([\w ,/-]+) \(os error (\d+)\)/i
/** Numbers that mean a damaged table: a file is missing, or something else is in its place. */
const DAMAGED_NUMBERS: ReadonlySet<string> = new Set(['2', '20', '21'])
/** Messages of Lance that do not mean a damaged file. */
const NOT_DAMAGED = /commit conflict|is closed|cancell?ed|interrupted|timed? ?out|resources exhausted|out of memory/i

/** Runs work on the disk, and translates its errors into errors of the core. Other errors pass unchanged. */
export async function withStorageErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw translateError(error)
  }
}

/**
 * As {@link withStorageErrors}, for reads of a collection: if Lance cannot read its files, throws a
 * VectorsDamagedError.
 */
export async function withReadErrors<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isDamage(error)) throw translateError(error)
    throw new VectorsDamagedError(
      `the vectors of ${name} are damaged: run "alcove doctor --repair" to build them again from the documents`,
      { cause: error },
    )
  }
}

function translateError(error: unknown): unknown {
  if (!isError(error) || error instanceof AlcoveError) return error
  const diskError = diskErrorOf(diskCodeOf(error), 'vectors', error)
  if (diskError !== undefined) return diskError
  const message = messageOf(error)
  const [, words = '', number] = SYSTEM_ERROR.exec(message) ?? []
  const isTransient = TRANSIENT.test(message)
  if (number === undefined && !isTransient) return error
  const detail = number === undefined ? '' : `: ${words.trim()} (os error ${number})`
  return new StorageError(`the disk cannot read or write the vectors${detail}`, { cause: error, isTransient })
}

/** The message, in Lance's form also where Node reports an error of the system: its words, and its number. */
function messageOf(error: Error): string {
  const [, words] = /^E[A-Z0-9]+: ([^,]+),/.exec(error.message) ?? []
  const number = 'errno' in error ? error.errno : undefined
  return words === undefined || typeof number !== 'number' ? error.message : `${words} (os error ${-number})`
}

/** The code of the system for an error about the disk. A folder for temporary files fails with an error of Node. */
function diskCodeOf(error: Error): string | undefined {
  if (DISK_FULL.test(error.message)) return 'ENOSPC'
  return READ_ONLY.test(error.message) ? 'EROFS' : codeOf(error)
}

/**
 * Lance has no error for damage. So an error counts as damage if neither the system nor a known condition explains it.
 */
function isDamage(error: unknown): boolean {
  if (!isError(error) || error instanceof AlcoveError) return false
  const isNative = isCode(error, 'GenericFailure')
  const { message } = error
  if (
    !isNative ||
    diskErrorOf(diskCodeOf(error), 'vectors', error) !== undefined ||
    TRANSIENT.test(message) ||
    NOT_DAMAGED.test(message)
  )
    return false
  const number = SYSTEM_ERROR.exec(message)?.[2]
  return number === undefined || DAMAGED_NUMBERS.has(number)
}

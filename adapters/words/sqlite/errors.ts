import { AlcoveError, isError, StorageError, StorageFullError, VectorsDamagedError } from '../../../src/ports/index.js'
import { codeOf as systemCodeOf } from '../../node-kit/index.js'

const FULL: ReadonlySet<string> = new Set(['SQLITE_FULL', 'ENOSPC', 'EDQUOT'])
/** `SQLITE_ERROR` means a missing table, because the statements are correct. */
const DAMAGED: ReadonlySet<string> = new Set(['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_ERROR'])
/** Errors that a retry does not solve. Not `SQLITE_CANTOPEN`: the process may have too many open files. */
const PERMANENT: ReadonlySet<string> = new Set([
  'SQLITE_READONLY',
  'SQLITE_TOOBIG',
  'SQLITE_CONSTRAINT',
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOTDIR',
])
const EXPLANATIONS: Readonly<Record<string, string>> = {
  SQLITE_BUSY: 'another process keeps it locked for too long',
  SQLITE_IOERR: 'it cannot be read or written',
  SQLITE_READONLY: 'it is read-only',
  SQLITE_CANTOPEN: 'it cannot be opened',
}

/** Runs work on a collection, and translates errors of SQLite and of the file system into errors of the core. */
export async function withFileErrors<T>(collection: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw translateError(collection, error)
  }
}

function translateError(collection: string, error: unknown): unknown {
  if (!isError(error) || error instanceof AlcoveError) return error
  const code = codeOf(error)
  if (code === undefined) return error
  if (FULL.has(code)) {
    return new StorageFullError('the disk with the words is full: free some space, then the work continues', {
      cause: error,
    })
  }
  if (DAMAGED.has(code)) {
    return new VectorsDamagedError(
      `the words of ${collection} are damaged: run "alcove doctor --repair" to build them again from the documents`,
      { cause: error },
    )
  }
  return new StorageError(`the file with the words of ${collection} failed: ${EXPLANATIONS[code] ?? code}`, {
    cause: error,
    isTransient: !PERMANENT.has(code),
  })
}

/**
 * The error's code. SQLite's codes are cut to their first part, such as `SQLITE_IOERR`; codes of the system are whole,
 * such as `ENOSPC`.
 */
function codeOf(error: Error): string | undefined {
  return /^(SQLITE_[A-Z]+|E[A-Z]+$)/.exec(systemCodeOf(error) ?? '')?.[0]
}

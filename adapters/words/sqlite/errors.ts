import { AlcoveError, isError, StorageError, VectorsDamagedError } from '../../../src/ports/index.js'
import { diskCodeOf, diskErrorOf, codeOf as systemCodeOf } from '../../node-kit/index.js'

/** `SQLITE_ERROR` means a missing table, because the statements are correct. */
const DAMAGED: ReadonlySet<string> = new Set(['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_ERROR'])
/** Errors that a retry does not solve. Not `SQLITE_CANTOPEN`: the process may have too many open files. */
const PERMANENT: ReadonlySet<string> = new Set(['SQLITE_TOOBIG', 'SQLITE_CONSTRAINT', 'EACCES', 'EPERM', 'ENOTDIR'])
const EXPLANATIONS: Readonly<Record<string, string>> = {
  SQLITE_BUSY: 'another process keeps it locked for too long',
  SQLITE_IOERR: 'it cannot be read or written',
  SQLITE_READONLY: 'it is read-only',
  SQLITE_CANTOPEN: 'it cannot be opened',
}

/** Runs work on a collection, and translates errors of SQLite and of the file system into errors of the core. */
export async function withFileErrors<T>(folder: string, collection: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw await translateError(folder, collection, error)
  }
}

async function translateError(folder: string, collection: string, error: unknown): Promise<unknown> {
  if (!isError(error) || error instanceof AlcoveError) return error
  const code = codeOf(error)
  if (code === undefined) return error
  const diskError = diskErrorOf(await diskCodeOf(code, folder), 'words', error)
  if (diskError !== undefined) return diskError
  if (DAMAGED.has(code)) {
    return new VectorsDamagedError(
      `the words of ${collection} are damaged: a running engine builds them again from the documents by itself. If none runs, run "alcove doctor --repair"`,
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

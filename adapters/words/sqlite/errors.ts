import { AlcoveError, StorageError, StorageFullError, VectorsDamagedError } from '../../../src/ports/index.js'

const FULL: ReadonlySet<string> = new Set(['SQLITE_FULL', 'ENOSPC', 'EDQUOT'])
/** `SQLITE_ERROR`: a table is missing, for statements are right. */
const DAMAGED: ReadonlySet<string> = new Set(['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_ERROR'])
/** What trying again does not help against. Not `SQLITE_CANTOPEN`: there may be too many open files. */
const LASTING: ReadonlySet<string> = new Set([
  'SQLITE_READONLY',
  'SQLITE_TOOBIG',
  'SQLITE_CONSTRAINT',
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOTDIR',
])
const EXPLANATIONS: Readonly<Record<string, string>> = {
  SQLITE_BUSY: 'another process works with it for too long',
  SQLITE_IOERR: 'it cannot be read or written',
  SQLITE_READONLY: 'it is read-only',
  SQLITE_CANTOPEN: 'it cannot be opened',
}

/** Runs work on a collection, and translates errors of SQLite and of the file system to errors of the core. */
export async function onFile<T>(collection: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw translateError(collection, error)
  }
}

function translateError(collection: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AlcoveError) return error
  const code = codeOf(error)
  if (code === undefined) return error
  if (FULL.has(code)) {
    return new StorageFullError('the disk with the words is full: make room, and it goes on', { cause: error })
  }
  if (DAMAGED.has(code)) {
    return new VectorsDamagedError(
      `the words of ${collection} are damaged: "alcove doctor --repair" makes them again from the documents`,
      { cause: error },
    )
  }
  return new StorageError(`the file with the words of ${collection} failed: ${EXPLANATIONS[code] ?? code}`, {
    cause: error,
    isTransient: !LASTING.has(code),
  })
}

/** Of SQLite's codes the first part, such as `SQLITE_IOERR`; of the system's all, such as `ENOSPC`. */
function codeOf(error: Error): string | undefined {
  if (!('code' in error) || typeof error.code !== 'string') return undefined
  return /^(SQLITE_[A-Z]+|E[A-Z]+$)/.exec(error.code)?.[0]
}

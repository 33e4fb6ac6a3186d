import { FileMissingError, StorageError, StorageFullError } from '../../src/ports/index.js'

const FULL_CODES: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT'])
/** Operating systems have such codes; those of Node begin with `ERR_`. */
const SYSTEM_CODE = /^E[A-Z0-9]+$/
/** What trying again may help against. */
const PASSING: Readonly<Record<string, string>> = {
  EIO: 'the disk cannot read or write it',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EBUSY: 'it is in use',
  EAGAIN: 'the disk is busy',
  ETIMEDOUT: 'the disk does not answer',
}
const LASTING: Readonly<Record<string, string>> = {
  EACCES: 'the process may not read or write it: give its user the right to',
  EPERM: 'the process may not read or write it: give its user the right to',
  EROFS: 'the disk is read-only',
  ENOTDIR: 'something else is in the place of the folder',
  EISDIR: 'a folder is in the place of the file',
}

/** What the disk does, its failures told as the core's errors. */
export async function onDisk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw translateError(error)
  }
}

/** What the system says of a file, in whatever code; everything else passes. No path is told. */
function translateError(error: unknown): unknown {
  const code = codeOf(error)
  if (code === undefined || !SYSTEM_CODE.test(code)) return error
  if (FULL_CODES.has(code)) {
    return new StorageFullError('the disk with the files is full: make room, and it goes on', { cause: error })
  }
  const problem = PASSING[code] ?? LASTING[code]
  return new StorageError(`a file of the file store failed${problem === undefined ? '' : `: ${problem}`} (${code})`, {
    cause: error,
    // In doubt it is worth another try.
    isTransient: !(code in LASTING),
  })
}

/** As {@link translateError}; a file that is not there is told by its key. */
export function translateReadError(error: unknown, key: string): unknown {
  if (!isMissing(error)) return translateError(error)
  return new FileMissingError(`the file ${key} is not in the file store; restore it or delete its document`, {
    cause: error,
  })
}

export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT'
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

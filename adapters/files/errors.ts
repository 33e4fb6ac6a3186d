import { FileMissingError, StorageError } from '../../src/ports/index.js'
import { codeOf, diskErrorOf } from '../node-kit/index.js'

/** Codes of the operating system. Those of Node begin with `ERR_`. */
const SYSTEM_CODE = /^E[A-Z0-9]+$/
/** Transient errors: a retry may succeed. */
const TRANSIENT_PROBLEMS: Readonly<Record<string, string>> = {
  EIO: 'the disk cannot read or write it',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EBUSY: 'it is in use',
  EAGAIN: 'the disk is busy',
  ETIMEDOUT: 'the disk does not answer',
}
/** Permanent errors: a user must act. */
const PERMANENT_PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: 'the process may not read or write it: grant its user that right',
  EPERM: 'the process may not read or write it: grant its user that right',
  ENOTDIR: 'a file has the name of its folder: move that file away',
  EISDIR: 'a folder has its name: move that folder away',
}

/** Awaits work on the disk, and translates its errors to the core's. */
export async function withTranslatedErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw translateError(error)
  }
}

/** Translates errors of the operating system. The message never has a path. Other errors stay as they are. */
function translateError(error: unknown): unknown {
  const code = codeOf(error)
  if (code === undefined || !SYSTEM_CODE.test(code)) return error
  const diskError = diskErrorOf(code, 'files', error)
  if (diskError !== undefined) return diskError
  const problem = TRANSIENT_PROBLEMS[code] ?? PERMANENT_PROBLEMS[code]
  return new StorageError(`a file of the file store failed${problem === undefined ? '' : `: ${problem}`} (${code})`, {
    cause: error,
    // An unknown error is retried.
    isTransient: !(code in PERMANENT_PROBLEMS),
  })
}

/** As {@link translateError}, but reports a missing file by its key. */
export function translateReadError(error: unknown, key: string): unknown {
  if (!isMissing(error)) return translateError(error)
  return new FileMissingError(`the file ${key} is not in the file store; restore it or delete its document`, {
    cause: error,
  })
}

export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT'
}

import { BackupFailedError, StorageFullError } from '../../../src/index.js'
import { codeOf, diskCodeOf } from '../../node-kit/index.js'

/** A place in which the parts of a backup are copied. */
export interface CopyPlace {
  /** The folder for temporary files. */
  readonly tempFolder: string
  /** The path of the backup. */
  readonly file: string
  /** Ends the work; its reason is no error of the copy. */
  readonly signal?: AbortSignal
}

/**
 * Runs work that copies parts of the data folder into the folder for temporary files.
 *
 * @throws BackupFailedError that names the folder and the remedy, if its disk has no room for the copy
 */
export async function copying<T>({ tempFolder, file, signal }: CopyPlace, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (signal?.aborted === true || !(await isWithoutRoom(tempFolder, error))) throw error
    throw new BackupFailedError(
      `the backup ${file} failed: the disk with ${tempFolder} has no room for the copy of the data that a backup needs: free some space, or name a folder on another disk with tempDir (--temp-dir); no partial result remains`,
      { cause: error },
    )
  }
}

/** A copy writes to no other disk. A read of a full disk may fail too, with a code of SQLite that does not name the disk. */
async function isWithoutRoom(tempFolder: string, error: unknown): Promise<boolean> {
  const isFull = error instanceof StorageFullError
  const [code] = /^(SQLITE_[A-Z]+|E[A-Z]+$)/.exec(codeOf(isFull ? error.cause : error) ?? '') ?? []
  if (code === undefined) return isFull
  return ['ENOSPC', 'EDQUOT'].includes(await diskCodeOf(code, tempFolder))
}

import { randomUUID } from 'node:crypto'
import { accessSync, constants, existsSync } from 'node:fs'
import { open, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StorageError, StorageFullError, StorageReadOnlyError } from '../../src/ports/index.js'
import { codeOf, isCode } from './system.js'

const FULL_CODES: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT'])
/** More than SQLite needs at once to open a database: the first part of its shared memory. */
const PROBE_BYTES = 65_536

/**
 * The error of a disk that takes no data for now, by the code of the system; `undefined` for every other code.
 *
 * @param part what is on the disk, such as `files`
 */
export function diskErrorOf(
  code: string | undefined,
  part: string,
  cause: unknown,
): StorageFullError | StorageReadOnlyError | undefined {
  if (code === undefined) return undefined
  if (FULL_CODES.has(code)) {
    return new StorageFullError(`the disk with the ${part} is full: free some space, then the work continues`, {
      cause,
    })
  }
  if (code !== 'EROFS') return undefined
  return new StorageReadOnlyError(`the disk with the ${part} is read-only: make it writable, then the work continues`, {
    cause,
  })
}

/**
 * Finds out why a folder takes no data, by a file that it writes there and removes. Some libraries say no more than
 * that an input or output failed. A folder that does not exist is made in the nearest one above it, which is tried then.
 *
 * @returns the code of the system; `undefined` if the folder takes data
 */
async function findDiskFault(folder: string, bytes = PROBE_BYTES): Promise<string | undefined> {
  let existing = folder
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing)
  const probe = join(existing, `.probe-${randomUUID()}`)
  try {
    const file = await open(probe, 'wx', 0o600)
    try {
      await file.writeFile(new Uint8Array(bytes))
    } finally {
      await file.close()
    }
    return undefined
  } catch (error) {
    return isCode(error, 'ENOENT', 'ENOTDIR') ? undefined : codeOf(error)
  } finally {
    await unlink(probe).catch(() => undefined)
  }
}

/** SQLite's codes for a disk that takes no data, and for other faults too. */
const UNCLEAR_CODES: ReadonlySet<string> = new Set(['SQLITE_IOERR', 'SQLITE_READONLY', 'SQLITE_CANTOPEN'])

/**
 * The code of the system for an error of SQLite about a file in a folder. SQLite says that the input or output failed
 * where a disk has no room for its shared memory, or is read-only.
 */
export async function diskCodeOf(code: string, folder: string): Promise<string> {
  if (code === 'SQLITE_FULL') return 'ENOSPC'
  return (UNCLEAR_CODES.has(code) ? await findDiskFault(folder) : undefined) ?? code
}

/** False if an existing file may not be written, such as one on a disk that is read-only. */
export function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch (error) {
    return isCode(error, 'ENOENT')
  }
}

/**
 * Checks that a folder takes data, or can be made, by an empty file. A full disk passes, because reads go on.
 *
 * @param part what is there, such as `files`
 * @throws StorageReadOnlyError for a disk that is read-only; for another reason a StorageError
 */
export async function requireWritable(folder: string, part: string): Promise<void> {
  const code = await findDiskFault(folder, 0)
  if (code === undefined || FULL_CODES.has(code)) return
  throw (
    diskErrorOf(code, part, undefined) ??
    new StorageError(`the process cannot write the ${part} (${code}): grant its user that right`, { isTransient: true })
  )
}

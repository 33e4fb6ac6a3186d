import { randomUUID } from 'node:crypto'
import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs'
import { link, mkdir, open, readdir, rename, stat, statfs, unlink, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

const MODE = 0o600
/** A new file that only this user may read, flushed to the disk. */
const NEW_PRIVATE_FILE = { flag: 'wx', mode: MODE, flush: true }
/** The error codes of file systems without hard links. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL']

/**
 * Creates a file that only this user may read. The folder must exist. Two processes may create the file at the same
 * time: the first one wins, and none sees a half-written file. File systems without hard links cannot promise the
 * latter.
 *
 * @returns false if the file exists; it stays as it is
 */
export async function createPrivateFile(path: string, text: string): Promise<boolean> {
  const temporary = `${path}.${randomUUID()}`
  try {
    await writeFile(temporary, text, NEW_PRIVATE_FILE)
    // A link fails if the file exists.
    await link(temporary, path).catch(async (error: unknown) => {
      if (!isCode(error, ...NO_LINKS)) throw error
      await writeFile(path, text, NEW_PRIVATE_FILE)
    })
    return true
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false
    throw error
  } finally {
    await unlink(temporary).catch(() => undefined)
  }
}

/** Replaces a file that only this user may read. Other processes see the former content or the new one. */
export async function replacePrivateFile(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.${randomUUID()}`
  try {
    await writeFile(temporary, content, NEW_PRIVATE_FILE)
    await rename(temporary, path)
  } catch (error) {
    await unlink(temporary).catch(() => undefined)
    throw error
  }
}

/**
 * Creates a folder, and the folders above it, for this user alone. It makes one after the other. In /proc and
 * on some read-only disks, the system says of a new folder that it does not exist, and Node's `recursive` tries for ever.
 *
 * @returns the first folder that was created
 * @throws the error of the system
 */
export async function makeFolder(path: string): Promise<string | undefined> {
  const missing: string[] = []
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.unshift(at)
  if (missing.length === 0 && !statSync(path).isDirectory()) await mkdir(path)
  for (const folder of missing) {
    await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
      // Another process may make it at the same time.
      if (!isCode(error, 'EEXIST') || statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw error
    })
  }
  return missing[0]
}

/**
 * Creates an empty database file with mode 0600 if it is missing, and restricts the mode of an existing one, before
 * SQLite opens it: SQLite creates files with the umask of the process, and its log with the mode of the file. Never
 * throws: SQLite reports a file that it cannot open with a better message.
 */
export function makeDatabaseFilePrivate(path: string): void {
  try {
    const exists = statSync(path, { throwIfNoEntry: false }) !== undefined
    // An existing file is not opened: by the rules of POSIX, closing it would release all locks of this process on it.
    if (!exists) closeSync(openSync(path, 'wx', MODE))
    if (((statSync(path).mode & 0o777) | MODE) !== MODE) chmodSync(path, MODE)
  } catch {
    // The caller opens the file next and gets the error.
  }
}

/**
 * The code of a system, driver or library error, such as `ENOENT`. It tests no class: an error of another realm, such
 * as a test runner's, has another `Error`.
 */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

export function isCode(error: unknown, ...codes: readonly string[]): boolean {
  const code = codeOf(error)
  return code !== undefined && codes.includes(code)
}

/** @returns the free bytes of the disk with a folder @throws the error of the system, such as for a missing folder */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Sizes that are read at a time: the threads of Node are also for the work of the engine. */
const SIZES_AT_A_TIME = 2

/**
 * Adds up the sizes of all files below a folder. Files that are removed meanwhile do not count.
 *
 * @returns 0 for a missing folder
 * @throws the error of the system
 */
export async function usedBytesOf(folder: string): Promise<number> {
  const entries = await ifPresent(readdir(folder, { withFileTypes: true }), [])
  let bytes = 0
  const addNext = async (): Promise<void> => {
    for (let entry = entries.pop(); entry !== undefined; entry = entries.pop()) {
      const path = join(folder, entry.name)
      const size = entry.isDirectory() ? await usedBytesOf(path) : (await ifPresent(stat(path), undefined))?.size
      bytes += size ?? 0
    }
  }
  await Promise.all(Array.from({ length: SIZES_AT_A_TIME }, addNext))
  return bytes
}

/** @returns the result of a read; `missing` if the file or the folder does not exist */
export async function ifPresent<T, Missing>(reading: Promise<T>, missing: Missing): Promise<T | Missing> {
  return await reading.catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return missing
    throw error
  })
}

/**
 * Writes the entries of a folder to the disk, so that a new name in it survives a power cut. Windows cannot open
 * folders, and does not need this.
 */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined)
  // Some file systems refuse to sync a folder.
  await folder?.sync().catch(() => undefined)
  await folder?.close()
}

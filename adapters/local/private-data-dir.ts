import { chmod, mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DataDirUnusableError } from '../../src/index.js'
import { unusable } from './data-dir-lock.js'
import { isOwnName, MARKS } from './data-dir-names.js'
import { isCode } from './system-code.js'

/** Permissions of everybody but the owner. */
const OTHERS = 0o077
const STICKY = 0o1000
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
/** An empty volume has it. */
const NOBODYS: ReadonlySet<string> = new Set(['lost+found'])

/**
 * Makes a data folder for its owner alone (mode 0700), whatever the process's umask. Mends a data folder that others
 * can read, and what the engine keeps in it, up to the files that lie directly there. On Windows the folder's own
 * access list counts: nothing is changed.
 *
 * @throws DataDirUnusableError where the folder cannot be made, and where others can read it and that cannot be mended:
 *   it belongs to another user, or it holds things that are not the engine's and must not be closed to their readers
 */
export async function makePrivateDataDir(dataDir: string): Promise<void> {
  try {
    const firstMade = await mkdir(dataDir, { recursive: true, mode: FOLDER_MODE })
    if (process.platform === 'win32') return
    if (firstMade !== undefined) await chmod(dataDir, FOLDER_MODE)
    const names = await readdir(dataDir)
    await closeFolder(dataDir, names)
    for (const name of names) if (isOwnName(name)) await closeEntry(dataDir, name)
  } catch (error) {
    throw error instanceof DataDirUnusableError ? error : unusable(dataDir, error)
  }
}

async function closeFolder(dataDir: string, names: readonly string[]): Promise<void> {
  const { mode } = await stat(dataDir)
  if ((mode & OTHERS) === 0) return
  const isOwn =
    names.some((name) => MARKS.includes(name)) || names.every((name) => NOBODYS.has(name) || isOwnName(name))
  // Only the sticky bit tells an empty /tmp from an empty volume.
  if ((mode & STICKY) !== 0) throw open(dataDir, mode, 'is a place for the files of all users')
  if (!isOwn) throw open(dataDir, mode, 'holds other things than those of the engine')
  await closed(dataDir, mode, FOLDER_MODE)
}

async function closeEntry(dataDir: string, name: string): Promise<void> {
  const path = join(dataDir, name)
  const found = await stat(path).catch((error: unknown) => {
    // The database's log goes with its last connection.
    if (isCode(error, 'ENOENT')) return undefined
    throw error
  })
  if (found === undefined || (found.mode & OTHERS) === 0) return
  await closed(path, found.mode, found.isDirectory() ? FOLDER_MODE : FILE_MODE)
}

async function closed(path: string, mode: number, newMode: number): Promise<void> {
  try {
    await chmod(path, newMode)
  } catch (error) {
    if (isCode(error, 'ENOENT')) return
    throw open(path, mode, 'belongs to another user', error)
  }
}

function open(path: string, mode: number, why: string, cause?: unknown): DataDirUnusableError {
  const shown = (mode & 0o7777).toString(8).padStart(4, '0')
  return new DataDirUnusableError(
    `others can read ${path} (mode ${shown}), and it ${why}: name a folder within it, which is made for you alone, or make it yours alone with "chmod 700"; nothing was changed`,
    { cause },
  )
}

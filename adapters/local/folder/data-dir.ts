import { chmod, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DataDirUnusableError } from '../../../src/index.js'
import { ifPresent, isCode, makeFolder } from '../../node-kit/index.js'
import { unusable } from './data-dir-lock.js'

/** Names in a data folder. A backup has the same names. */
export const DATABASE = 'alcove.sqlite'
export const VECTORS = 'vectors'
export const WORDS = 'words'
/** The file with the id of the folder's database. The database has the same id. */
export const DATABASE_ID = 'database-id'

/** The new name of a file or folder that a migration has copied. No engine uses it any more. */
export function formerName(path: string): string {
  return `${path}.migrated`
}

export async function pathExists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  )
}

/** A folder with one of these is a data folder, also if other files are in it. */
const MARKS: readonly string[] = [DATABASE, DATABASE_ID, 'alcove.lock']

const OWN_NAME =
  /^(alcove\..+|database-id|vectors|words|files|mail|models|keys|unfinished-backup-.+|\.unfinished-restore-.+)$/

/** Names in an empty volume. */
const VOLUME_NAMES: ReadonlySet<string> = new Set(['lost+found'])

/** The permissions of all users except the owner. */
const OTHERS = 0o077
const STICKY = 0o1000
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600

/**
 * Creates a data folder that only its owner may read (mode 0700), under every umask of the process. If others can
 * read an existing data folder, it changes the modes of the folder and of the engine's entries directly in it. On
 * Windows it changes nothing: the access list of the folder counts.
 *
 * @throws DataDirUnusableError if the folder cannot be created, or is a file. Also if others can read it and the mode must not
 *   change: it belongs to another user, or it contains other files, whose readers must keep their access
 */
export async function makePrivateDataDir(dataDir: string): Promise<void> {
  await requireNoFile(dataDir)
  try {
    const firstCreated = await makeFolder(dataDir)
    if (process.platform === 'win32') return
    if (firstCreated !== undefined) await chmod(dataDir, FOLDER_MODE)
    const names = await readdir(dataDir)
    await makeFolderPrivate(dataDir, names)
    for (const name of names) if (isOwnName(name)) await makeEntryPrivate(dataDir, name)
  } catch (error) {
    throw error instanceof DataDirUnusableError ? error : unusable(dataDir, error)
  }
}

/** @throws DataDirUnusableError if the path, or a folder above it, is a file */
export async function requireNoFile(dataDir: string): Promise<void> {
  for (let path = dataDir; ; path = dirname(path)) {
    const found = await stat(path).catch((error: unknown) => {
      if (isCode(error, 'ENOENT', 'ENOTDIR')) return undefined
      throw unusable(dataDir, error)
    })
    if (found?.isDirectory() === false) {
      const whole = path === dataDir ? '' : ` of the data folder ${dataDir}`
      throw new DataDirUnusableError(`${path}${whole} is a file: give a folder for the data`)
    }
    if (found !== undefined || dirname(path) === path) return
  }
}

async function makeFolderPrivate(dataDir: string, names: readonly string[]): Promise<void> {
  const { mode } = await stat(dataDir)
  if ((mode & OTHERS) === 0) return
  const isOwn =
    names.some((name) => MARKS.includes(name)) || names.every((name) => VOLUME_NAMES.has(name) || isOwnName(name))
  // Only the sticky bit distinguishes an empty /tmp from an empty volume.
  if ((mode & STICKY) !== 0) throw readableByOthers(dataDir, mode, 'is a folder for the files of all users')
  if (!isOwn) throw readableByOthers(dataDir, mode, 'contains files that are not the engine’s')
  await setMode(dataDir, mode, FOLDER_MODE)
}

async function makeEntryPrivate(dataDir: string, name: string): Promise<void> {
  const path = join(dataDir, name)
  // The last connection deletes the log of the database when it closes.
  const found = await ifPresent(stat(path), undefined)
  if (found === undefined || (found.mode & OTHERS) === 0) return
  await setMode(path, found.mode, found.isDirectory() ? FOLDER_MODE : FILE_MODE)
}

/** True if an engine keeps a file or folder of this name directly in its data folder. */
export function isOwnName(name: string): boolean {
  return OWN_NAME.test(name.replace(/\.migrated$/, ''))
}

async function setMode(path: string, mode: number, newMode: number): Promise<void> {
  try {
    await chmod(path, newMode)
  } catch (error) {
    if (isCode(error, 'ENOENT')) return
    throw readableByOthers(path, mode, 'belongs to another user', error)
  }
}

function readableByOthers(path: string, mode: number, reason: string, cause?: unknown): DataDirUnusableError {
  const octalMode = (mode & 0o7777).toString(8).padStart(4, '0')
  return new DataDirUnusableError(
    `other users can read ${path} (mode ${octalMode}), and it ${reason}: use a new folder inside it, or run "chmod 700" on it; nothing was changed`,
    { cause },
  )
}

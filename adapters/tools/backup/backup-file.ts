import { lstat, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { AlcoveError, BackupFailedError, InvalidInputError } from '../../../src/index.js'
import { isError } from '../../../src/ports/index.js'
import { codeOf, isCode } from '../../node-kit/index.js'

/**
 * The absolute path of a backup.
 * @throws InvalidInputError for a file that exists, is in the data folder, or whose folder does not exist
 */
export async function resolveBackupFile(
  { file, overwrite = false }: { readonly file?: unknown; readonly overwrite?: boolean },
  dataDir: string,
): Promise<string> {
  const absolutePath = backupFileOf(file)
  const parent = dirname(absolutePath)
  const folder = await realpath(parent).catch((error: unknown) => {
    throw new InvalidInputError('file', `the folder ${parent} does not exist: create it, or use another`, {
      cause: error,
    })
  })
  if (`${folder}${sep}`.startsWith(`${await realpath(dataDir)}${sep}`)) {
    throw new InvalidInputError(
      'file',
      `${absolutePath} is in the data folder and would be lost with it: use a path outside`,
    )
  }
  const path = join(folder, basename(absolutePath))
  if (!overwrite) await refuseExisting(path)
  else if (await isFolder(path))
    throw new InvalidInputError('file', `${path} is a folder: use the path of a file in it`)
  return path
}

/** Callers in plain JavaScript may pass any value. An empty path would mean the current folder. */
export function backupFileOf(file: unknown): string {
  if (typeof file === 'string' && file.trim() !== '') return resolve(file)
  throw new InvalidInputError('file', 'must be the path of a file, such as ./backup.tar')
}

/** Refuses a dead link too: it belongs to another program. */
async function refuseExisting(path: string): Promise<void> {
  const exists = await lstat(path).then(
    () => true,
    (error: unknown) => !isCode(error, 'ENOENT'),
  )
  if (exists) throw existing(path)
}

export function existing(path: string, cause?: unknown): InvalidInputError {
  return new InvalidInputError(
    'file',
    `${path} exists: use another file, or replace it with the option overwrite (--force)`,
    { cause },
  )
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full (ENOSPC): free some space',
  EDQUOT: 'the disk is full (EDQUOT): free some space',
  EROFS: 'the disk is read-only (EROFS): use another folder',
}

/** Turns a file system error into a sentence. Returns errors of the engine and abort reasons unchanged. */
export function explained(error: unknown, failure: string): unknown {
  if (error instanceof AlcoveError || !isError(error)) return error
  const code = codeOf(error)
  if (code === undefined || !/^E[A-Z]+$/.test(code)) return error
  const reason = REASONS[code] ?? error.message
  return new BackupFailedError(`${failure}: ${reason}; no partial result remains`, { cause: error })
}

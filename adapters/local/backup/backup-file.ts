import { lstat, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { AlcoveError, BackupFailedError, InvalidInputError } from '../../../src/index.js'
import { codeOf, isCode } from '../system-code.js'

/**
 * Where a backup is to be, as an absolute path.
 * @throws InvalidInputError for a file that is there, lies in the data folder, or has no folder
 */
export async function resolveBackupFile(
  { file, overwrite = false }: { readonly file?: unknown; readonly overwrite?: boolean },
  dataDir: string,
): Promise<string> {
  const given = backupFileOf(file)
  const folder = await realpath(dirname(given)).catch((error: unknown) => {
    throw new InvalidInputError('file', `the folder ${dirname(given)} is not there: make it first, or name another`, {
      cause: error,
    })
  })
  if (`${folder}${sep}`.startsWith(`${await realpath(dataDir)}${sep}`)) {
    throw new InvalidInputError(
      'file',
      `${given} is in the data folder, and would be lost with it: name a place outside`,
    )
  }
  const path = join(folder, basename(given))
  if (!overwrite) await refuseExisting(path)
  else if (await isFolder(path)) throw new InvalidInputError('file', `${path} is a folder: name a file in it`)
  return path
}

/** In plain JavaScript anything may come; an empty path would mean the current folder. */
export function backupFileOf(file: unknown): string {
  if (typeof file === 'string' && file.trim() !== '') return resolve(file)
  throw new InvalidInputError('file', 'must be the path of a file, such as ./backup.tar')
}

/** Also for a link that leads nowhere: it is somebody's. */
async function refuseExisting(path: string): Promise<void> {
  const isThere = await lstat(path).then(
    () => true,
    (error: unknown) => !isCode(error, 'ENOENT'),
  )
  if (isThere) throw existing(path)
}

export function existing(path: string, cause?: unknown): InvalidInputError {
  return new InvalidInputError(
    'file',
    `${path} is there already: name another file, or have it replaced by "overwrite", which is --force`,
    { cause },
  )
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/** What the file system says, as a sentence; the engine's own errors, and reasons of an abort, pass. */
export function explained(error: unknown, what: string): unknown {
  if (error instanceof AlcoveError || !(error instanceof Error)) return error
  const code = codeOf(error)
  if (code === undefined || !/^E[A-Z]+$/.test(code)) return error
  const reason = code === 'ENOSPC' || code === 'EDQUOT' ? `the disk is full (${code})` : error.message
  return new BackupFailedError(`${what}: ${reason}; nothing of it is left`, { cause: error })
}

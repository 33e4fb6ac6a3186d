import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BACKUP_JOB, type Storage } from '../../../src/ports/index.js'
import { removeLeftByRestores } from './unfinished-restore.js'

const PREFIX = 'unfinished-backup-'
/** The file in the staging folder with the path under which the backup is written. */
const NOTE = 'partial'
/** Only files with such a name are removed. */
const PARTIAL = /\.[0-9a-f]{12}\.partial$/

/** Creates a folder for the parts of a backup. In the data folder, which is the default, files are linked instead of copied. */
export async function makeStaging(tempFolder: string): Promise<string> {
  return await mkdtemp(join(tempFolder, PREFIX))
}

/**
 * Chooses a unique path in the folder of the backup, under which the backup is written. It is noted first, so that a
 * later process finds and removes the file of a killed backup.
 */
export async function choosePartial(staging: string, file: string): Promise<string> {
  const partial = `${file}.${randomBytes(6).toString('hex')}.partial`
  await writeFile(join(staging, NOTE), partial, { mode: 0o600 })
  return partial
}

/** Removes a staging folder, and the unfinished file of its backup. */
export async function removeStaging(staging: string): Promise<void> {
  const partial = await readFile(join(staging, NOTE), 'utf8').catch(() => '')
  if (PARTIAL.test(partial)) await rm(partial, { force: true }).catch(() => undefined)
  // The next backup or the next start retries after an error.
  await rm(staging, { recursive: true, force: true }).catch(() => undefined)
}

/** Removes the folders and files of killed backups and restores, unless a backup runs. */
export async function removeLeftStaging(dataDir: string, tempFolder: string, storage: Storage): Promise<void> {
  await removeLeftByRestores(dataDir)
  // Listed before the check: the folder of a backup that starts later is not in the list.
  const stagingFolders = await listStaging([dataDir, tempFolder])
  if (stagingFolders.length === 0) return
  if (await storage.read(({ jobs }) => jobs.isHeld(BACKUP_JOB))) return
  for (const staging of stagingFolders) await removeStaging(staging)
}

/** @param folders the data folder and that of temporary files: an earlier process may have had no other than the first */
export async function listStaging(folders: readonly string[]): Promise<readonly string[]> {
  const found: string[] = []
  for (const folder of new Set(folders)) {
    const names = await readdir(folder)
    found.push(...names.filter((name) => name.startsWith(PREFIX)).map((name) => join(folder, name)))
  }
  return found
}

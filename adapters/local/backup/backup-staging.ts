import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BACKUP_JOB, type Storage } from '../../../src/ports/index.js'
import { removeLeftByRestores } from './unfinished-restore.js'

const PREFIX = 'unfinished-backup-'
/** Tells, in the staging folder, where its backup is written. */
const NOTE = 'partial'
/** Removed is only what has a name of ours. */
const PARTIAL = /\.[0-9a-f]{12}\.partial$/

/** A folder in the data folder, and so on its disk, in which a backup is put together. */
export async function makeStaging(dataDir: string): Promise<string> {
  return await mkdtemp(join(dataDir, PREFIX))
}

/**
 * A name beside a backup's place that nobody else has, to write it under. It is noted first: of a backup that is
 * killed, it is found and removed with the staging folder.
 */
export async function choosePartial(staging: string, file: string): Promise<string> {
  const partial = `${file}.${randomBytes(6).toString('hex')}.partial`
  await writeFile(join(staging, NOTE), partial, { mode: 0o600 })
  return partial
}

/** Also what its backup has written elsewhere, where that did not come to its place. */
export async function removeStaging(staging: string): Promise<void> {
  const partial = await readFile(join(staging, NOTE), 'utf8').catch(() => '')
  if (PARTIAL.test(partial)) await rm(partial, { force: true }).catch(() => undefined)
  // What cannot be removed now is found by the next backup, or the next start.
  await rm(staging, { recursive: true, force: true }).catch(() => undefined)
}

/** Removes what backups and restores have left behind that were killed, unless one is being made. */
export async function removeLeftStaging(dataDir: string, storage: Storage): Promise<void> {
  await removeLeftByRestores(dataDir)
  // Listed first: one that is made after that is not in the list.
  const left = await listStaging(dataDir)
  if (left.length === 0) return
  if (await storage.read(({ jobs }) => jobs.isHeld(BACKUP_JOB))) return
  for (const staging of left) await removeStaging(staging)
}

export async function listStaging(dataDir: string): Promise<readonly string[]> {
  const names = await readdir(dataDir)
  return names.filter((name) => name.startsWith(PREFIX)).map((name) => join(dataDir, name))
}

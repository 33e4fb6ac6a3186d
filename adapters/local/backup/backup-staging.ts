import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { BACKUP_JOB, type Storage } from '../../../src/ports/index.js'

const PREFIX = 'unfinished-backup-'

/** A folder in the data folder, and so on its disk, in which a backup is put together. */
export async function makeStaging(dataDir: string): Promise<string> {
  return await mkdtemp(join(dataDir, PREFIX))
}

export async function removeStaging(staging: string): Promise<void> {
  // What cannot be removed now is found by the next backup, or the next start.
  await rm(staging, { recursive: true, force: true }).catch(() => undefined)
}

/** Removes what backups have left behind that were killed, unless one is being made. */
export async function removeLeftStaging(dataDir: string, storage: Storage): Promise<void> {
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

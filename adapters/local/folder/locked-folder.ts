import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DataDirLockedError } from '../../../src/index.js'
import { pathExists } from './data-dir.js'
import { type DataDirLock, lockDataDir } from './data-dir-lock.js'

/** The name of the subfolder for the files of a {@link LockedFolder}. */
export const CONTENT = 'content'
const MAX_TRIES = 5

/**
 * A folder with a lock that ends with its process, so that others recognise the folder of a killed process. Its files
 * are in a subfolder, beside the lock.
 */
export interface LockedFolder {
  readonly folder: string
  readonly lock: DataDirLock
}

/** @param prefix start of the name, which ends in six random characters */
export async function createLockedFolder(parent: string, prefix: string): Promise<LockedFolder> {
  for (let triesLeft = MAX_TRIES - 1; ; triesLeft -= 1) {
    const folder = await mkdtemp(join(parent, prefix))
    try {
      return { folder, lock: await lockNew(folder) }
    } catch (error) {
      // Another process may remove the folder before its lock is taken, because it looks like one of a killed process.
      const isTaken = error instanceof DataDirLockedError || !(await pathExists(folder))
      await rm(folder, { recursive: true, force: true }).catch(() => undefined)
      if (!isTaken || triesLeft === 0) throw error
    }
  }
}

/** Takes the lock of a folder. @returns undefined if a process holds it, or if the folder cannot be locked */
export async function lockLeftFolder(folder: string): Promise<DataDirLock | undefined> {
  return await lockDataDir(folder, { webhookAllow: [] }).catch(() => undefined)
}

async function lockNew(folder: string): Promise<DataDirLock> {
  const lock = await lockDataDir(folder, { webhookAllow: [] })
  try {
    await mkdir(join(folder, CONTENT), { mode: 0o700 })
    return lock
  } catch (error) {
    await lock.release()
    throw error
  }
}

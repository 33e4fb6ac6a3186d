import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DataDirLockedError } from '../../../src/index.js'
import { pathExists } from './data-dir.js'
import { type DataDirLock, lockDataDir } from './data-dir-lock.js'

/** The name of the subfolder for the files of a {@link LockedFolder}. */
export const CONTENT = 'content'
const MAX_TRIES = 5
const FORCED = { recursive: true, force: true } as const

/**
 * A folder with a lock that ends with its process, so that others recognise the folder of a killed process. Its files
 * are in a subfolder, beside the lock.
 */
export class LockedFolder {
  private constructor(
    readonly path: string,
    private readonly lock: DataDirLock,
  ) {}

  /** @param prefix start of the name, which ends in six random characters */
  static async create(parent: string, prefix: string): Promise<LockedFolder> {
    for (let triesLeft = MAX_TRIES - 1; ; triesLeft -= 1) {
      const path = await mkdtemp(join(parent, prefix))
      try {
        return new LockedFolder(path, await lockNew(path))
      } catch (error) {
        // Another process may remove the folder before its lock is taken, because it looks like one of a killed process.
        const isTaken = error instanceof DataDirLockedError || !(await pathExists(path))
        await rm(path, FORCED).catch(() => undefined)
        if (!isTaken || triesLeft === 0) throw error
      }
    }
  }

  /** Takes the folder of a killed process. @returns undefined if a process holds it, or if it cannot be locked */
  static async take(path: string): Promise<LockedFolder | undefined> {
    const lock = await lockDataDir(path, { webhookAllow: [] }).catch(() => undefined)
    return lock === undefined ? undefined : new LockedFolder(path, lock)
  }

  /** The subfolder for the files. It exists in a new folder. */
  get content(): string {
    return join(this.path, CONTENT)
  }

  /** The content goes first: a removal that is cut off leaves the lock file, and with it a folder that is recognised. */
  async remove(): Promise<void> {
    try {
      await rm(this.content, FORCED)
      // Windows cannot remove the lock file while it is open.
      if (process.platform !== 'win32') await rm(this.path, FORCED)
    } finally {
      await this.lock.release().catch(() => undefined)
    }
    await rm(this.path, FORCED)
  }
}

async function lockNew(path: string): Promise<DataDirLock> {
  const lock = await lockDataDir(path, { webhookAllow: [] })
  try {
    await mkdir(join(path, CONTENT), { mode: 0o700 })
    return lock
  } catch (error) {
    await lock.release()
    throw error
  }
}

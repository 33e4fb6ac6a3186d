import { readdir, rm, rmdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { AlreadyInitializedError, DataDirLockedError } from '../../src/index.js'
import { pathExists } from './data-dir.js'
import { findHolder } from './data-dir-lock.js'

/**
 * Runs the first work on a data folder. If that fails, everything that is new in the folder is removed, so that a second
 * try begins as the first one did. A folder that another process has, or has initialised meanwhile, stays as it is.
 *
 * @throws what the work throws
 */
export async function withNewDataDir<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const missing = await missingFolders(resolve(dataDir))
  const before = missing.length > 0 ? [] : await readdir(dataDir).catch(() => undefined)
  try {
    return await work()
  } catch (error) {
    const isOfOther = error instanceof DataDirLockedError || error instanceof AlreadyInitializedError
    if (!isOfOther && before !== undefined && (await findHolder(dataDir)) === undefined) {
      // The error of the work counts. A disk that is read-only keeps what is there.
      await removeNew(dataDir, new Set(before), missing).catch(() => undefined)
    }
    throw error
  }
}

/** The folders of a path that do not exist, the deepest first. */
async function missingFolders(path: string): Promise<string[]> {
  const missing: string[] = []
  for (let folder = path; !(await pathExists(folder)) && dirname(folder) !== folder; folder = dirname(folder))
    missing.push(folder)
  return missing
}

async function removeNew(dataDir: string, before: ReadonlySet<string>, madeFolders: readonly string[]): Promise<void> {
  const names = await readdir(dataDir)
  for (const name of names) if (!before.has(name)) await rm(join(dataDir, name), { recursive: true, force: true })
  for (const folder of madeFolders) await rmdir(folder)
}

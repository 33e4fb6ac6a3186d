import { readdir, rm, rmdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { AlreadyInitializedError } from '../../../src/index.js'
import { DATABASE, isOwnName, pathExists } from './data-dir.js'
import { wasLastHolder } from './data-dir-lock.js'

/**
 * Runs the first work on a data folder. If that fails, everything of the engine that is new in the folder is removed, so
 * that a second try begins as the first one did. A folder that had a database stays as it is, because its keys may
 * belong to that database. So does one that another process has, or has initialised meanwhile.
 *
 * @throws what the work throws
 */
export async function withNewDataDir<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const missing = await missingFolders(resolve(dataDir))
  const before = missing.length > 0 ? [] : await readdir(dataDir).catch(() => undefined)
  try {
    return await work()
  } catch (error) {
    const isNew = before?.includes(DATABASE) === false && !(error instanceof AlreadyInitializedError)
    // The error of the work counts. A disk that is read-only keeps what is there.
    if (isNew) await removeNew(dataDir, new Set(before), missing).catch(() => undefined)
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

/** Removes no file that somebody else has put there meanwhile, and so no folder that has such a file. */
async function removeNew(dataDir: string, before: ReadonlySet<string>, madeFolders: readonly string[]): Promise<void> {
  const own = (await wasLastHolder(dataDir)) ? (await readdir(dataDir)).filter(isOwnName) : []
  for (const name of own) if (!before.has(name)) await rm(join(dataDir, name), { recursive: true, force: true })
  for (const folder of madeFolders) await rmdir(folder)
}

import { mkdir, mkdtemp, readdir, realpath, rename, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { DataDirUnusableError } from '../../../src/index.js'
import { isCode, syncFolder } from './backup-archive-writer.js'
import { DATABASE } from './backup-format.js'

const UNFINISHED = '.unfinished-restore-'

/** Where a folder is put together before it comes to its place as a whole. */
export interface RestoreTarget {
  readonly folder: string
  /** Puts it in its place. */
  commit(): Promise<void>
  /** Leaves nothing behind. After {@link commit} it does nothing. */
  abandon(): Promise<void>
}

/** @throws DataDirUnusableError where something is there that is no empty folder */
export async function requireNothingThere(dataDir: string): Promise<void> {
  await namesThere(dataDir)
}

/**
 * A new folder, beside its place and then renamed; or in the folder where there is an empty one, which may be of
 * another disk or owner than that around it. Then what it holds is moved, the database last: without it, nothing
 * opens the folder.
 *
 * @throws DataDirUnusableError where something is there that is no empty folder
 */
export async function makeRestoreTarget(dataDir: string): Promise<RestoreTarget> {
  const isThere = (await namesThere(dataDir)) !== undefined
  if (isThere) {
    const place = await realpath(dataDir)
    const folder = await mkdtemp(join(place, UNFINISHED))
    return { folder, commit: async () => await moveOut(folder, place), abandon: async () => await remove(folder) }
  }
  await mkdir(dirname(dataDir), { recursive: true })
  const folder = await mkdtemp(join(dirname(dataDir), UNFINISHED))
  const commit = async (): Promise<void> => {
    await syncFolder(folder)
    // A folder that was made meanwhile is replaced where it is empty, and refused where it is not.
    await rename(folder, dataDir).catch((error: unknown) => {
      throw isCode(error, 'ENOTEMPTY') || isCode(error, 'EEXIST') ? occupied(dataDir) : error
    })
    await syncFolder(dirname(dataDir))
  }
  return { folder, commit, abandon: async () => await remove(folder) }
}

/** @returns `undefined` where there is no folder */
async function namesThere(dataDir: string): Promise<readonly string[] | undefined> {
  const names = await readdir(dataDir).catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return undefined
    if (isCode(error, 'ENOTDIR')) throw occupied(dataDir)
    throw error
  })
  if (names !== undefined && names.length > 0) throw occupied(dataDir)
  return names
}

async function moveOut(folder: string, place: string): Promise<void> {
  const others = (await readdir(place)).filter((name) => name !== basename(folder))
  if (others.length > 0) throw occupied(place)
  const names = await readdir(folder)
  for (const name of [...names.filter((one) => one !== DATABASE), DATABASE]) {
    await rename(join(folder, name), join(place, name))
  }
  await rmdir(folder)
  await syncFolder(place)
}

async function remove(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(() => undefined)
}

function occupied(dataDir: string): DataDirUnusableError {
  return new DataDirUnusableError(
    `${dataDir} is there already, and not an empty folder: restore to a new or an empty folder; nothing was changed`,
  )
}

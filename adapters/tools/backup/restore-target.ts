import { readdir, realpath, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { DataDirUnusableError } from '../../../src/index.js'
import { DATABASE, DATABASE_ID } from '../../local/folder/data-dir.js'
import type { LockedFolder } from '../../local/folder/locked-folder.js'
import {
  createUnfinished,
  leftByRestores,
  noteMoving,
  removeLeftByRestores,
  removeUnfinished,
} from '../../local/folder/unfinished-restore.js'
import { isCode, makeFolder, syncFolder } from '../../node-kit/index.js'

/** Moved first. No engine opens a folder with an id and no database. A refused engine would create keys if none exist. */
const FIRST = [DATABASE_ID, 'keys']

/** A folder that receives the files of a restore before it gets its final name. */
export interface RestoreTarget {
  readonly folder: string
  /** Gives the folder its final name. */
  commit(): Promise<void>
  /** Removes the folder. Does nothing after {@link commit}. */
  abandon(): Promise<void>
}

/**
 * A folder that contains only files of a killed restore counts as empty.
 *
 * @throws DataDirUnusableError if the path exists and is not an empty folder
 */
export async function requireNothingThere(dataDir: string): Promise<void> {
  const names = await namesIn(dataDir)
  if (names === undefined || names.length === 0) return
  const leftNames = await leftByRestores(dataDir)
  if (names.some((name) => !leftNames.includes(name))) throw occupied(dataDir)
}

/**
 * Creates the folder of a restore. It is beside the data folder and then renamed. If an empty data folder exists, it
 * is inside that folder, which may be on another disk or belong to another owner than its parent. Its files are then
 * moved, the id of the database first and the database last, so that no engine opens the folder in between. Files of
 * killed restores are removed first.
 *
 * @throws DataDirUnusableError if the path exists and is not an empty folder, or if another restore runs
 */
export async function makeRestoreTarget(dataDir: string): Promise<RestoreTarget> {
  await requireNothingThere(dataDir)
  if ((await namesIn(dataDir)) !== undefined) {
    const parent = await realpath(dataDir)
    await removeLeftByRestores(parent)
    if ((await namesIn(parent))?.length !== 0) throw occupied(dataDir)
    const unfinished = await createUnfinished(parent)
    return targetOf(unfinished, async () => await moveOut(unfinished, parent))
  }
  const parent = dirname(dataDir)
  await makeFolder(parent)
  await removeLeftByRestores(parent)
  const unfinished = await createUnfinished(parent)
  return targetOf(unfinished, async () => {
    await syncFolder(unfinished.content)
    // The data folder may have been created in the meantime. An empty one is replaced; another one is refused.
    await rename(unfinished.content, dataDir).catch((error: unknown) => {
      throw isCode(error, 'ENOTEMPTY', 'EEXIST') ? occupied(dataDir) : error
    })
    await syncFolder(parent)
  })
}

function targetOf(unfinished: LockedFolder, commit: () => Promise<void>): RestoreTarget {
  return { folder: unfinished.content, commit, abandon: async () => await removeUnfinished(unfinished) }
}

/** @returns `undefined` if the folder does not exist */
async function namesIn(dataDir: string): Promise<readonly string[] | undefined> {
  return await readdir(dataDir).catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return undefined
    if (isCode(error, 'ENOTDIR')) throw occupied(dataDir)
    throw error
  })
}

async function moveOut(unfinished: LockedFolder, dataDir: string): Promise<void> {
  const others = (await readdir(dataDir)).filter((name) => name !== basename(unfinished.path))
  if (others.length > 0) throw occupied(dataDir)
  const names = await readdir(unfinished.content)
  const rest = names.filter((name) => !FIRST.includes(name) && name !== DATABASE)
  const move = async (name: string): Promise<void> => {
    await rename(join(unfinished.content, name), join(dataDir, name))
  }
  await noteMoving(unfinished, names)
  for (const name of [...FIRST.filter((firstName) => names.includes(firstName)), ...rest]) await move(name)
  await syncFolder(dataDir)
  await move(DATABASE)
  await syncFolder(dataDir)
}

function occupied(dataDir: string): DataDirUnusableError {
  return new DataDirUnusableError(
    `${dataDir} exists and is not an empty folder: restore to a new or an empty folder; nothing was changed`,
  )
}

import { mkdir, readdir, realpath, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DataDirUnusableError } from '../../../src/index.js'
import { syncFolder } from '../../files/index.js'
import { DATABASE, DATABASE_ID } from '../data-dir-names.js'
import { isCode } from '../system-code.js'
import { leftByRestores, removeLeftByRestores, UnfinishedRestore } from './unfinished-restore.js'

/** With an id and no database, a folder is opened by nobody. An engine that is refused makes keys where there are none. */
const FIRST = [DATABASE_ID, 'keys']

/** Where a folder is put together before it comes to its place as a whole. */
export interface RestoreTarget {
  readonly folder: string
  /** Puts it in its place. */
  commit(): Promise<void>
  /** Leaves nothing behind. After {@link commit} it does nothing. */
  abandon(): Promise<void>
}

/**
 * A folder with nothing in it but what a killed restore has left is as an empty one.
 *
 * @throws DataDirUnusableError where something is there that is no empty folder
 */
export async function requireNothingThere(dataDir: string): Promise<void> {
  const names = await namesThere(dataDir)
  if (names === undefined || names.length === 0) return
  const left = await leftByRestores(dataDir)
  if (names.some((name) => !left.includes(name))) throw occupied(dataDir)
}

/**
 * A new folder, beside its place and then renamed; or in the folder where there is an empty one, which may be of
 * another disk or owner than that around it. Then what it holds is moved, the database's id first and the database
 * last: in between, nothing opens the folder. What killed restores have left is removed before.
 *
 * @throws DataDirUnusableError where something is there that is no empty folder, or another restore is under way
 */
export async function makeRestoreTarget(dataDir: string): Promise<RestoreTarget> {
  await requireNothingThere(dataDir)
  if ((await namesThere(dataDir)) !== undefined) {
    const place = await realpath(dataDir)
    await removeLeftByRestores(place)
    if ((await namesThere(place))?.length !== 0) throw occupied(dataDir)
    const unfinished = await UnfinishedRestore.make(place)
    return targetOf(unfinished, async () => await moveOut(unfinished, place))
  }
  const place = dirname(dataDir)
  await mkdir(place, { recursive: true, mode: 0o700 })
  await removeLeftByRestores(place)
  const unfinished = await UnfinishedRestore.make(place)
  return targetOf(unfinished, async () => {
    await syncFolder(unfinished.content)
    // A folder that was made meanwhile is replaced where it is empty, and refused where it is not.
    await rename(unfinished.content, dataDir).catch((error: unknown) => {
      throw isCode(error, 'ENOTEMPTY', 'EEXIST') ? occupied(dataDir) : error
    })
    await syncFolder(place)
  })
}

function targetOf(unfinished: UnfinishedRestore, commit: () => Promise<void>): RestoreTarget {
  return { folder: unfinished.content, commit, abandon: async () => await unfinished.remove() }
}

/** @returns `undefined` where there is no folder */
async function namesThere(dataDir: string): Promise<readonly string[] | undefined> {
  return await readdir(dataDir).catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return undefined
    if (isCode(error, 'ENOTDIR')) throw occupied(dataDir)
    throw error
  })
}

async function moveOut(unfinished: UnfinishedRestore, place: string): Promise<void> {
  const others = (await readdir(place)).filter((name) => name !== unfinished.name)
  if (others.length > 0) throw occupied(place)
  const names = await readdir(unfinished.content)
  const between = names.filter((name) => !FIRST.includes(name) && name !== DATABASE)
  const move = async (name: string): Promise<void> => {
    await rename(join(unfinished.content, name), join(place, name))
  }
  await unfinished.noteMoving(names)
  for (const name of [...FIRST.filter((one) => names.includes(one)), ...between]) await move(name)
  await syncFolder(place)
  await move(DATABASE)
  await syncFolder(place)
}

function occupied(dataDir: string): DataDirUnusableError {
  return new DataDirUnusableError(
    `${dataDir} is there already, and not an empty folder: restore to a new or an empty folder; nothing was changed`,
  )
}

import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { DataDirLockedError } from '../../../src/index.js'
import { COMMANDS_LOCK_FILE, type DataDirLock, HOLDER_FILE, LOCK_FILE, lockDataDir } from '../data-dir-lock.js'
import { DATABASE } from '../data-dir-names.js'
import { isCode } from '../system-code.js'

const PREFIX = '.unfinished-restore-'
const NAME = /^\.unfinished-restore-\w{6}$/
const CONTENT = 'content'
/** Names what is moved out of the content into the folder around, once that has begun. */
const MOVING = 'moving.json'
const LOCK_FILES = [LOCK_FILE, HOLDER_FILE, COMMANDS_LOCK_FILE]
/** A folder with anything else in it is somebody's, whatever its name. */
const OWN: ReadonlySet<string> = new Set([CONTENT, MOVING, ...LOCK_FILES])
const MOST_TRIES = 5

/**
 * A folder in which a restore is put together. The lock in it dies with its process: so others know one that was
 * left behind. What is restored lies a folder below, and comes to its place without the lock.
 */
export class UnfinishedRestore {
  readonly #folder: string
  readonly #lock: DataDirLock

  private constructor(folder: string, lock: DataDirLock) {
    this.#folder = folder
    this.#lock = lock
  }

  static async make(place: string): Promise<UnfinishedRestore> {
    for (let left = MOST_TRIES - 1; ; left -= 1) {
      const folder = await mkdtemp(join(place, PREFIX))
      try {
        return new UnfinishedRestore(folder, await lockNew(folder))
      } catch (error) {
        // Another restore may have taken it for one that was left behind, as nobody held its lock yet.
        const isTaken = error instanceof DataDirLockedError || (await namesIn(folder)) === undefined
        await rm(folder, { recursive: true, force: true }).catch(() => undefined)
        if (!isTaken || left === 0) throw error
      }
    }
  }

  get name(): string {
    return basename(this.#folder)
  }

  /** The folder for what is restored. */
  get content(): string {
    return join(this.#folder, CONTENT)
  }

  /** From now on, what has one of these names in the folder around has come out of here. */
  async noteMoving(names: readonly string[]): Promise<void> {
    await writeFile(join(this.#folder, MOVING), JSON.stringify(names), { mode: 0o600, flush: true })
  }

  async remove(): Promise<void> {
    await remove(this.#folder, this.#lock)
  }
}

/**
 * Names of what restores have left in a folder that were killed: the folders in which they were put together, and
 * what has come out of those, where that is not all. Some may be of a restore that is under way.
 */
export async function leftByRestores(place: string): Promise<readonly string[]> {
  const folders = await unfinishedIn(place)
  const moved = await Promise.all(folders.map((folder) => movedOutOf(folder)))
  return [...folders.map((folder) => basename(folder)), ...moved.flat()]
}

/** Removes what {@link leftByRestores} names and nobody works on. What cannot be removed stays. */
export async function removeLeftByRestores(place: string): Promise<void> {
  for (const folder of await unfinishedIn(place)) {
    const lock = await lockDataDir(folder, { webhookAllow: [] }).catch(() => undefined)
    if (lock !== undefined) await remove(folder, lock)
  }
}

async function unfinishedIn(place: string): Promise<readonly string[]> {
  const folders = ((await namesIn(place)) ?? []).filter((name) => NAME.test(name)).map((name) => join(place, name))
  const areOurs = await Promise.all(folders.map(isOurs))
  return folders.filter((_, index) => areOurs[index])
}

/** A folder of somebody else, or a link, could lead to any file. */
async function isOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined)
  if (found?.isDirectory() !== true || found.uid !== (process.getuid?.() ?? found.uid)) return false
  return ((await namesIn(folder)) ?? ['?']).every((name) => OWN.has(name))
}

/** The database comes last: where it is, all has come, and is not left behind. */
async function movedOutOf(folder: string): Promise<readonly string[]> {
  const [there = [], still = []] = [await namesIn(dirname(folder)), await namesIn(join(folder, CONTENT))]
  if (there.includes(DATABASE)) return []
  const moving = await readFile(join(folder, MOVING), 'utf8').then(parseNames, () => [])
  const moved = moving.filter((name) => there.includes(name) && !still.includes(name))
  // An engine that was refused such a folder has left its lock there.
  return moved.length === 0 ? [] : [...moved, ...LOCK_FILES.filter((name) => there.includes(name))]
}

function parseNames(json: string): readonly string[] {
  try {
    const names: unknown = JSON.parse(json)
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
  } catch {
    return []
  }
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

/** With what has come out of it, where that is not all. */
async function remove(folder: string, lock: DataDirLock): Promise<void> {
  const forced = { recursive: true, force: true }
  for (const name of await movedOutOf(folder)) await rm(join(dirname(folder), name), forced).catch(() => undefined)
  await rm(join(folder, MOVING), forced).catch(() => undefined)
  const removal = async (): Promise<void> => {
    await rm(folder, forced)
  }
  const isGone = await removal().then(
    () => true,
    () => false,
  )
  await lock.release().catch(() => undefined)
  // Where a file that is open cannot be removed (Windows).
  if (!isGone) await removal().catch(() => undefined)
}

/** @returns `undefined` where there is no such folder, or it cannot be read */
async function namesIn(folder: string): Promise<readonly string[] | undefined> {
  return await readdir(folder).catch((error: unknown) => {
    if (isCode(error, 'ENOENT', 'ENOTDIR', 'EACCES')) return undefined
    throw error
  })
}

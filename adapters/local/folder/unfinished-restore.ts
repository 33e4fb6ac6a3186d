import { lstat, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isCode } from '../../node-kit/index.js'
import { DATABASE } from './data-dir.js'
import { COMMANDS_LOCK_FILE, HOLDER_FILE, LOCK_FILE } from './data-dir-lock.js'
import { CONTENT, LockedFolder } from './locked-folder.js'

const PREFIX = '.unfinished-restore-'
const NAME = /^\.unfinished-restore-\w{6}$/
/** The file with the names that are being moved from the content to the parent folder. */
const MOVING = 'moving.json'
const LOCK_FILES = [LOCK_FILE, HOLDER_FILE, COMMANDS_LOCK_FILE]
/** A folder with other names in it belongs to another program, also if its own name fits. */
const OWN: ReadonlySet<string> = new Set([CONTENT, MOVING, ...LOCK_FILES])

/** Creates a folder that receives the files of a restore. */
export async function createUnfinished(parent: string): Promise<LockedFolder> {
  return await LockedFolder.create(parent, PREFIX)
}

/** Notes the names that are moved to the parent folder from now on. */
export async function noteMoving({ path }: LockedFolder, names: readonly string[]): Promise<void> {
  await writeFile(join(path, MOVING), JSON.stringify(names), { mode: 0o600, flush: true })
}

/** Removes the folder of a restore, and the files that a killed one had moved out of it. Ignores errors. */
export async function removeUnfinished(unfinished: LockedFolder): Promise<void> {
  const { path } = unfinished
  const forced = { recursive: true, force: true }
  for (const name of await movedOutOf(path)) await rm(join(dirname(path), name), forced).catch(() => undefined)
  await rm(join(path, MOVING), forced).catch(() => undefined)
  await unfinished.remove().catch(() => undefined)
}

/**
 * The names that killed restores have left in a folder: their own folders, and the files that they had moved out of
 * them. Some names may be of a restore that still runs.
 */
export async function leftByRestores(parent: string): Promise<readonly string[]> {
  const folders = await unfinishedIn(parent)
  const moved = await Promise.all(folders.map((folder) => movedOutOf(folder)))
  return [...folders.map((folder) => basename(folder)), ...moved.flat()]
}

/** Removes the names of {@link leftByRestores}, except those of running restores. Ignores errors. */
export async function removeLeftByRestores(parent: string): Promise<void> {
  for (const folder of await unfinishedIn(parent)) {
    const unfinished = await LockedFolder.take(folder)
    if (unfinished !== undefined) await removeUnfinished(unfinished)
  }
}

async function unfinishedIn(parent: string): Promise<readonly string[]> {
  const folders = ((await namesIn(parent)) ?? []).filter((name) => NAME.test(name)).map((name) => join(parent, name))
  const areOwn = await Promise.all(folders.map(isOwnFolder))
  return folders.filter((_, index) => areOwn[index])
}

/** False for a folder of another user and for a link: they could lead to any file. */
async function isOwnFolder(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined)
  if (found?.isDirectory() !== true || found.uid !== (process.getuid?.() ?? found.uid)) return false
  return ((await namesIn(folder)) ?? ['?']).every((name) => OWN.has(name))
}

/** The names that a killed restore moved to the parent. None if the database is there: it is moved last. */
async function movedOutOf(folder: string): Promise<readonly string[]> {
  const parentNames = (await namesIn(dirname(folder))) ?? []
  const remainingNames = (await namesIn(join(folder, CONTENT))) ?? []
  if (parentNames.includes(DATABASE)) return []
  const moving = await readFile(join(folder, MOVING), 'utf8').then(parseNames, () => [])
  const moved = moving.filter((name) => parentNames.includes(name) && !remainingNames.includes(name))
  // A refused engine may have left its lock files there.
  return moved.length === 0 ? [] : [...moved, ...LOCK_FILES.filter((name) => parentNames.includes(name))]
}

function parseNames(json: string): readonly string[] {
  try {
    const names: unknown = JSON.parse(json)
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
  } catch {
    return []
  }
}

/** @returns `undefined` if the folder does not exist or cannot be read */
async function namesIn(folder: string): Promise<readonly string[] | undefined> {
  return await readdir(folder).catch((error: unknown) => {
    if (isCode(error, 'ENOENT', 'ENOTDIR', 'EACCES')) return undefined
    throw error
  })
}

import { constants, type Dirent } from 'node:fs'
import { copyFile, link, mkdir, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BackupFailedError } from '../../../src/index.js'
import { codeOf, isCode } from '../system-code.js'

/** The file systems that cannot link say so in different ways. */
const NO_LINKS: ReadonlySet<string> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EINVAL',
  'EXDEV',
  'EMLINK',
  'EACCES',
])
/** What LanceDB writes once and never changes; anything else is small, and copied. */
const UNCHANGING = /\.(?:manifest|lance|txn|arrow|bin|idx)$/
/** A table is looked at again as long as it changes: each look takes what is new, some milliseconds. */
const MOST_LOOKS = 200
/** Each version of a table is a file here; it needs files of the other folders, which never change. */
const VERSIONS = '_versions'

/**
 * Copies a folder of LanceDB tables to another while they are written to, without copying bytes where the file
 * system has hard links. Of each table the copy has the version that was the newest at some moment, and all it needs.
 *
 * @throws BackupFailedError where a table changes too fast
 */
export async function copyTables(from: string, to: string, signal: AbortSignal): Promise<void> {
  await makeFolder(to)
  for (const entry of await entriesOf(from)) {
    // A folder whose name begins with a dot is where an index is being built.
    if (entry.isDirectory() && !entry.name.startsWith('.'))
      await copyTable(join(from, entry.name), join(to, entry.name), signal)
    if (isWhole(entry)) await take(join(from, entry.name), join(to, entry.name))
  }
}

/**
 * What no version needs is removed all the time, but never what the newest needs. So a copy is good if its newest
 * version was the newest when the last of its files had been taken.
 */
async function copyTable(from: string, to: string, signal: AbortSignal): Promise<void> {
  const taken = new Set<string>()
  const takeAll = async (names: readonly string[]): Promise<void> => {
    for (const folder of new Set(names.map(dirname))) await makeFolder(join(to, folder))
    for (const name of names) {
      signal.throwIfAborted()
      if (!taken.has(name) && (await take(join(from, name), join(to, name)))) taken.add(name)
    }
  }
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    await takeAll((await filesIn(from, VERSIONS)).filter(isManifest))
    const versions = new Set(taken)
    const files = await filesIn(from)
    await takeAll(files.filter((name) => !name.startsWith(`${VERSIONS}/`)))
    const now = (await filesIn(from, VERSIONS)).filter(isManifest)
    if (now.some((name) => !versions.has(name))) continue
    const needed = new Set([...files, ...now])
    for (const name of taken) if (!needed.has(name)) await rm(join(to, name), { force: true })
    return
  }
  throw new BackupFailedError(`the tables in ${from} change too fast to be copied: make the backup again later`)
}

/** Beside the versions lies a hint which is the newest: it changes, and is not needed. */
function isManifest(name: string): boolean {
  return name.endsWith('.manifest')
}

/** @returns whether it was still there */
async function take(from: string, to: string): Promise<boolean> {
  try {
    if (!UNCHANGING.test(from) || !(await linkIfPossible(from, to))) {
      await copyFile(from, to, constants.COPYFILE_FICLONE)
    }
    return true
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error
    // Where it was copied, a part of it may be there.
    await rm(to, { force: true })
    return false
  }
}

/** @returns whether the file system can */
async function linkIfPossible(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if (NO_LINKS.has(codeOf(error) ?? '')) return false
    throw error
  }
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
}

/** Paths of all files below a folder, from `root` on, with `/` between names. */
export async function filesIn(root: string, folder = ''): Promise<string[]> {
  const found: string[] = []
  for (const entry of await entriesOf(join(root, folder))) {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) found.push(...(await filesIn(root, name)))
    else if (isWhole(entry)) found.push(name)
  }
  return found
}

/** What is being written has another name, until it is whole. */
function isWhole(entry: Dirent): boolean {
  return entry.isFile() && /^\w[\w.=@+-]*$/.test(entry.name)
}

/** A folder that is not there, or is removed meanwhile, is empty. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  return await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return []
    throw error
  })
}

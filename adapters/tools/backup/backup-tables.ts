import { constants, type Dirent } from 'node:fs'
import { copyFile, link, mkdir, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BackupFailedError } from '../../../src/index.js'
import { codeOf, ifPresent, isCode } from '../../node-kit/index.js'

/** The error codes of file systems that cannot link. */
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
/** Files that LanceDB writes once and never changes. Other files are small and are copied. */
const IMMUTABLE = /\.(?:manifest|lance|txn|arrow|bin|idx)$/
/** A table that changes is copied in several passes. Each pass copies the new files and takes some milliseconds. */
const MAX_PASSES = 200
/** The folder with a file for each version of a table. A version needs files of the other folders, which never change. */
const VERSIONS = '_versions'

/**
 * Copies a folder of LanceDB tables while engines write to them. If the file system has hard links, it copies no
 * bytes. The copy of a table has one version that was the newest at some moment, and all files of that version.
 *
 * @throws BackupFailedError if a table changes too fast
 */
export async function copyTables(from: string, to: string, signal: AbortSignal): Promise<void> {
  await makeFolder(to)
  for (const entry of await entriesOf(from)) {
    // An index is being built in a folder whose name begins with a dot.
    if (entry.isDirectory() && !entry.name.startsWith('.'))
      await copyTable(join(from, entry.name), join(to, entry.name), signal)
    if (isComplete(entry)) await linkOrCopy(join(from, entry.name), join(to, entry.name))
  }
}

/**
 * Engines remove files that no version needs, but never files of the newest version. So a copy is complete if its
 * newest version was still the newest after its last file was copied.
 */
async function copyTable(from: string, to: string, signal: AbortSignal): Promise<void> {
  const copied = new Set<string>()
  const copyAll = async (names: readonly string[]): Promise<void> => {
    for (const folder of new Set(names.map(dirname))) await makeFolder(join(to, folder))
    for (const name of names) {
      signal.throwIfAborted()
      if (!copied.has(name) && (await linkOrCopy(join(from, name), join(to, name)))) copied.add(name)
    }
  }
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    await copyAll((await filesIn(from, VERSIONS)).filter(isManifest))
    const copiedBefore = new Set(copied)
    const files = await filesIn(from)
    await copyAll(files.filter((name) => !name.startsWith(`${VERSIONS}/`)))
    const versions = (await filesIn(from, VERSIONS)).filter(isManifest)
    if (versions.some((name) => !copiedBefore.has(name))) continue
    const needed = new Set([...files, ...versions])
    for (const name of copied) if (!needed.has(name)) await rm(join(to, name), { force: true })
    return
  }
  throw new BackupFailedError(`the tables in ${from} change too fast to be copied: retry the backup later`)
}

/** The folder of versions also has a hint for the newest one. It changes and is not needed. */
function isManifest(name: string): boolean {
  return name.endsWith('.manifest')
}

/** @returns false if the file was deleted in the meantime */
async function linkOrCopy(from: string, to: string): Promise<boolean> {
  try {
    if (!IMMUTABLE.test(from) || !(await linkIfPossible(from, to))) {
      await copyFile(from, to, constants.COPYFILE_FICLONE)
    }
    return true
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error
    // An interrupted copy may have left a part of the file.
    await rm(to, { force: true })
    return false
  }
}

/** @returns false if the file system has no links */
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

/** The paths of all files below a folder, relative to `root`, with `/` between names. */
export async function filesIn(root: string, folder = ''): Promise<string[]> {
  const found: string[] = []
  for (const entry of await entriesOf(join(root, folder))) {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) found.push(...(await filesIn(root, name)))
    else if (isComplete(entry)) found.push(name)
  }
  return found
}

/** An unfinished file has another kind of name. */
function isComplete(entry: Dirent): boolean {
  return entry.isFile() && /^\w[\w.=@+-]*$/.test(entry.name)
}

/** A missing folder counts as empty: an engine may have removed it in the meantime. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  return await ifPresent(readdir(folder, { withFileTypes: true }), [])
}

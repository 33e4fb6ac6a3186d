import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'

export interface FileToIngest {
  readonly path: string
  readonly name: string
}

const READABLE = /\.(pdf|docx?|txt|md|csv)$/i

/** The files and folders that the paths on the command line name. */
export interface FilesToIngest {
  readonly files: readonly FileToIngest[]
  /** Folders without a file that can be ingested. */
  readonly emptyFolders: readonly string[]
  /** The skipped entries of folders: one sentence each, for the user. */
  readonly skipped: readonly string[]
}

/** The reasons to skip an entry of a folder: singular and plural. */
const REASONS = {
  hidden: ['hidden', 'hidden'],
  link: ['symbolic link', 'symbolic links'],
  deadLink: ['dead link', 'dead links'],
  special: ['special file', 'special files'],
} as const

type SkipReason = keyof typeof REASONS

/**
 * Lists the files that the paths on the command line name. A named file is always taken. A folder yields the files with
 * a known extension in it and its subfolders.
 */
export async function filesToIngest(paths: readonly string[]): Promise<FilesToIngest> {
  const files: FileToIngest[] = []
  const emptyFolders: string[] = []
  const skipped: string[] = []
  for (const path of paths) {
    const isFolder = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    )
    // A missing path fails later, when the file is read, like any other file.
    if (!isFolder) {
      files.push({ path, name: basename(path) })
      continue
    }
    const skipReasons: SkipReason[] = []
    const found = await filesIn(path, skipReasons)
    const readable = found.filter((file) => READABLE.test(file))
    if (readable.length === 0) emptyFolders.push(path)
    files.push(...readable.map((file) => ({ path: file, name: basename(file) })))
    skipped.push(...found.filter((file) => !READABLE.test(file)).map((file) => `skipped ${file}: ${UNREADABLE}`))
    if (skipReasons.length > 0) {
      skipped.push(`skipped in ${path}: ${countReasons(skipReasons)}; to ingest such a file, name it`)
    }
  }
  return { files, emptyFolders, skipped }
}

const UNREADABLE = 'its format is not supported'

function countReasons(skipReasons: readonly SkipReason[]): string {
  return Object.entries(REASONS)
    .map(([reason, names]) => ({ count: skipReasons.filter((skipReason) => skipReason === reason).length, names }))
    .filter(({ count }) => count > 0)
    .map(({ count, names: [singular, plural] }) => `${count} ${count === 1 ? singular : plural}`)
    .join(', ')
}

/** Lists the files below a folder in the order of their names. @param skipReasons gets a reason for each skipped entry */
async function filesIn(folder: string, skipReasons: SkipReason[]): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const found: string[] = []
  for (const entry of entries.sort((first, second) => first.name.localeCompare(second.name))) {
    const path = join(folder, entry.name)
    const reason = await reasonToSkip(entry, path)
    if (reason !== undefined) skipReasons.push(reason)
    else if (entry.isDirectory()) found.push(...(await filesIn(path, skipReasons)))
    else found.push(path)
  }
  return found
}

/** Links are skipped: they may lead out of the folder, or in circles. */
async function reasonToSkip(entry: Dirent, path: string): Promise<SkipReason | undefined> {
  if (entry.name.startsWith('.')) return 'hidden'
  if (entry.isDirectory() || entry.isFile()) return undefined
  if (!entry.isSymbolicLink()) return 'special'
  return await stat(path).then(
    () => 'link' as const,
    () => 'deadLink' as const,
  )
}

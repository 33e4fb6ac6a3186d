import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'

export interface FileToIngest {
  readonly path: string
  readonly name: string
}

const READABLE = /\.(pdf|docx?|txt|md|csv)$/i

/** What paths on the command line mean. */
export interface FilesToIngest {
  readonly files: readonly FileToIngest[]
  /** Folders without a file that can be ingested. */
  readonly emptyFolders: readonly string[]
  /** What was left alone in folders, told to people, a sentence each. */
  readonly skipped: readonly string[]
}

/** Why something in a folder is left alone: one, and several of them. */
const REASONS = {
  hidden: ['hidden', 'hidden'],
  link: ['symbolic link', 'symbolic links'],
  deadLink: ['dead link', 'dead links'],
  special: ['special file', 'special files'],
} as const

/**
 * The files that paths on the command line mean. A file that is named is taken as
 * it is; of a folder, with the folders in it, those whose ending is known.
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
    // A path that is not there fails like any other file, when it is read.
    if (!isFolder) {
      files.push({ path, name: basename(path) })
      continue
    }
    const left: (keyof typeof REASONS)[] = []
    const found = await filesIn(path, left)
    const readable = found.filter((file) => READABLE.test(file))
    if (readable.length === 0) emptyFolders.push(path)
    files.push(...readable.map((file) => ({ path: file, name: basename(file) })))
    skipped.push(...found.filter((file) => !READABLE.test(file)).map((file) => `skipped ${file}: ${UNREADABLE}`))
    if (left.length > 0) skipped.push(`skipped in ${path}: ${counts(left)}; name a file to ingest it all the same`)
  }
  return { files, emptyFolders, skipped }
}

const UNREADABLE = 'not a format that is read'

function counts(left: readonly (keyof typeof REASONS)[]): string {
  return Object.entries(REASONS)
    .map(([reason, names]) => ({ count: left.filter((one) => one === reason).length, names }))
    .filter(({ count }) => count > 0)
    .map(({ count, names: [one, several] }) => `${count} ${count === 1 ? one : several}`)
    .join(', ')
}

/** Files below a folder in the order of their names. @param left gets a reason for each that is left alone */
async function filesIn(folder: string, left: (keyof typeof REASONS)[]): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const found: string[] = []
  for (const entry of entries.sort((one, other) => one.name.localeCompare(other.name))) {
    const path = join(folder, entry.name)
    const reason = await reasonToLeave(entry, path)
    if (reason !== undefined) left.push(reason)
    else if (entry.isDirectory()) found.push(...(await filesIn(path, left)))
    else found.push(path)
  }
  return found
}

/** Links are not followed: they may lead out of the folder, or in circles. */
async function reasonToLeave(entry: Dirent, path: string): Promise<keyof typeof REASONS | undefined> {
  if (entry.name.startsWith('.')) return 'hidden'
  if (entry.isDirectory() || entry.isFile()) return undefined
  if (!entry.isSymbolicLink()) return 'special'
  return await stat(path).then(
    () => 'link' as const,
    () => 'deadLink' as const,
  )
}

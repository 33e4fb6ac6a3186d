import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, lstat, open, readdir, readlink, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isCode } from './system.js'

/** A file of a folder, as the list of the folder found it. */
export interface FolderFile {
  /**
   * Path below the folder, with `/` between its parts. A letter with an accent is one code point (NFC): systems differ in
   * the form that they return.
   */
  readonly path: string
  /** The last part of the path. */
  readonly name: string
  /** Path that the system knows, in the form that the system has. */
  readonly systemPath: string
  /** The path without a link. */
  readonly realPath: string
  readonly device: bigint
  readonly inode: bigint
}

/** The reason for which the list of a folder leaves out an entry. */
export type SkipReason = 'hidden' | 'modules' | 'link' | 'deadLink' | 'special'

/** A file that is not the one that the list of its folder found: a link or another file took its place. */
export class FileChangedError extends Error {
  constructor(path: string) {
    super(
      `${path} is no longer the file that the folder had: it was replaced, moved or removed a moment ago. Try again`,
    )
    this.name = 'FileChangedError'
  }
}

/**
 * Lists the files below a folder, in the order of their paths. Leaves out hidden entries, links, special files, and
 * folders named `node_modules`: a link may lead out of the folder, or in circles.
 *
 * @param folder may itself be a link
 * @param isSelected false for the path of a file that the list leaves out. Default: it has all files
 * @param onSkipped called for each entry of another kind
 * @param onEmpty called for each folder below it that has no entry
 * @throws the error of the system if the folder, or one below it, cannot be read: a list without its files would let
 *   their documents be deleted
 */
export async function listFolder(
  folder: string,
  {
    isSelected = () => true,
    onSkipped,
    onEmpty,
  }: {
    readonly isSelected?: (path: string) => boolean
    readonly onSkipped?: (path: string, reason: SkipReason) => void
    readonly onEmpty?: (path: string) => void
  } = {},
): Promise<FolderFile[]> {
  const files: FolderFile[] = []
  const root = await realpath(folder)
  const waiting = ['']
  for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop()) {
    const entries = await readdir(join(root, parent), { withFileTypes: true })
    if (entries.length === 0 && parent !== '') onEmpty?.(parent.normalize('NFC'))
    for (const entry of entries) {
      const { name } = entry
      const below = parent === '' ? name : `${parent}/${name}`
      const path = below.normalize('NFC')
      const realPath = join(root, below)
      if (name.startsWith('.')) onSkipped?.(path, 'hidden')
      else if (entry.isDirectory()) {
        if (name === 'node_modules') onSkipped?.(path, 'modules')
        else waiting.push(below)
      } else if (entry.isSymbolicLink()) {
        const isDead = await stat(realPath).then(
          () => false,
          () => true,
        )
        onSkipped?.(path, isDead ? 'deadLink' : 'link')
      } else if (!entry.isFile()) onSkipped?.(path, 'special')
      else if (isSelected(path)) {
        const found = await lstatIfPresent(realPath)
        if (found?.isFile() !== true) continue
        const [systemPath, device, inode] = [join(folder, below), found.dev, found.ino]
        files.push({ path, name: name.normalize('NFC'), systemPath, realPath, device, inode })
      }
    }
  }
  return files.sort((one, other) => (one.path < other.path ? -1 : 1))
}

async function lstatIfPresent(path: string): Promise<BigIntStats | undefined> {
  return await lstat(path, { bigint: true }).catch((error: unknown) => {
    // Removed since the folder was read.
    if (isCode(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  })
}

/**
 * Opens a file of {@link listFolder} for reading. Follows no link, also if one has taken the place of the file, or of a
 * folder above it, since the list was made.
 *
 * @throws FileChangedError if another file is there
 * @throws the error of the system if the file is gone or cannot be read
 */
export async function openFolderFile(file: FolderFile): Promise<FileHandle> {
  // Without O_NONBLOCK, a pipe that took the place of the file would never open.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(file.realPath, flags).catch((error: unknown) => {
    throw isCode(error, 'ELOOP', 'EMLINK') ? new FileChangedError(file.path) : error
  })
  try {
    const found = await handle.stat({ bigint: true })
    const isSame = found.isFile() && found.dev === file.device && found.ino === file.inode
    if (!isSame || (await placeOf(handle, file.realPath)) !== file.realPath) throw new FileChangedError(file.path)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** The path without links of an open file. Linux knows it; elsewhere it is the present one of the path. */
async function placeOf(handle: FileHandle, path: string): Promise<string> {
  return await readlink(`/proc/self/fd/${handle.fd}`).catch(async () => await realpath(path))
}

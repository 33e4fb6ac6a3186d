import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import picomatch from 'picomatch'
import { isReadableName } from '../../text-extraction/index.js'

/** A file of a folder. */
export interface FolderFile {
  /** Path below the folder, with `/` between its parts. */
  readonly path: string
  /** The last part of the path. */
  readonly name: string
  /** Path that the system knows. */
  readonly systemPath: string
}

export interface FileFilter {
  /** Globs of the paths to take, such as `handbook/**`. Default: every file of a format that the engine reads. */
  readonly include?: readonly string[] | undefined
  /** Globs of the paths to leave out. Default: none. */
  readonly exclude?: readonly string[] | undefined
}

const MATCHING = { dot: true } as const

/** @returns a function that is true for the paths that a filter selects */
export function matcherOf({ include, exclude }: FileFilter): (path: string) => boolean {
  const isIncluded = include === undefined ? (path: string) => isReadableName(path) : picomatch([...include], MATCHING)
  const isExcluded = exclude === undefined || exclude.length === 0 ? () => false : picomatch([...exclude], MATCHING)
  return (path) => isIncluded(path) && !isExcluded(path)
}

/**
 * Lists the files below a folder that a filter selects, in the order of their paths. Leaves out hidden entries, links,
 * and folders named `node_modules`: a link may lead out of the folder, or in circles.
 *
 * @throws the error of the system if the folder, or one below it, cannot be read: a list without its files would let
 *   their documents be deleted
 */
export async function listFolder(folder: string, isSelected: (path: string) => boolean): Promise<FolderFile[]> {
  const files: FolderFile[] = []
  const waiting = ['']
  for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop()) {
    for (const entry of await readdir(join(folder, parent), { withFileTypes: true })) {
      const path = parent === '' ? entry.name : `${parent}/${entry.name}`
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
      if (entry.isDirectory()) waiting.push(path)
      else if (entry.isFile() && isSelected(path)) {
        files.push({ path, name: basename(entry.name), systemPath: join(folder, path) })
      }
    }
  }
  return files.sort((one, other) => (one.path < other.path ? -1 : 1))
}

interface KnownHash {
  readonly sizeBytes: number
  readonly changedMs: number
  readonly sha256: string
}

/** Hashes files. A file is read a second time only if its size or its time of change is another one. */
export class FileHashes {
  #known = new Map<string, KnownHash>()

  /**
   * @returns the lower-case hex SHA-256 of the file's bytes
   * @throws the error of the system if the file cannot be read
   */
  async of({ systemPath }: FolderFile): Promise<string> {
    const { size: sizeBytes, mtimeMs: changedMs } = await stat(systemPath)
    const known = this.#known.get(systemPath)
    if (known?.sizeBytes === sizeBytes && known.changedMs === changedMs) return known.sha256
    const hash = createHash('sha256')
    for await (const piece of createReadStream(systemPath)) hash.update(piece as Uint8Array)
    const sha256 = hash.digest('hex')
    // A file that changed a moment ago may change again within the resolution of the clock.
    if (Date.now() - changedMs > 2_000) this.#known.set(systemPath, { sizeBytes, changedMs, sha256 })
    return sha256
  }

  /** Forgets all files but these. */
  keepOnly(files: readonly FolderFile[]): void {
    const paths = new Set(files.map(({ systemPath }) => systemPath))
    this.#known = new Map([...this.#known].filter(([path]) => paths.has(path)))
  }
}

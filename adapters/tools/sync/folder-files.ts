import { createHash } from 'node:crypto'
import picomatch from 'picomatch'
import { type FolderFile, openFolderFile } from '../../node-kit/index.js'
import { isMinified, isReadableName } from '../../text-extraction/index.js'

export interface FileFilter {
  /** Globs of the paths to take, such as `handbook/**`. Default: every file of a format that the engine reads, without minified code. */
  readonly include?: readonly string[] | undefined
  /** Globs of the paths to leave out. Default: none. */
  readonly exclude?: readonly string[] | undefined
  /** True to take pictures too, where the engine recognises the text in them. Without effect beside `include`. Default: false. */
  readonly pictures?: boolean | undefined
}

/** @returns a function that is true for the paths that a filter selects */
export function matcherOf({ include, exclude = [], pictures = false }: FileFilter): (path: string) => boolean {
  const isIncluded =
    include === undefined ? (path: string) => isReadableName(path, pictures) && !isMinified(path) : globMatcher(include)
  const isExcluded = exclude.length === 0 ? () => false : globMatcher(exclude)
  return (path) => isIncluded(path) && !isExcluded(path)
}

function globMatcher(globs: readonly string[]): (path: string) => boolean {
  const isMatch = picomatch(
    globs.map((glob) => glob.normalize('NFC')),
    { dot: true },
  )
  return (path) => isMatch(path)
}

interface KnownHash {
  readonly sizeBytes: number
  readonly changedMs: number
  readonly inode: bigint
  readonly sha256: string
}

/** Hashes files. A file is read a second time only if it is another one, or its size or time of change is another one. */
export class FileHashes {
  #known = new Map<string, KnownHash>()

  /**
   * @returns the lower-case hex SHA-256 of the file's bytes
   * @throws the errors of `openFolderFile`
   */
  async of(file: FolderFile): Promise<string> {
    const { systemPath, inode } = file
    const handle = await openFolderFile(file)
    try {
      const { size: sizeBytes, mtimeMs: changedMs } = await handle.stat()
      const known = this.#known.get(systemPath)
      const isKnown = known?.sizeBytes === sizeBytes && known.changedMs === changedMs && known.inode === inode
      if (isKnown) return known.sha256
      const hash = createHash('sha256')
      for await (const piece of handle.createReadStream({ autoClose: false })) hash.update(piece as Uint8Array)
      const sha256 = hash.digest('hex')
      // A file that changed a moment ago may change again within the resolution of the clock.
      if (Date.now() - changedMs > 2_000) this.#known.set(systemPath, { sizeBytes, changedMs, inode, sha256 })
      return sha256
    } finally {
      await handle.close()
    }
  }

  /** Forgets all files but these. */
  keepOnly(files: readonly FolderFile[]): void {
    const paths = new Set(files.map(({ systemPath }) => systemPath))
    this.#known = new Map([...this.#known].filter(([path]) => paths.has(path)))
  }
}

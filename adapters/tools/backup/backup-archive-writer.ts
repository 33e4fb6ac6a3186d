import { createHash } from 'node:crypto'
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Pack } from 'tar-stream'
import { BackupFailedError } from '../../../src/index.js'
import { ifPresent, isCode, syncFolder } from '../../node-kit/index.js'
import { CHECKSUMS, checksumLine, isEntryName, MANIFEST, PIECE_BYTES } from './backup-format.js'

export interface AddedEntry {
  readonly sizeBytes: number
  readonly sha256: string
}

export interface ArchivePaths {
  /** The final path. */
  readonly file: string
  /** A new path in the same folder, under which the archive is written. */
  readonly partial: string
  /** The file that collects the checksums. */
  readonly checksums: string
}

/** Writes a backup that only its owner may read. The file gets its final name when it is complete and synced. */
export class ArchiveWriter {
  /** Ends when the archive is complete and synced, or has failed. */
  readonly #writing: Promise<void>
  readonly #modified = new Date()
  #bytes = 0

  private constructor(
    private readonly paths: ArchivePaths,
    private readonly archive: Pack,
    private readonly output: FileHandle,
    private readonly checksums: FileHandle,
  ) {
    this.#writing = pipeline(archive, output.createWriteStream({ highWaterMark: PIECE_BYTES, flush: true }))
    // The next call reports a failure.
    this.#writing.catch(() => undefined)
  }

  static async create(paths: ArchivePaths): Promise<ArchiveWriter> {
    const { pack } = await import('tar-stream')
    const checksums = await open(paths.checksums, 'wx', 0o600)
    try {
      return new ArchiveWriter(paths, pack(), await open(paths.partial, 'wx', 0o600), checksums)
    } catch (error) {
      await checksums.close()
      throw error
    }
  }

  /** The bytes added so far. */
  get bytes(): number {
    return this.#bytes
  }

  async addText(name: string, text: string): Promise<void> {
    const content = Buffer.from(text)
    await this.#add(name, content.byteLength, [content])
  }

  /** @returns `undefined` if the file does not exist; then nothing is added */
  async addFile(name: string, path: string, signal: AbortSignal): Promise<AddedEntry | undefined> {
    const source = await ifPresent(open(path, 'r'), undefined)
    if (source === undefined) return undefined
    try {
      const { size: sizeBytes } = await source.stat()
      return { sizeBytes, sha256: await this.#add(name, sizeBytes, piecesOf(source, sizeBytes, signal)) }
    } finally {
      await source.close()
    }
  }

  /** Adds the checksums and syncs the archive. It is complete then. */
  async finish(signal: AbortSignal): Promise<void> {
    await this.checksums.close()
    const added = await this.addFile(CHECKSUMS, this.paths.checksums, signal)
    if (added === undefined) throw new BackupFailedError('the list of checksums was removed: retry the backup')
    this.archive.finalize()
    await this.#writing
  }

  /**
   * Gives the complete archive its final name.
   * @param overwrite true to replace an existing file
   * @throws an error with the code `EEXIST` if a file exists and must not be replaced
   */
  async publish({ overwrite }: { readonly overwrite: boolean }): Promise<void> {
    const { file, partial } = this.paths
    if (overwrite) await rename(partial, file)
    else await moveToFreeName(partial, file)
    await syncFolder(dirname(file))
  }

  /** Removes the unfinished archive. Does nothing after {@link publish}. */
  async abandon(): Promise<void> {
    await this.checksums.close().catch(() => undefined)
    this.archive.destroy()
    await this.#writing.catch(() => undefined)
    await this.output.close().catch(() => undefined)
    await rm(this.paths.partial, { force: true }).catch(() => undefined)
  }

  /**
   * @returns the SHA-256 of the content
   * @throws BackupFailedError for a name that a restore would refuse
   */
  async #add(name: string, size: number, content: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<string> {
    if (name !== MANIFEST && name !== CHECKSUMS && !isEntryName(name))
      throw new BackupFailedError(`a file in the data folder has a name that a backup cannot contain: ${name}`)
    const hash = createHash('sha256')
    const hashed = async function* (): AsyncGenerator<Buffer> {
      for await (const piece of content) {
        hash.update(piece)
        yield piece
      }
    }
    try {
      await pipeline(hashed, this.archive.entry({ name, size, mode: 0o600, mtime: this.#modified }))
    } catch (error) {
      // If the file cannot be written, that is the reason.
      this.archive.destroy()
      await this.#writing
      throw error
    }
    this.#bytes += size
    const sha256 = hash.digest('hex')
    if (name !== CHECKSUMS) await this.checksums.appendFile(checksumLine(sha256, name))
    return sha256
  }
}

/** The first bytes of a file that may grow, in pieces. */
async function* piecesOf(file: FileHandle, size: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  for (let position = 0; position < size; ) {
    signal.throwIfAborted()
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size - position))
    const { bytesRead } = await file.read(piece, 0, piece.byteLength, position)
    if (bytesRead === 0) throw new BackupFailedError('a file became shorter while it was copied: retry the backup')
    position += bytesRead
    yield piece.subarray(0, bytesRead)
  }
}

/** Renames a file if the name is free. A check before a rename would leave time for another process to take the name. */
async function moveToFreeName(from: string, to: string): Promise<void> {
  const isLinked = await link(from, to).then(
    () => true,
    (error: unknown) => {
      if (isCode(error, 'EEXIST')) throw error
      return false
    },
  )
  if (isLinked) {
    await rm(from)
    return
  }
  // The file system has no links: an empty file reserves the name, and the rename replaces it.
  await (await open(to, 'wx', 0o600)).close()
  await rename(from, to).catch(async (error: unknown) => {
    await rm(to, { force: true }).catch(() => undefined)
    throw error
  })
}

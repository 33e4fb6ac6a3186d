import { createHash } from 'node:crypto'
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Header } from 'tar/header'
import { BackupFailedError } from '../../../src/index.js'
import { isCode, syncFolder } from '../../node-kit/index.js'
import { BLOCK_BYTES, CHECKSUMS, checksumLine, isEntryName, MANIFEST, PIECE_BYTES, paddingOf } from './backup-format.js'

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
  readonly #paths: ArchivePaths
  readonly #output: FileHandle
  readonly #checksums: FileHandle
  readonly #modified = new Date()
  readonly #piece = Buffer.allocUnsafe(PIECE_BYTES)
  /** Bytes that are not written yet, so that many small files cost one write. */
  readonly #buffer = Buffer.allocUnsafe(PIECE_BYTES)
  #buffered = 0
  #written = 0

  private constructor(paths: ArchivePaths, output: FileHandle, checksums: FileHandle) {
    this.#paths = paths
    this.#output = output
    this.#checksums = checksums
  }

  static async create(paths: ArchivePaths): Promise<ArchiveWriter> {
    const checksums = await open(paths.checksums, 'wx', 0o600)
    try {
      return new ArchiveWriter(paths, await open(paths.partial, 'wx', 0o600), checksums)
    } catch (error) {
      await checksums.close()
      throw error
    }
  }

  /** The bytes added so far. */
  get bytes(): number {
    return this.#written + this.#buffered
  }

  async addText(name: string, text: string): Promise<void> {
    const content = Buffer.from(text)
    await this.#write(headerOf(name, content.byteLength, this.#modified))
    await this.#write(content)
    await this.#endEntry(name, content.byteLength, createHash('sha256').update(content).digest('hex'))
  }

  /** @returns `undefined` if the file does not exist; then nothing is added */
  async addFile(name: string, path: string, signal: AbortSignal): Promise<AddedEntry | undefined> {
    const source = await open(path, 'r').catch((error: unknown) => {
      if (isCode(error, 'ENOENT')) return undefined
      throw error
    })
    if (source === undefined) return undefined
    try {
      const { size } = await source.stat()
      await this.#write(headerOf(name, size, this.#modified))
      const sha256 = await this.#copy(source, size, signal)
      await this.#endEntry(name, size, sha256)
      return { sizeBytes: size, sha256 }
    } finally {
      await source.close()
    }
  }

  /** Adds the checksums and syncs the archive. It is complete then. */
  async finish(signal: AbortSignal): Promise<void> {
    await this.#checksums.close()
    const checksums = await open(this.#paths.checksums, 'r')
    try {
      const { size } = await checksums.stat()
      await this.#write(headerOf(CHECKSUMS, size, this.#modified))
      await this.#copy(checksums, size, signal)
      await this.#write(Buffer.alloc(paddingOf(size) + 2 * BLOCK_BYTES))
    } finally {
      await checksums.close()
    }
    await this.#flush()
    await this.#output.sync()
    await this.#output.close()
  }

  /**
   * Gives the complete archive its final name.
   * @param overwrite true to replace an existing file
   * @throws an error with the code `EEXIST` if a file exists and must not be replaced
   */
  async publish({ overwrite }: { readonly overwrite: boolean }): Promise<void> {
    const { file, partial } = this.#paths
    if (overwrite) await rename(partial, file)
    else await moveToFreeName(partial, file)
    await syncFolder(dirname(file))
  }

  /** Removes the unfinished archive. Does nothing after {@link publish}. */
  async abandon(): Promise<void> {
    await this.#checksums.close().catch(() => undefined)
    await this.#output.close().catch(() => undefined)
    await rm(this.#paths.partial, { force: true }).catch(() => undefined)
  }

  async #copy(source: FileHandle, size: number, signal: AbortSignal): Promise<string> {
    const hash = createHash('sha256')
    for (let position = 0; position < size; ) {
      signal.throwIfAborted()
      const { bytesRead } = await source.read(this.#piece, 0, Math.min(PIECE_BYTES, size - position), position)
      if (bytesRead === 0) throw new BackupFailedError('a file became shorter while it was copied: retry the backup')
      const bytes = this.#piece.subarray(0, bytesRead)
      hash.update(bytes)
      await this.#write(bytes)
      position += bytesRead
    }
    return hash.digest('hex')
  }

  async #endEntry(name: string, size: number, sha256: string): Promise<void> {
    await this.#write(Buffer.alloc(paddingOf(size)))
    await this.#checksums.appendFile(checksumLine(sha256, name))
  }

  async #write(data: Buffer): Promise<void> {
    if (this.#buffered + data.byteLength > PIECE_BYTES) await this.#flush()
    if (data.byteLength > PIECE_BYTES / 2) {
      await this.#flush()
      await this.#writeOut(data)
      return
    }
    data.copy(this.#buffer, this.#buffered)
    this.#buffered += data.byteLength
  }

  async #flush(): Promise<void> {
    const data = this.#buffer.subarray(0, this.#buffered)
    this.#buffered = 0
    await this.#writeOut(data)
  }

  async #writeOut(data: Buffer): Promise<void> {
    for (let offset = 0; offset < data.byteLength; ) offset += (await this.#output.write(data, offset)).bytesWritten
    this.#written += data.byteLength
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

/** @throws BackupFailedError for a name that a restore would refuse */
function headerOf(name: string, size: number, mtime: Date): Buffer {
  if (name !== MANIFEST && name !== CHECKSUMS && !isEntryName(name))
    throw new BackupFailedError(`a file in the data folder has a name that a backup cannot contain: ${name}`)
  const block = Buffer.alloc(BLOCK_BYTES)
  new Header({
    path: name,
    size,
    mode: 0o600,
    type: 'File',
    mtime: new Date(Math.floor(mtime.getTime() / 1_000) * 1_000),
  }).encode(block)
  // The library cuts values that do not fit in a header. It writes sizes of 8 GB and more in the format of GNU tar.
  const written = new Header(block)
  if (written.path === name && written.size === size) return block
  throw new BackupFailedError(`a file in the data folder has a name that is too long for a backup: ${name}`)
}

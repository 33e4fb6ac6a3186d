import { createHash } from 'node:crypto'
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Header } from 'tar/header'
import { BackupFailedError } from '../../../src/index.js'
import { syncFolder } from '../../files/index.js'
import { isCode } from '../system-code.js'
import { BLOCK_BYTES, CHECKSUMS, checksumLine, isEntryName, MANIFEST, PIECE_BYTES, paddingOf } from './backup-format.js'

/** What was added. */
export interface AddedEntry {
  readonly sizeBytes: number
  readonly sha256: string
}

export interface ArchivePlaces {
  /** Where it is to be. */
  readonly file: string
  /** A new name beside that, under which it is written. */
  readonly partial: string
  /** Where the checksums are gathered. */
  readonly checksums: string
}

/** Writes a backup beside its place, for its owner alone; it comes there when it is whole and on the disk. */
export class ArchiveWriter {
  readonly #places: ArchivePlaces
  readonly #output: FileHandle
  readonly #checksums: FileHandle
  readonly #modified = new Date()
  readonly #piece = Buffer.allocUnsafe(PIECE_BYTES)
  /** What is not written yet: many small files cost one write. */
  readonly #buffer = Buffer.allocUnsafe(PIECE_BYTES)
  #buffered = 0
  #written = 0

  private constructor(places: ArchivePlaces, output: FileHandle, checksums: FileHandle) {
    this.#places = places
    this.#output = output
    this.#checksums = checksums
  }

  static async create(places: ArchivePlaces): Promise<ArchiveWriter> {
    const checksums = await open(places.checksums, 'wx', 0o600)
    try {
      return new ArchiveWriter(places, await open(places.partial, 'wx', 0o600), checksums)
    } catch (error) {
      await checksums.close()
      throw error
    }
  }

  /** Bytes so far. */
  get bytes(): number {
    return this.#written + this.#buffered
  }

  async addText(name: string, text: string): Promise<void> {
    const content = Buffer.from(text)
    await this.#write(headerOf(name, content.byteLength, this.#modified))
    await this.#write(content)
    await this.#end(name, content.byteLength, createHash('sha256').update(content).digest('hex'))
  }

  /** @returns `undefined` where there is no such file, and then adds nothing */
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
      await this.#end(name, size, sha256)
      return { sizeBytes: size, sha256 }
    } finally {
      await source.close()
    }
  }

  /** Adds the checksums; the archive is whole then, and on the disk. */
  async finish(signal: AbortSignal): Promise<void> {
    await this.#checksums.close()
    const checksums = await open(this.#places.checksums, 'r')
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
   * Puts the whole archive in its place.
   * @param overwrite whether it replaces what is there
   * @throws an error with the code `EEXIST` where something is there that is not to be replaced
   */
  async publish({ overwrite }: { readonly overwrite: boolean }): Promise<void> {
    const { file, partial } = this.#places
    if (overwrite) await rename(partial, file)
    else await moveToFreeName(partial, file)
    await syncFolder(dirname(file))
  }

  /** Leaves nothing behind. After {@link publish} it does nothing. */
  async abandon(): Promise<void> {
    await this.#checksums.close().catch(() => undefined)
    await this.#output.close().catch(() => undefined)
    await rm(this.#places.partial, { force: true }).catch(() => undefined)
  }

  async #copy(source: FileHandle, size: number, signal: AbortSignal): Promise<string> {
    const hash = createHash('sha256')
    for (let at = 0; at < size; ) {
      signal.throwIfAborted()
      const { bytesRead } = await source.read(this.#piece, 0, Math.min(PIECE_BYTES, size - at), at)
      if (bytesRead === 0)
        throw new BackupFailedError('a file became shorter while it was copied: make the backup again')
      const read = this.#piece.subarray(0, bytesRead)
      hash.update(read)
      await this.#write(read)
      at += bytesRead
    }
    return hash.digest('hex')
  }

  async #end(name: string, size: number, sha256: string): Promise<void> {
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
    for (let at = 0; at < data.byteLength; ) at += (await this.#output.write(data, at)).bytesWritten
    this.#written += data.byteLength
  }
}

/** Looking and renaming would be two steps, between which somebody may take the name. */
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
  // A file system without links: an empty file holds the name, and is replaced.
  await (await open(to, 'wx', 0o600)).close()
  await rename(from, to).catch(async (error: unknown) => {
    await rm(to, { force: true }).catch(() => undefined)
    throw error
  })
}

/** @throws BackupFailedError for a name that would not be found again */
function headerOf(name: string, size: number, mtime: Date): Buffer {
  if (name !== MANIFEST && name !== CHECKSUMS && !isEntryName(name))
    throw new BackupFailedError(`a file of the data folder has a name that a backup cannot hold: ${name}`)
  const block = Buffer.alloc(BLOCK_BYTES)
  new Header({
    path: name,
    size,
    mode: 0o600,
    type: 'File',
    mtime: new Date(Math.floor(mtime.getTime() / 1_000) * 1_000),
  }).encode(block)
  // What does not fit in a header is cut by it; sizes of 8 GB and more are written in the way of GNU tar.
  const written = new Header(block)
  if (written.path === name && written.size === size) return block
  throw new BackupFailedError(`a file of the data folder has a name that is too long for a backup: ${name}`)
}

import { createHash } from 'node:crypto'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Header } from 'tar/header'
import { BackupFailedError } from '../../../src/index.js'
import { BLOCK_BYTES, CHECKSUMS, checksumLine, isEntryName, MANIFEST, PIECE_BYTES, paddingOf } from './backup-format.js'

/** What was added. */
export interface AddedEntry {
  readonly sizeBytes: number
  readonly sha256: string
}

/** Writes a backup beside its place, for its owner alone; it comes there when it is whole and on the disk. */
export class ArchiveWriter {
  readonly #file: string
  readonly #output: FileHandle
  readonly #checksums: FileHandle
  readonly #checksumsFile: string
  readonly #modified = new Date()
  readonly #piece = Buffer.allocUnsafe(PIECE_BYTES)
  /** What is not written yet: many small files cost one write. */
  readonly #buffer = Buffer.allocUnsafe(PIECE_BYTES)
  #buffered = 0
  #written = 0

  private constructor(
    file: string,
    output: FileHandle,
    checksums: { readonly handle: FileHandle; readonly file: string },
  ) {
    this.#file = file
    this.#output = output
    this.#checksums = checksums.handle
    this.#checksumsFile = checksums.file
  }

  /** @param checksumsFile where the checksums are gathered */
  static async create(file: string, checksumsFile: string): Promise<ArchiveWriter> {
    const handle = await open(checksumsFile, 'wx', 0o600)
    try {
      // One that was left behind by a backup that was killed.
      await rm(partial(file), { force: true })
      return new ArchiveWriter(file, await open(partial(file), 'wx', 0o600), { handle, file: checksumsFile })
    } catch (error) {
      await handle.close()
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
    const checksums = await open(this.#checksumsFile, 'r')
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

  /** Puts the whole archive in its place. */
  async publish(): Promise<void> {
    await rename(partial(this.#file), this.#file)
    await syncFolder(dirname(this.#file))
  }

  /** Leaves nothing behind. After {@link publish} it does nothing. */
  async abandon(): Promise<void> {
    await this.#checksums.close().catch(() => undefined)
    await this.#output.close().catch(() => undefined)
    await rm(partial(this.#file), { force: true }).catch(() => undefined)
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

function partial(file: string): string {
  return `${file}.partial`
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

/** A new name is on the disk once its folder is; where folders cannot be opened (Windows) it is so by itself. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined)
  // Some file systems refuse it.
  await folder?.sync().catch(() => undefined)
  await folder?.close()
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

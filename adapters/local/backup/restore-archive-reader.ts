import { createHash, type Hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { Header } from 'tar/header'
import { BackupInvalidError } from '../../../src/index.js'
import { BLOCK_BYTES, CHECKSUMS, checksumLine, PIECE_BYTES, paddingOf } from './backup-format.js'

/** A file in an archive. */
export interface ArchiveEntry {
  readonly name: string
  readonly size: number
  /** The bytes, in pieces. Each piece is valid until the next one is read. The caller must read all of them. */
  readonly content: () => AsyncIterable<Buffer>
}

/** The zeros at the end of an archive. */
const END_BYTES = 2 * BLOCK_BYTES

/** Reads a backup from its beginning to its end. It trusts nothing in the file. */
export class ArchiveReader {
  readonly #file: FileHandle
  readonly #size: number
  readonly #piece = Buffer.allocUnsafe(PIECE_BYTES)
  /** The hash of the expected checksums entry. */
  readonly #expectedChecksums = createHash('sha256')
  #position = 0

  /** @param size the size of the file in bytes */
  constructor(file: FileHandle, size: number) {
    this.#file = file
    this.#size = size
  }

  /** The bytes read so far. */
  get bytes(): number {
    return this.#position
  }

  /**
   * Yields all files of the archive. After the last one, the checksums of all files are verified.
   * @throws BackupInvalidError for an archive that is damaged or incomplete
   */
  async *entries(signal: AbortSignal | undefined): AsyncGenerator<ArchiveEntry> {
    for (;;) {
      const { name, size } = await this.#readHeader()
      if (name === CHECKSUMS) {
        await this.#verifyChecksums(size, signal)
        return
      }
      const hash = createHash('sha256')
      const end = this.#position + size
      yield { name, size, content: () => this.#content(end, hash, signal) }
      if (this.#position !== end) throw new Error(`${name} was not read to its end`)
      this.#position += paddingOf(size)
      this.#expectedChecksums.update(checksumLine(hash.digest('hex'), name))
    }
  }

  async #readHeader(): Promise<{ readonly name: string; readonly size: number }> {
    const block = Buffer.alloc(BLOCK_BYTES)
    await this.#read(block)
    const header = parse(block)
    const { path, size } = header
    if (!header.cksumValid || path === undefined || size === undefined) throw damaged()
    if (header.type !== 'File') throw new BackupInvalidError(`it contains an entry that is no file: ${path}`)
    if (!Number.isSafeInteger(size) || size > this.#size - this.#position) throw damaged()
    return { name: path, size }
  }

  async *#content(end: number, hash: Hash, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
    while (this.#position < end) {
      signal?.throwIfAborted()
      const piece = this.#piece.subarray(0, Math.min(PIECE_BYTES, end - this.#position))
      await this.#read(piece)
      hash.update(piece)
      yield piece
    }
  }

  /** Compares the checksums entry with the files. It must be the last entry. */
  async #verifyChecksums(size: number, signal: AbortSignal | undefined): Promise<void> {
    const hash = createHash('sha256')
    for await (const _piece of this.#content(this.#position + size, hash, signal)) continue
    const isLast = this.#position + paddingOf(size) + END_BYTES === this.#size
    if (!isLast || hash.digest('hex') !== this.#expectedChecksums.digest('hex')) throw damaged()
  }

  async #read(target: Buffer): Promise<void> {
    for (let offset = 0; offset < target.byteLength; ) {
      const { bytesRead } = await this.#file.read(target, offset, target.byteLength - offset, this.#position)
      if (bytesRead === 0) throw damaged()
      offset += bytesRead
      this.#position += bytesRead
    }
  }
}

/** The library throws for invalid numbers. */
function parse(block: Buffer): Header {
  try {
    return new Header(block)
  } catch {
    throw damaged()
  }
}

function damaged(): BackupInvalidError {
  return new BackupInvalidError('it is damaged or incomplete: use another copy of it, or another backup')
}

import { createHash, type Hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { Header } from 'tar/header'
import { BackupInvalidError } from '../../../src/index.js'
import { BLOCK_BYTES, CHECKSUMS, checksumLine, PIECE_BYTES, paddingOf } from './backup-format.js'

/** A file in an archive. */
export interface ArchiveEntry {
  readonly name: string
  readonly size: number
  /** Its bytes, in pieces that are good until the next one; to be read to their end. */
  readonly content: () => AsyncIterable<Buffer>
}

/** Bytes at the end of an archive. */
const END_BYTES = 2 * BLOCK_BYTES

/** Reads a backup from its beginning to its end, trusting nothing in it. */
export class ArchiveReader {
  readonly #file: FileHandle
  readonly #size: number
  readonly #piece = Buffer.allocUnsafe(PIECE_BYTES)
  /** Of the checksums as they must be. */
  readonly #expected = createHash('sha256')
  #at = 0

  /** @param size of the file, in bytes */
  constructor(file: FileHandle, size: number) {
    this.#file = file
    this.#size = size
  }

  /** Bytes so far. */
  get bytes(): number {
    return this.#at
  }

  /**
   * All files of the archive; when they end, each is known to be as it was written.
   * @throws BackupInvalidError
   */
  async *entries(signal: AbortSignal | undefined): AsyncGenerator<ArchiveEntry> {
    for (;;) {
      const { name, size } = await this.#header()
      if (name === CHECKSUMS) {
        await this.#check(size, signal)
        return
      }
      const hash = createHash('sha256')
      const end = this.#at + size
      yield { name, size, content: () => this.#content(end, hash, signal) }
      if (this.#at !== end) throw new Error(`${name} was not read to its end`)
      this.#at += paddingOf(size)
      this.#expected.update(checksumLine(hash.digest('hex'), name))
    }
  }

  async #header(): Promise<{ readonly name: string; readonly size: number }> {
    const block = Buffer.alloc(BLOCK_BYTES)
    await this.#read(block)
    const header = parse(block)
    const { path, size } = header
    if (!header.cksumValid || path === undefined || size === undefined) throw damaged()
    if (header.type !== 'File') throw new BackupInvalidError(`it holds something that is no file: ${path}`)
    if (!Number.isSafeInteger(size) || size > this.#size - this.#at) throw damaged()
    return { name: path, size }
  }

  async *#content(end: number, hash: Hash, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
    while (this.#at < end) {
      signal?.throwIfAborted()
      const piece = this.#piece.subarray(0, Math.min(PIECE_BYTES, end - this.#at))
      await this.#read(piece)
      hash.update(piece)
      yield piece
    }
  }

  /** The checksums of all that was read, and after them nothing more. */
  async #check(size: number, signal: AbortSignal | undefined): Promise<void> {
    const hash = createHash('sha256')
    for await (const _piece of this.#content(this.#at + size, hash, signal)) continue
    const isAll = this.#at + paddingOf(size) + END_BYTES === this.#size
    if (!isAll || hash.digest('hex') !== this.#expected.digest('hex')) throw damaged()
  }

  async #read(into: Buffer): Promise<void> {
    for (let read = 0; read < into.byteLength; ) {
      const { bytesRead } = await this.#file.read(into, read, into.byteLength - read, this.#at)
      if (bytesRead === 0) throw damaged()
      read += bytesRead
      this.#at += bytesRead
    }
  }
}

/** The library throws for numbers that cannot be. */
function parse(block: Buffer): Header {
  try {
    return new Header(block)
  } catch {
    throw damaged()
  }
}

function damaged(): BackupInvalidError {
  return new BackupInvalidError('it is damaged or not whole: take another copy of it, or another backup')
}

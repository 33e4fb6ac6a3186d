import { createHash, type Hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Header } from 'tar-stream'
import { BackupInvalidError } from '../../../src/index.js'
import { codeOf } from '../../node-kit/index.js'
import { CHECKSUMS, checksumLine, PIECE_BYTES } from './backup-format.js'

/** A file in an archive. */
export interface ArchiveEntry {
  readonly name: string
  readonly size: number
  /** The bytes, in pieces. They can be read once. */
  readonly content: AsyncIterable<Buffer>
}

const BLOCK_BYTES = 512
/** The zeros at the end of an archive. */
const END_BYTES = 2 * BLOCK_BYTES

/** Reads a backup from its beginning to its end. It trusts nothing in the file. */
export class ArchiveReader {
  /** The hash of the expected checksums entry. */
  readonly #expectedChecksums = createHash('sha256')
  /** The end of the entries that were begun. The next one begins there. */
  #end = 0

  /** @param size the size of the file in bytes */
  constructor(
    private readonly file: FileHandle,
    private readonly size: number,
  ) {}

  /** The bytes read so far, with the whole last entry. */
  get bytes(): number {
    return this.#end
  }

  /**
   * Yields all files of the archive. After the last one, the checksums of all files are verified.
   * @throws BackupInvalidError for an archive that is damaged or incomplete
   */
  async *entries(signal: AbortSignal | undefined): AsyncGenerator<ArchiveEntry> {
    const { extract } = await import('tar-stream')
    const archive = extract()
    const source = this.file.createReadStream({ start: 0, autoClose: false, highWaterMark: PIECE_BYTES })
    // A failure of the source ends the archive with the same error, so the loop throws it.
    const feeding = pipeline(source, archive).catch(() => undefined)
    try {
      let isVerified = false
      for await (const entry of archive) {
        if (isVerified) throw damaged()
        const { name, size } = this.#begin(entry.header, entry.offset)
        const hash = createHash('sha256')
        const content = this.#content(entry as AsyncIterable<Buffer>, hash, signal)
        if (name !== CHECKSUMS) yield { name, size, content }
        for await (const _piece of content) continue
        if (name === CHECKSUMS) isVerified = this.#verify(hash)
        else this.#expectedChecksums.update(checksumLine(hash.digest('hex'), name))
      }
      if (!isVerified) throw damaged()
    } catch (error) {
      throw explained(error, signal)
    } finally {
      source.destroy()
      await feeding
    }
  }

  #begin({ name, type, size }: Header, offset: number): { readonly name: string; readonly size: number } {
    // The library reads entries that rename the next one, and skips empty blocks. Both leave a gap between entries.
    if (type !== 'file' || offset !== this.#end)
      throw new BackupInvalidError(`it contains an entry that is no file: ${name}`)
    this.#end = offset + BLOCK_BYTES * (1 + Math.ceil(size / BLOCK_BYTES))
    if (!Number.isSafeInteger(size) || this.#end + END_BYTES > this.size) throw damaged()
    return { name, size }
  }

  async *#content(entry: AsyncIterable<Buffer>, hash: Hash, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
    try {
      for await (const piece of entry) {
        signal?.throwIfAborted()
        hash.update(piece)
        yield piece
      }
    } catch (error) {
      throw explained(error, signal)
    }
  }

  /** Compares the checksums entry with the files. It must be the last entry. */
  #verify(hash: Hash): true {
    const isLast = this.#end + END_BYTES === this.size
    if (isLast && hash.digest('hex') === this.#expectedChecksums.digest('hex')) return true
    throw damaged()
  }
}

/** The library throws errors without a code for bytes that are not an archive. */
function explained(error: unknown, signal: AbortSignal | undefined): unknown {
  signal?.throwIfAborted()
  return codeOf(error) === undefined ? damaged(error) : error
}

function damaged(cause?: unknown): BackupInvalidError {
  return new BackupInvalidError('it is damaged or incomplete: use another copy of it, or another backup', { cause })
}

import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { itemsUntilAborted, QuotaExceededError, type StoredFile } from '../../src/ports/index.js'

/** The number of bytes that are copied and hashed at once: a few milliseconds of work. */
const SLICE_BYTES = 1_048_576

/**
 * Counts and hashes bytes that pass once. The slices are copies, because a sender may reuse its memory for the next
 * bytes.
 */
export class CountedContent {
  readonly #content: AsyncIterable<Uint8Array>
  readonly #maxBytes: number
  readonly #hash = createHash('sha256')
  #sizeBytes = 0
  #bytesSincePause = 0

  constructor(content: AsyncIterable<Uint8Array>, maxBytes: number) {
    this.#content = content
    this.#maxBytes = maxBytes
  }

  /**
   * @throws QuotaExceededError once more than `maxBytes` bytes have arrived
   * @throws the signal's reason once it is aborted
   */
  async *slices(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    for await (const piece of itemsUntilAborted(this.#content, signal)) {
      this.#sizeBytes += piece.byteLength
      if (this.#sizeBytes > this.#maxBytes) {
        throw new QuotaExceededError(`the file has more than ${this.#maxBytes} bytes`)
      }
      for (let at = 0; at < piece.byteLength; at += SLICE_BYTES) {
        const slice = Buffer.from(piece.subarray(at, at + SLICE_BYTES))
        this.#hash.update(slice)
        yield slice
        await this.#pause(slice.byteLength)
      }
    }
  }

  /** Returns the size and the hash of all bytes. Call it once, at the end. */
  total(): StoredFile {
    return { sizeBytes: this.#sizeBytes, sha256: this.#hash.digest('hex') }
  }

  /** A whole file may arrive in one piece, and nothing here waits for a disk. So this lets other work run. */
  async #pause(bytes: number): Promise<void> {
    this.#bytesSincePause += bytes
    if (this.#bytesSincePause < SLICE_BYTES) return
    this.#bytesSincePause = 0
    await setImmediate()
  }
}

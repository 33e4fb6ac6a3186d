import type { ExtractionSource } from '../../../src/ports/index.js'

/** The most bytes in one message to the thread. Copying more would block the host's event loop. */
const MAX_PIECE_BYTES = 262_144

/** Reads the source when the thread asks for bytes, also several times from the beginning. */
export class SourceReader {
  readonly #source: ExtractionSource
  #iterator: AsyncIterator<Uint8Array> | undefined
  #rest: Uint8Array = new Uint8Array()
  #isWaiting = false

  constructor(source: ExtractionSource) {
    this.#source = source
  }

  async open(): Promise<void> {
    await this.close()
    this.#iterator = this.#source.open()[Symbol.asyncIterator]()
  }

  /** @returns `null` at the end */
  async next(): Promise<Uint8Array | null> {
    while (this.#rest.length === 0) {
      const result = await this.#wait(this.#iterator?.next())
      if (result === undefined || result.done === true) return null
      this.#rest = result.value
    }
    const piece = this.#rest.subarray(0, MAX_PIECE_BYTES)
    this.#rest = this.#rest.subarray(piece.length)
    return piece
  }

  /** Does not wait for a source that has not answered yet: it may never answer. */
  async close(): Promise<void> {
    this.#rest = new Uint8Array()
    const closing = this.#iterator?.return?.()
    this.#iterator = undefined
    if (this.#isWaiting) closing?.catch(() => undefined)
    else await closing
  }

  async #wait<T>(answer: Promise<T> | undefined): Promise<T | undefined> {
    this.#isWaiting = true
    try {
      return await answer
    } finally {
      this.#isWaiting = false
    }
  }
}

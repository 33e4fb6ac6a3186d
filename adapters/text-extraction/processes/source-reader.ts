import type { ExtractionSource } from '../../../src/ports/index.js'

/** Bytes that go to the thread at once: copying more would hold up the host. */
const MAX_PIECE_BYTES = 262_144

/** Reads the source as the thread asks for it, again from the beginning if it must. */
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
      const next = await this.#wait(this.#iterator?.next())
      if (next === undefined || next.done === true) return null
      this.#rest = next.value
    }
    const piece = this.#rest.subarray(0, MAX_PIECE_BYTES)
    this.#rest = this.#rest.subarray(piece.length)
    return piece
  }

  /** Does not wait for a source that has yet to answer: it may never do so. */
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

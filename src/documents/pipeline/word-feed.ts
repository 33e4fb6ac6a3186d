import type { NewChunk } from '../../ports/index.js'

/** Most chunks that wait for the word index. Above it, {@link WordFeed.push} waits. */
const MAX_WAITING = 512

/**
 * Passes the chunks of a document to the indexing of their words, while further chunks are made. If the indexing is
 * slower, the maker of the chunks waits, so that memory does not grow.
 */
export class WordFeed {
  readonly #indexing: Promise<void>
  #waiting: NewChunk[] = []
  #isComplete = false
  #failure: { readonly error: unknown } | undefined
  /** Wakes the side that waits for the other. */
  #wake: () => void = () => undefined

  /** @param index indexes all chunks; it is called at once */
  constructor(index: (chunks: AsyncIterable<NewChunk>) => Promise<void>) {
    this.#indexing = index(this.#chunks()).catch((error: unknown) => {
      this.#failure = { error }
      this.#wake()
    })
  }

  /** Adds the next chunks. @throws the error of the indexing */
  async push(chunks: readonly NewChunk[]): Promise<void> {
    this.#waiting.push(...chunks)
    this.#wake()
    while (this.#waiting.length > MAX_WAITING && this.#failure === undefined) await this.#nextChange()
    this.#throwFailure()
  }

  /** Resolves once all chunks are indexed. @throws the error of the indexing */
  async end(): Promise<void> {
    this.#isComplete = true
    this.#wake()
    await this.#indexing
    this.#throwFailure()
  }

  /** Stops the indexing before the last chunk. Resolves once its writes are finished. */
  async abandon(): Promise<void> {
    this.#failure ??= { error: new Error('the indexing of this document was aborted') }
    this.#wake()
    await this.#indexing
  }

  async *#chunks(): AsyncGenerator<NewChunk> {
    for (;;) {
      this.#throwFailure()
      const chunks = this.#waiting
      this.#waiting = []
      this.#wake()
      yield* chunks
      if (chunks.length > 0) continue
      if (this.#isComplete) return
      await this.#nextChange()
    }
  }

  /** Waits for the next change by the other side. */
  async #nextChange(): Promise<void> {
    await new Promise<void>((resolve) => {
      const wakeOtherWaiter = this.#wake
      this.#wake = () => {
        this.#wake = () => undefined
        wakeOtherWaiter()
        resolve()
      }
    })
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }
}

import type { NewChunk } from '../../ports/index.js'

/** Chunks that wait for the word index, at most: whoever makes more waits. */
const MOST_WAITING = 512

/**
 * Hands the chunks of a document on to whoever indexes their words, while further chunks are made. Whoever makes them
 * waits where the other is slower, so that memory does not grow.
 */
export class WordFeed {
  readonly #indexing: Promise<void>
  #waiting: NewChunk[] = []
  #hasEnded = false
  #failure: { readonly error: unknown } | undefined
  /** Wakes whichever side waits for the other. */
  #wake: () => void = () => undefined

  /** @param index takes all chunks to their end; begins at once */
  constructor(index: (chunks: AsyncIterable<NewChunk>) => Promise<void>) {
    this.#indexing = index(this.#chunks()).catch((error: unknown) => {
      this.#failure = { error }
      this.#wake()
    })
  }

  /** Gives the next chunks. @throws what the indexing has failed with */
  async push(chunks: readonly NewChunk[]): Promise<void> {
    this.#waiting.push(...chunks)
    this.#wake()
    while (this.#waiting.length > MOST_WAITING && this.#failure === undefined) await this.#change()
    this.#throwFailure()
  }

  /** Resolves once all chunks are indexed. @throws what the indexing has failed with */
  async end(): Promise<void> {
    this.#hasEnded = true
    this.#wake()
    await this.#indexing
    this.#throwFailure()
  }

  /** No more chunks come: resolves once nothing is written any more. */
  async abandon(): Promise<void> {
    this.#failure ??= { error: new Error('the chunks of this document have ended before their end') }
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
      if (this.#hasEnded) return
      await this.#change()
    }
  }

  /** Waits until the other side has done something. */
  async #change(): Promise<void> {
    await new Promise<void>((resolve) => {
      const wakeOther = this.#wake
      this.#wake = () => {
        this.#wake = () => undefined
        wakeOther()
        resolve()
      }
    })
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }
}

import { asError, ExtractionError, type TextRecognizer, untilAborted } from '../../../src/ports/index.js'
import type { HostMessage, PicturePart } from './extraction-protocol.js'

/** The host's side of the pictures of one file: it gives them to the recogniser, and their text to the reading thread. */
export class FileRecognitions {
  readonly #parts = new Map<number, Uint8Array[]>()
  readonly #running = new Set<Promise<unknown>>()
  readonly #ending = new AbortController()
  #failure: Error | undefined

  /** @param post sends a message to the reading thread */
  constructor(
    private readonly recognizer: TextRecognizer | undefined,
    private readonly post: (message: HostMessage) => void,
  ) {}

  /** The number of pictures of the file that are read at the same time; 0 without a recogniser. */
  get atOnce(): number {
    return this.recognizer === undefined ? 0 : (this.recognizer.concurrency ?? 1)
  }

  /** Takes the next bytes of a picture. Begins to read it when it is whole. */
  add({ id, bytes, isLast }: PicturePart): void {
    const parts = this.#parts.get(id) ?? []
    parts.push(bytes)
    if (!isLast) {
      this.#parts.set(id, parts)
      return
    }
    this.#parts.delete(id)
    const running = this.#recognize(id, Buffer.concat(parts)).finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /**
   * Waits until the next message of the reading thread is here, or until no picture is being read. This time is not that
   * of the thread: the recogniser has limits of its own.
   *
   * @throws the error of a recogniser that does not work; the reason of the signal
   */
  async untilIdleOr(next: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
    const arrived = next.then(() => true)
    while (this.#running.size > 0) {
      const isHere = await untilAborted(Promise.race([arrived, ...this.#running]), signal)
      if (isHere === true) break
    }
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Stops reading the pictures of the file. */
  abort(): void {
    this.#ending.abort(new Error('the file is no longer read'))
  }

  async #recognize(id: number, picture: Uint8Array): Promise<void> {
    const { signal } = this.#ending
    try {
      const recognized = await this.recognizer?.recognize(picture, { signal })
      if (recognized !== undefined) this.post({ type: 'recognized', id, ...recognized })
    } catch (error) {
      if (signal.aborted) return
      // An error of another kind says nothing about the picture: the job is retried.
      if (error instanceof ExtractionError)
        this.post({ type: 'unrecognized', id, code: error.code, message: error.message })
      else this.#failure ??= asError(error)
    }
  }
}

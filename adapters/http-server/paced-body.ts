import { HttpError } from './problem.js'

/** Default of {@link HttpHandlerOptions.minUploadBytesPerSecond}. */
export const MIN_UPLOAD_BYTES_PER_SECOND = 1_024

const SECOND_MS = 1_000
/** The rate is measured over these seconds, because a network may fail for a while. */
const WINDOW_SECONDS = 30

/**
 * Reads a body and refuses a client that sends it too slowly.
 *
 * - Only the time in which the reader waits for the client counts: a slow reader refuses nobody.
 * - The rate is measured over the last 30 such seconds. A minimum of 0 switches the check off.
 *
 * @throws HttpError 408 `ERR_TOO_SLOW`
 */
export async function* pacedBody(
  body: ReadableStream<Uint8Array>,
  minBytesPerSecond: number,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  const pace = new Pace(minBytesPerSecond)
  for (;;) {
    const { done, value } = await pace.wait(reader.read())
    if (done) return
    pace.receive(value.byteLength)
    yield value
  }
}

class Pace {
  readonly #minBytes: number
  /** The bytes of each full second of waiting, the newest last. */
  readonly #bytesOfSeconds: number[] = []
  #receivedBytes = 0
  /** The rest of the current second of waiting. */
  #leftMs = SECOND_MS

  constructor(minBytesPerSecond: number) {
    this.#minBytes = minBytesPerSecond * WINDOW_SECONDS
  }

  receive(bytes: number): void {
    this.#receivedBytes += bytes
  }

  async wait<T>(read: Promise<T>): Promise<T> {
    let startedAt = performance.now()
    let timer: ReturnType<typeof setTimeout> | undefined
    const slow = new Promise<never>((_resolve, reject) => {
      const startSecond = (): void => {
        timer = setTimeout(() => {
          startedAt = performance.now()
          this.#leftMs = SECOND_MS
          if (this.#isTooSlowAfterSecond()) reject(this.#refusal())
          else startSecond()
        }, this.#leftMs)
      }
      startSecond()
    })
    try {
      return await Promise.race([read, slow])
    } finally {
      clearTimeout(timer)
      this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - startedAt))
    }
  }

  #isTooSlowAfterSecond(): boolean {
    this.#bytesOfSeconds.push(this.#receivedBytes)
    this.#receivedBytes = 0
    if (this.#bytesOfSeconds.length < WINDOW_SECONDS) return false
    const totalBytes = this.#bytesOfSeconds.reduce((sum, bytes) => sum + bytes, 0)
    this.#bytesOfSeconds.shift()
    return totalBytes < this.#minBytes
  }

  #refusal(): HttpError {
    const rate = `${this.#minBytes / WINDOW_SECONDS} bytes a second`
    const problem = `the body arrived more slowly than ${rate} over ${WINDOW_SECONDS} seconds: retry on a faster connection`
    return new HttpError(408, 'ERR_TOO_SLOW', problem)
  }
}

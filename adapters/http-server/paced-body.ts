import { HttpError } from './problem.js'

/** Default of {@link HttpHandlerOptions.minUploadBytesPerSecond}. */
export const LEAST_UPLOAD_BYTES_PER_SECOND = 1_024

const SECOND_MS = 1_000
/** Seconds over which the rate is measured: a network may fail for a while. */
const WINDOW_SECONDS = 30

/**
 * Reads a body, and refuses a client that sends it too slowly.
 *
 * - Only time in which the reader waits for the client counts: a reader that is slow itself refuses nobody.
 * - The rate is measured over the last 30 such seconds; 0 bytes a second switches that off.
 *
 * @throws HttpError 408 `ERR_TOO_SLOW`
 */
export async function* pacedBody(
  body: ReadableStream<Uint8Array>,
  leastBytesPerSecond: number,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  const pace = new Pace(leastBytesPerSecond)
  for (;;) {
    const { done, value } = await pace.wait(reader.read())
    if (done) return
    pace.receive(value.byteLength)
    yield value
  }
}

class Pace {
  readonly #leastBytes: number
  /** Bytes of each of the seconds waited before the one that runs, the newest last. */
  readonly #seconds: number[] = []
  #receivedBytes = 0
  #leftMs = SECOND_MS

  constructor(leastBytesPerSecond: number) {
    this.#leastBytes = leastBytesPerSecond * WINDOW_SECONDS
  }

  receive(bytes: number): void {
    this.#receivedBytes += bytes
  }

  async wait<T>(read: Promise<T>): Promise<T> {
    let began = performance.now()
    let timer: ReturnType<typeof setTimeout> | undefined
    const slow = new Promise<never>((_resolve, reject) => {
      const wait = (): void => {
        timer = setTimeout(() => {
          began = performance.now()
          this.#leftMs = SECOND_MS
          if (this.#isTooSlow()) reject(this.#refusal())
          else wait()
        }, this.#leftMs)
      }
      wait()
    })
    try {
      return await Promise.race([read, slow])
    } finally {
      clearTimeout(timer)
      this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - began))
    }
  }

  /** Ends a second. */
  #isTooSlow(): boolean {
    this.#seconds.push(this.#receivedBytes)
    this.#receivedBytes = 0
    if (this.#seconds.length < WINDOW_SECONDS) return false
    const bytes = this.#seconds.reduce((sum, second) => sum + second, 0)
    this.#seconds.shift()
    return bytes < this.#leastBytes
  }

  #refusal(): HttpError {
    const rate = `${this.#leastBytes / WINDOW_SECONDS} bytes a second`
    const problem = `the body came slower than ${rate} over ${WINDOW_SECONDS} seconds: send it again, faster`
    return new HttpError(408, 'ERR_TOO_SLOW', problem)
  }
}

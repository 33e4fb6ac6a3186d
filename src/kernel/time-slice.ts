/** Longest stretch of work on the host's event loop, well under the 50 ms it may be blocked. */
const SLICE_MS = 10

/** Lets the event loop turn whenever work has gone on for a slice. */
export class TimeSlice {
  readonly #restMs: number
  #began = performance.now()

  /** @param restMs pause after each slice, for work that is not urgent; default 0 */
  constructor(restMs: number = 0) {
    this.#restMs = restMs
  }

  /** Waits for a turn of the event loop if the slice is used up. */
  async breathe(): Promise<void> {
    if (performance.now() - this.#began < SLICE_MS) return
    await new Promise((resolve) => {
      setTimeout(resolve, this.#restMs)
    })
    this.#began = performance.now()
  }
}

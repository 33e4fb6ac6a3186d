/** Longest stretch of work on the host's event loop, well under the 50 ms it may be blocked. */
const SLICE_MS = 10

/** Lets the event loop turn whenever work has gone on for a slice. */
export class TimeSlice {
  #began = performance.now()

  /** Waits for a turn of the event loop if the slice is used up. */
  async breathe(): Promise<void> {
    if (performance.now() - this.#began < SLICE_MS) return
    await new Promise((resolve) => {
      setTimeout(resolve, 0)
    })
    this.#began = performance.now()
  }
}

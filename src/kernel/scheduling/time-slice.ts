/** Longest work without a pause on the host's event loop. It is well below 50 ms, the longest acceptable block. */
const SLICE_MS = 10

/** Lets the event loop run before the caller goes on. @param restMs the least pause; default 0 */
export async function letEventLoopRun(restMs: number = 0): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, restMs)
  })
}

/** Splits long work into slices, so that the host's event loop runs between them. */
export class TimeSlice {
  #startedAt = performance.now()

  /** @param restMs pause after each slice, for work that is not urgent; default 0 */
  constructor(private readonly restMs: number = 0) {}

  /** Lets the event loop run if the slice is over, and starts the next slice. */
  async pauseIfOver(): Promise<void> {
    if (performance.now() - this.#startedAt < SLICE_MS) return
    await letEventLoopRun(this.restMs)
    this.#startedAt = performance.now()
  }
}

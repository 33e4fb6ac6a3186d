const [FIRST_MS, LONGEST_MS] = [1_000, 60_000]

/** Pauses that double as long as no work succeeds. A success resets them. */
export class Backoff {
  #pauseMs = FIRST_MS
  #until = -Infinity

  /** Remaining milliseconds of the present pause. */
  get remainingMs(): number {
    return Math.max(0, this.#until - performance.now())
  }

  /** Starts a pause. Failures during a pause do not extend it. @returns its remaining milliseconds */
  start(): number {
    if (this.remainingMs === 0) {
      this.#until = performance.now() + this.#pauseMs
      this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_MS)
    }
    return this.remainingMs
  }

  reset(): void {
    this.#pauseMs = FIRST_MS
  }
}

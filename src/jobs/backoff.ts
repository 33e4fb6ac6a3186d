const [FIRST_MS, LONGEST_MS] = [1_000, 60_000]

/** Pauses that grow as long as nothing can be done, and begin anew once something was. */
export class Rest {
  #pauseMs = FIRST_MS
  #until = -Infinity

  /** Milliseconds that are left of a pause. */
  get leftMs(): number {
    return Math.max(0, this.#until - performance.now())
  }

  /** Those who fail together cause one pause. @returns milliseconds that are left of it */
  begin(): number {
    if (this.leftMs === 0) {
      this.#until = performance.now() + this.#pauseMs
      this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_MS)
    }
    return this.leftMs
  }

  end(): void {
    this.#pauseMs = FIRST_MS
  }
}

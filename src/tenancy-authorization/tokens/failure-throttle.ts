import type { Clock } from '../../ports/index.js'
import { ThrottledError } from '../../shared/errors.js'

const MOST_FAILURES = 10
const WINDOW_MS = 60_000
/** Names that are remembered; strangers can invent any number of them. */
const MOST_NAMES = 10_000

/** Counts the failures of each name in the last minute (case T9). */
export class FailureThrottle {
  readonly #clock: Clock
  readonly #failures = new Map<string, number[]>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Counts one more failure.
   * @throws ThrottledError after ten of them within a minute
   */
  failed(name: string): void {
    const now = this.#clock.now().getTime()
    const recent = (this.#failures.get(name) ?? []).filter((time) => time > now - WINDOW_MS)
    // Set anew, it is the last to be forgotten.
    this.#failures.delete(name)
    this.#failures.set(name, recent)
    if (this.#failures.size > MOST_NAMES) this.#forgetOldest()
    if (recent.length >= MOST_FAILURES) {
      const waitMs = (recent[0] ?? now) + WINDOW_MS - now
      throw new ThrottledError('too many wrong secrets for this client id: wait', Math.ceil(waitMs / 1_000))
    }
    recent.push(now)
  }

  #forgetOldest(): void {
    for (const name of this.#failures.keys()) {
      this.#failures.delete(name)
      return
    }
  }
}

import type { Clock } from '../../ports/index.js'
import { ThrottledError } from '../../shared/errors.js'

const MOST_FAILURES = 10
const WINDOW_MS = 60_000
/** Names that are remembered; strangers can invent any number of them. */
const MOST_NAMES = 10_000
/** Longer names are alike to it: no client id is as long. */
const MOST_CHARACTERS = 100

/** Counts the failures of each name in the last minute (case T9). */
export class FailureThrottle {
  readonly #clock: Clock
  readonly #known = new Map<string, number[]>()
  /** Apart: any number of invented names must not make a real one forgotten. */
  readonly #unknown = new Map<string, number[]>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Counts one more failure.
   * @param isKnown whether there is anything by that name
   * @throws ThrottledError after ten of them within a minute
   */
  failed(givenName: string, isKnown: boolean): void {
    const failures = isKnown ? this.#known : this.#unknown
    const name = givenName.slice(0, MOST_CHARACTERS)
    const now = this.#clock.now().getTime()
    const recent = (failures.get(name) ?? []).filter((time) => time > now - WINDOW_MS)
    // Set anew, it is the last to be forgotten.
    failures.delete(name)
    failures.set(name, recent)
    if (failures.size > MOST_NAMES) forgetOldest(failures)
    if (recent.length >= MOST_FAILURES) {
      const waitMs = (recent[0] ?? now) + WINDOW_MS - now
      throw new ThrottledError('too many wrong secrets for this client id: wait', Math.ceil(waitMs / 1_000))
    }
    recent.push(now)
  }
}

function forgetOldest(failures: Map<string, unknown>): void {
  for (const name of failures.keys()) {
    failures.delete(name)
    return
  }
}

import type { Clock, Repositories, Storage, TransactionOptions } from '../../ports/index.js'
import { ThrottledError } from '../../shared/errors.js'
import { sha256Hex } from '../../shared/random.js'

const WINDOW_MS = 60_000
/** Counters that are known to be full; the oldest are forgotten, and asked for again. */
const MOST_REMEMBERED = 10_000
const COUNTING: TransactionOptions = { isolation: 'read committed', isWriteFirst: true }

/** What is counted for one name, and how often it may happen in a minute. */
export interface Counter {
  /** What is counted, such as `failures-of-client`. */
  readonly kind: string
  /** For whom. It is stored as a hash alone: names may be addresses of people, or of any length. */
  readonly name: string
  readonly mostPerMinute: number
  /** Why the next event is refused. */
  readonly refusal: string
}

/**
 * Counts events of names in windows of a minute, for all processes on a storage together. A counter that is full is
 * remembered until its window ends: what is refused meanwhile costs no look at the storage.
 */
export class Throttle {
  readonly #storage: Storage
  readonly #clock: Clock
  /** When the windows of full counters end, in milliseconds. */
  readonly #full = new Map<string, number>()

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  /**
   * Counts one event in each counter, in their order; those behind the first that is full are left alone.
   * @throws ThrottledError where one of them is full
   */
  async count(counters: readonly Counter[]): Promise<void> {
    await this.#ask(counters, async (ask) => await this.#storage.transaction(ask, COUNTING), 'take')
  }

  /** Looks as {@link count} does, and counts nothing. */
  async check(counters: readonly Counter[]): Promise<void> {
    await this.#ask(counters, async (ask) => await this.#storage.read(ask), 'peek')
  }

  async #ask(
    counters: readonly Counter[],
    run: (ask: (repositories: Repositories) => Promise<Refusal | undefined>) => Promise<Refusal | undefined>,
    how: 'take' | 'peek',
  ): Promise<void> {
    const names = await Promise.all(counters.map(async ({ kind, name }) => `${kind}:${await sha256Hex(name)}`))
    const now = this.#clock.now()
    for (const [at, counter] of counters.entries()) this.#refuseIfFull(names[at] ?? '', counter, now.getTime())
    const refused = await run(async ({ rates }) => {
      for (const [at, { mostPerMinute }] of counters.entries()) {
        const limit = { most: mostPerMinute, windowMs: WINDOW_MS, now }
        const { isAllowed, retryAfterMs } = await rates[how](names[at] ?? '', limit)
        if (!isAllowed) return { at, retryAfterMs }
      }
      return undefined
    })
    if (refused === undefined) return
    const { at, retryAfterMs } = refused
    this.#remember(names[at] ?? '', now.getTime() + retryAfterMs)
    throw new ThrottledError(counters[at]?.refusal ?? '', Math.ceil(retryAfterMs / 1_000))
  }

  #refuseIfFull(name: string, { refusal }: Counter, nowMs: number): void {
    const waitMs = (this.#full.get(name) ?? nowMs) - nowMs
    if (waitMs > 0 && waitMs <= WINDOW_MS) throw new ThrottledError(refusal, Math.ceil(waitMs / 1_000))
    this.#full.delete(name)
  }

  #remember(name: string, endsMs: number): void {
    this.#full.set(name, endsMs)
    for (const oldest of this.#full.keys()) {
      if (this.#full.size <= MOST_REMEMBERED) return
      this.#full.delete(oldest)
    }
  }
}

interface Refusal {
  readonly at: number
  readonly retryAfterMs: number
}

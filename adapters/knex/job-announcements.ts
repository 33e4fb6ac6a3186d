import type { Knex } from 'knex'

/** Announcements of one process are so far apart, at least. */
const PAUSE_MS = 20

/**
 * Tells other processes on PostgreSQL that jobs are due, after the commit of whoever has enqueued them: transactions
 * that notify commit one after the other, each waiting for the disk alone. The first announcement is made at once, those
 * that follow are put together. It is a hint, which may be lost: others look from time to time all the same.
 */
export class JobAnnouncements {
  readonly #knex: Knex
  readonly #channel: string
  readonly #due = new Set<string>()
  #sending: Promise<void> | undefined
  #pause: NodeJS.Timeout | undefined
  #isClosed = false

  /** @param channel what {@link listenTo} listens on */
  constructor(knex: Knex, channel: string) {
    this.#knex = knex
    this.#channel = channel
  }

  /** Returns at once, and never fails. */
  announce(kinds: Iterable<string>): void {
    if (this.#isClosed) return
    for (const kind of kinds) this.#due.add(kind)
    if (this.#sending === undefined && this.#pause === undefined) this.#send()
  }

  /** What is being sent is waited for, what is still to be sent is dropped. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#pause)
    await this.#sending
  }

  #send(): void {
    const kinds = [...this.#due]
    this.#due.clear()
    if (kinds.length === 0) return
    this.#sending = this.#notify(kinds).then(() => {
      this.#sending = undefined
      if (this.#isClosed) return
      this.#pause = setTimeout(() => {
        this.#pause = undefined
        this.#send()
      }, PAUSE_MS).unref()
    })
  }

  /** Nothing of it must outlive a crash: it does not wait for the disk, while others wait for its lock. */
  async #notify(kinds: readonly string[]): Promise<void> {
    try {
      await this.#knex.raw(
        `select set_config('synchronous_commit', 'off', true), pg_notify(?, kind) from unnest(?::text[]) as kind`,
        [this.#channel, kinds as string[]],
      )
    } catch {
      // The database is away, which everybody who works with it is told.
    }
  }
}

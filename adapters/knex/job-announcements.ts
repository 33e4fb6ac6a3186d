import type { Knex } from 'knex'

/** Shortest time between two announcements of one process. */
const MIN_PAUSE_MS = 20

/**
 * Notifies other processes on PostgreSQL that jobs are due. It does so after the transaction that enqueues them:
 * transactions with a NOTIFY commit one after the other, and each waits for the disk by itself. The first announcement
 * is sent at once; later ones are combined. An announcement is a hint that may be lost: the other processes also poll.
 */
export class JobAnnouncements {
  readonly #knex: Knex
  readonly #channel: string
  readonly #pendingKinds = new Set<string>()
  #sending: Promise<void> | undefined
  #pause: NodeJS.Timeout | undefined
  #isClosed = false

  /** @param channel the channel of {@link listenTo} */
  constructor(knex: Knex, channel: string) {
    this.#knex = knex
    this.#channel = channel
  }

  /** Returns at once, and never throws. */
  announce(kinds: Iterable<string>): void {
    if (this.#isClosed) return
    for (const kind of kinds) this.#pendingKinds.add(kind)
    if (this.#sending === undefined && this.#pause === undefined) this.#send()
  }

  /** Waits for the announcement that is being sent. Drops the kinds that are not sent yet. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#pause)
    await this.#sending
  }

  #send(): void {
    const kinds = [...this.#pendingKinds]
    this.#pendingKinds.clear()
    if (kinds.length === 0) return
    this.#sending = this.#notify(kinds).then(() => {
      this.#sending = undefined
      if (this.#isClosed) return
      this.#pause = setTimeout(() => {
        this.#pause = undefined
        this.#send()
      }, MIN_PAUSE_MS).unref()
    })
  }

  /**
   * An announcement need not survive a crash. So its commit does not wait for the disk while others wait for its lock.
   */
  async #notify(kinds: readonly string[]): Promise<void> {
    try {
      await this.#knex.raw(
        `select set_config('synchronous_commit', 'off', true), pg_notify(?, kind) from unnest(?::text[]) as kind`,
        [this.#channel, kinds as string[]],
      )
    } catch {
      // The database is not reachable. Every caller that uses it gets that error itself.
    }
  }
}

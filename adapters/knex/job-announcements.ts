import { setTimeout as delay } from 'node:timers/promises'
import type { Knex } from 'knex'

/** Shortest time between two announcements of one process. */
const MIN_PAUSE_MS = 20

/**
 * Notifies other processes on PostgreSQL that jobs are due. It does so after the transaction that enqueues them:
 * transactions with a NOTIFY commit one after the other, and each waits for the disk by itself. The first announcement
 * is sent at once; later ones are combined. An announcement is a hint that may be lost: the other processes also poll.
 */
export class JobAnnouncements {
  readonly #pendingKinds = new Set<string>()
  #sending: Promise<void> | undefined
  #pause: NodeJS.Timeout | undefined
  #isClosed = false

  /** @param channel the channel of {@link listenTo} */
  constructor(
    private readonly knex: Knex,
    private readonly channel: string,
  ) {}

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
      await this.knex.raw(
        `select set_config('synchronous_commit', 'off', true), pg_notify(?, kind) from unnest(?::text[]) as kind`,
        [this.channel, kinds as string[]],
      )
    } catch {
      // The database is not reachable. Every caller that uses it gets that error itself.
    }
  }
}

/** The pauses before a listener reconnects. Each pause is twice as long as the one before, up to the longest. */
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 5_000

/** The part of the driver's connection that is used. */
interface Connection {
  query(sql: string): Promise<unknown>
  on(name: 'notification', listener: (message: { readonly payload?: string }) => void): unknown
  once(name: 'end' | 'error', listener: () => void): unknown
  end(): Promise<void>
  ref?(): void
  unref?(): void
}

/**
 * Listens on a channel of PostgreSQL through a connection of its own, and reconnects when that is lost. Notifications
 * that are sent before it has reconnected are lost, so the caller must also poll.
 *
 * @param onNotification called with the payload of each notification
 * @returns a function that stops listening
 */
export function listenTo(knex: Knex, channel: string, onNotification: (payload: string) => void): () => Promise<void> {
  const stopping = new AbortController()
  const listening = listen(knex, channel, onNotification, stopping.signal)
  return async () => {
    stopping.abort()
    await listening
  }
}

async function listen(
  knex: Knex,
  channel: string,
  onNotification: (payload: string) => void,
  stopping: AbortSignal,
): Promise<void> {
  const stopped = new Promise<undefined>((resolve) => {
    stopping.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  let pauseMs = FIRST_PAUSE_MS
  while (!stopping.aborted) {
    try {
      const connecting = connect(knex)
      const connection = await Promise.race([connecting, stopped])
      if (connection === undefined) {
        void connecting.then((connection) => connection.end()).catch(() => undefined)
        return
      }
      try {
        const lost = new Promise<void>((resolve) => {
          connection.once('end', resolve)
          connection.once('error', resolve)
        })
        connection.on('notification', ({ payload = '' }) => onNotification(payload))
        // The table prefix has only letters, digits and _, so the name needs no escaping.
        await connection.query(`listen "${channel}"`)
        pauseMs = FIRST_PAUSE_MS
        await Promise.race([lost, stopped])
      } finally {
        // The caller of `close` waits for this end.
        connection.ref?.()
        await connection.end().catch(() => undefined)
      }
    } catch {
      // The database is not reachable. Every caller that uses it gets that error itself.
    }
    await delay(pauseMs, undefined, { ref: false, signal: stopping }).catch(() => undefined)
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  }
}

/** The connection is not taken from the pool, as it never becomes free. It does not keep the process alive. */
async function connect(knex: Knex): Promise<Connection> {
  const client = knex.client as { acquireRawConnection(): Promise<Connection> }
  const connection = await client.acquireRawConnection()
  connection.unref?.()
  return connection
}

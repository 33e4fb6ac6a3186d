import { setTimeout as delay } from 'node:timers/promises'
import type { Knex } from 'knex'

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 5_000

/** The part of the driver's connection that is used. */
interface Connection {
  query(sql: string): Promise<unknown>
  on(name: 'notification', listener: (message: { readonly payload?: string }) => void): unknown
  once(name: 'end' | 'error', listener: () => void): unknown
  end(): Promise<void>
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

import { setTimeout } from 'node:timers/promises'
import type { Knex } from 'knex'

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 5_000

/** What is used of the driver's connection. */
interface Connection {
  query(sql: string): Promise<unknown>
  on(name: 'notification', heard: (message: { readonly payload?: string }) => void): unknown
  once(name: 'end' | 'error', ended: () => void): unknown
  end(): Promise<void>
  unref?(): void
}

/**
 * Listens on a channel of PostgreSQL's by a connection of its own, and connects again where that is lost. What is
 * notified meanwhile is not heard: whoever listens looks from time to time all the same.
 *
 * @param heard called with the payload of each notification
 * @returns what ends it
 */
export function listenTo(knex: Knex, channel: string, heard: (payload: string) => void): () => Promise<void> {
  const stopping = new AbortController()
  const listening = listen(knex, channel, heard, stopping.signal)
  return async () => {
    stopping.abort()
    await listening
  }
}

async function listen(
  knex: Knex,
  channel: string,
  heard: (payload: string) => void,
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
        void connecting.then((late) => late.end()).catch(() => undefined)
        return
      }
      try {
        const lost = new Promise<void>((resolve) => {
          connection.once('end', resolve)
          connection.once('error', resolve)
        })
        connection.on('notification', ({ payload = '' }) => heard(payload))
        // The prefix is plain letters: the name needs no escaping.
        await connection.query(`listen "${channel}"`)
        pauseMs = FIRST_PAUSE_MS
        await Promise.race([lost, stopped])
      } finally {
        await connection.end().catch(() => undefined)
      }
    } catch {
      // The database is away, which everybody who works with it is told.
    }
    await setTimeout(pauseMs, undefined, { ref: false, signal: stopping }).catch(() => undefined)
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  }
}

/** Not one of the pool: it is never free. It keeps no process alive. */
async function connect(knex: Knex): Promise<Connection> {
  const client = knex.client as { acquireRawConnection(): Promise<Connection> }
  const connection = await client.acquireRawConnection()
  connection.unref?.()
  return connection
}

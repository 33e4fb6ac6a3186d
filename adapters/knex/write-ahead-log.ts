import type { Knex } from 'knex'

/** The log is emptied after a pause of writes, and at the latest this long after the first write. */
const QUIET_MS = 5_000
const LONGEST_MS = 60_000
/** The pause after a try that met a reader or a writer. */
const RETRY_MS = 1_000
/** The time for which statements of the pool wait for a lock. */
const BUSY_TIMEOUT_MS = 15_000

/** The part of a knex client that hands out connections. */
interface ConnectionSource {
  acquireConnection(): Promise<unknown>
  releaseConnection(connection: unknown): Promise<void>
}

/**
 * Empties the write-ahead log of SQLite after writes. The log keeps deleted rows until other writes take their place:
 * SQLite begins it again, but shortens it only when the last connection closes.
 */
export class WriteAheadLog {
  #timer: NodeJS.Timeout | undefined
  #firstWrite: number | undefined
  #emptying: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(private readonly knex: Knex) {}

  /** Called after each write. */
  noteWrite(): void {
    const now = performance.now()
    this.#firstWrite ??= now
    this.#schedule(Math.max(0, Math.min(QUIET_MS, this.#firstWrite + LONGEST_MS - now)))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#emptying
  }

  #schedule(delayMs: number): void {
    if (this.#isClosed) return
    if (this.#timer !== undefined && delayMs > 0) {
      if (delayMs >= QUIET_MS) this.#timer.refresh()
      return
    }
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#firstWrite = undefined
      this.#emptying = this.#empty().then(
        (isEmpty) => {
          if (!isEmpty) this.#schedule(RETRY_MS)
        },
        // The next write tries once more.
        () => undefined,
      )
    }, delayMs).unref()
  }

  async #empty(): Promise<boolean> {
    const client = this.knex.client as ConnectionSource
    const connection = await client.acquireConnection()
    const run = async (statement: string): Promise<unknown> => await this.knex.raw(statement).connection(connection)
    try {
      // A wait for readers would make every writer wait.
      await run('pragma busy_timeout = 0')
      const [row] = (await run('pragma wal_checkpoint(truncate)')) as readonly { readonly busy: number }[]
      return row?.busy === 0
    } finally {
      await run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`).catch(() => undefined)
      await client.releaseConnection(connection)
    }
  }
}

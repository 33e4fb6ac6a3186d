import type { Knex } from 'knex'
import pLimit from 'p-limit'
import { ClosedError, InvalidInputError, type ProcessLocks } from '../../src/ports/index.js'
import { translated } from './errors.js'
import { type DriverConnection, endConnection } from './unanswered-statements.js'

export interface PostgresProcessLocksOptions {
  /**
   * Connections to PostgreSQL (client `pg`), at least five, of which each lock that is held or waited
   * for takes one. They are destroyed with the locks.
   */
  readonly knex: Knex
  /** Keeps the locks of one application apart from those of others in the database; default `alcove_`. */
  readonly tablePrefix?: string
}

/** Two that put tables in order, one that drops another, which holds two, and one that writes for any of them. */
const FEWEST_CONNECTIONS = 5
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1
/** Of a name, in the schema where the tables are. */
const KEY = `hashtextextended(current_schema() || '.' || ?, 0)`

/** What is used of knex's client: a lock belongs to a connection, and is no transaction. */
interface Client {
  readonly pool: { readonly max: number }
  acquireConnection(): Promise<DriverConnection>
  releaseConnection(connection: DriverConnection): Promise<void>
}

/** Locks among the processes of one PostgreSQL database: advisory locks, which end with the connection that holds them. */
export class PostgresProcessLocks implements ProcessLocks {
  readonly #knex: Knex
  readonly #tablePrefix: string
  /** Whoever finds no connection waits here, and not until the pool loses its patience. */
  readonly #turn
  #isClosed = false

  constructor({ knex, tablePrefix = 'alcove_' }: PostgresProcessLocksOptions) {
    this.#knex = knex
    this.#tablePrefix = tablePrefix
    const { max } = this.#client.pool
    if (max < FEWEST_CONNECTIONS) {
      throw new InvalidInputError(
        'knex',
        `must have ${FEWEST_CONNECTIONS} connections at least: locks are held within others`,
      )
    }
    this.#turn = pLimit(max)
  }

  async hold<T>(name: string, work: () => Promise<T>): Promise<T> {
    return await this.#connected(async (ask) => {
      // Others hold it as long as they hold it, whatever a statement may take.
      await ask(`select pg_advisory_lock(${KEY})`, name, { query_timeout: LONGEST_TIMEOUT_MS })
      return await this.#releasing(name, ask, work)
    })
  }

  async tryToHold(name: string, work: () => Promise<void>): Promise<boolean> {
    return await this.#connected(async (ask) => {
      const answer = await ask(`select pg_try_advisory_lock(${KEY}) as taken`, name)
      if (answer.rows[0]?.taken !== true) return false
      await this.#releasing(name, ask, work)
      return true
    })
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#knex.destroy()
  }

  /** Works with a connection, which is not used again where it failed: it may still hold a lock, or come to hold one. */
  async #connected<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
    this.#refuseIfClosed()
    return await this.#turn(async () => {
      this.#refuseIfClosed()
      const connection = await translated(this.#client.acquireConnection())
      try {
        return await work(async (sql, name, options = {}) => {
          const named = this.#knex.raw<Answer>(sql, [`${this.#tablePrefix}${name}`])
          const asked = named.options(options).connection(connection)
          return await translated<Answer>(asked).catch(async (error: unknown) => {
            await endConnection(connection, error)
            throw error
          })
        })
      } finally {
        await this.#client.releaseConnection(connection)
      }
    })
  }

  async #releasing<T>(name: string, ask: Ask, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } finally {
      // Where that fails the connection goes, and the lock with it.
      await ask(`select pg_advisory_unlock(${KEY})`, name).catch(() => undefined)
    }
  }

  get #client(): Client {
    return this.#knex.client as Client
  }

  #refuseIfClosed(): void {
    if (this.#isClosed) throw new ClosedError('the locks')
  }
}

interface Answer {
  readonly rows: readonly { readonly taken?: boolean }[]
}

type Ask = (sql: string, name: string, options?: { readonly query_timeout?: number }) => Promise<Answer>

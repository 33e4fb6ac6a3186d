import type { Knex } from 'knex'
import pLimit from 'p-limit'
import { ClosedError, InvalidInputError, type ProcessLocks } from '../../src/ports/index.js'
import { type DriverConnection, discardConnection } from './connections.js'
import { withTranslatedErrors } from './errors.js'

export interface PostgresProcessLocksOptions {
  /**
   * At least five connections to PostgreSQL (client `pg`). Each lock that is held or waited for uses one. They are
   * destroyed when the locks are closed.
   */
  readonly knex: Knex
  /** Separates the locks of one application from those of others in the same database. Default: `alcove_`. */
  readonly tablePrefix?: string
}

/** Two jobs that maintain tables, one that drops a table and holds two locks, and one that writes for any of them. */
const MIN_CONNECTIONS = 5
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1
/** SQL for the key of a name, separate for each schema. */
const LOCK_KEY = `hashtextextended(current_schema() || '.' || ?, 0)`

/** The part of knex's client that is used. A lock belongs to a connection, not to a transaction. */
interface Client {
  readonly pool: { readonly max: number }
  acquireConnection(): Promise<DriverConnection>
  releaseConnection(connection: DriverConnection): Promise<void>
}

/**
 * Locks between the processes of one PostgreSQL database: advisory locks, which the end of their connection releases.
 */
export class PostgresProcessLocks implements ProcessLocks {
  readonly #knex: Knex
  readonly #tablePrefix: string
  /** A caller waits here for a free connection, without the timeout of the pool. */
  readonly #limit
  #isClosed = false

  constructor({ knex, tablePrefix = 'alcove_' }: PostgresProcessLocksOptions) {
    this.#knex = knex
    this.#tablePrefix = tablePrefix
    const { max } = this.#client.pool
    if (max < MIN_CONNECTIONS) {
      throw new InvalidInputError(
        'knex',
        `must have at least ${MIN_CONNECTIONS} connections: a process that holds a lock may need another one`,
      )
    }
    this.#limit = pLimit(max)
  }

  async hold<T>(name: string, work: () => Promise<T>): Promise<T> {
    return await this.#withConnection(async (execute) => {
      // Another process may hold the lock for any time, so the timeout of statements does not apply.
      await execute(`select pg_advisory_lock(${LOCK_KEY})`, name, { query_timeout: LONGEST_TIMEOUT_MS })
      return await this.#runAndUnlock(name, execute, work)
    })
  }

  async tryToHold(name: string, work: () => Promise<void>): Promise<boolean> {
    return await this.#withConnection(async (execute) => {
      const result = await execute(`select pg_try_advisory_lock(${LOCK_KEY}) as taken`, name)
      if (result.rows[0]?.taken !== true) return false
      await this.#runAndUnlock(name, execute, work)
      return true
    })
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#knex.destroy()
  }

  /** Runs work with a connection. A connection that failed is discarded: it may still hold a lock, or get one later. */
  async #withConnection<T>(work: (execute: Execute) => Promise<T>): Promise<T> {
    this.#refuseIfClosed()
    return await this.#limit(async () => {
      this.#refuseIfClosed()
      const connection = await withTranslatedErrors(this.#client.acquireConnection())
      try {
        return await work(async (sql, name, options = {}) => {
          const statement = this.#knex.raw<LockResult>(sql, [`${this.#tablePrefix}${name}`])
          const onConnection = statement.options(options).connection(connection)
          return await withTranslatedErrors<LockResult>(onConnection).catch(async (error: unknown) => {
            await discardConnection(connection, error)
            throw error
          })
        })
      } finally {
        await this.#client.releaseConnection(connection)
      }
    })
  }

  async #runAndUnlock<T>(name: string, execute: Execute, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } finally {
      // If this fails, the connection is closed, which releases the lock.
      await execute(`select pg_advisory_unlock(${LOCK_KEY})`, name).catch(() => undefined)
    }
  }

  get #client(): Client {
    return this.#knex.client as Client
  }

  #refuseIfClosed(): void {
    if (this.#isClosed) throw new ClosedError('the locks')
  }
}

interface LockResult {
  readonly rows: readonly { readonly taken?: boolean }[]
}

type Execute = (sql: string, name: string, options?: { readonly query_timeout?: number }) => Promise<LockResult>

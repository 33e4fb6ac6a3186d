import type { Knex } from 'knex'
import {
  ClosedError,
  InvalidInputError,
  type Repositories,
  SchemaTooNewError,
  type Storage,
  type TransactionOptions,
} from '../../src/ports/index.js'
import { type Dialect, dialectOf } from './dialect.js'
import { translateError } from './errors.js'
import { hostTransaction, outermost } from './host-transaction.js'
import { JobAnnouncements } from './job-announcements.js'
import { listenTo } from './job-notifications.js'
import { MIGRATIONS } from './migrations.js'
import { repeated } from './repeated.js'
import { repositoriesOf } from './repositories/repositories-of.js'
import { number, type Row } from './rows.js'
import { type NameTable, TABLE_PREFIX_PATTERN } from './tables.js'
import { transacted } from './transacted.js'
import { verifyDatabase } from './verify-database.js'

export interface KnexStorageOptions {
  /**
   * Connections to SQLite (client `sqlite3` or `better-sqlite3`) or PostgreSQL (`pg`), without `wrapIdentifier` and
   * `postProcessResponse`. The storage destroys them when it is closed, unless told otherwise.
   */
  readonly knex: Knex
  /** Put before every table's name; default `alcove_`. */
  readonly tablePrefix?: string
  /** Whether the host destroys `knex` itself; default false. */
  readonly keepKnex?: boolean
}

/** Storage on a database that knex speaks to: SQLite, or PostgreSQL. */
export class KnexStorage implements Storage {
  readonly #knex: Knex
  readonly #keepKnex: boolean
  readonly #dialect: Dialect
  readonly #name: NameTable
  /** SQLite tells nobody: engines of one folder look several times a second. */
  readonly #announcements: JobAnnouncements | undefined
  /** SQLite has one writer; waiting here costs less than waiting on its lock. */
  #lastWrite: Promise<unknown> = Promise.resolve()
  #opened: Promise<void> | undefined
  #isClosed = false

  /** @throws InvalidInputError for a `knex` or a `tablePrefix` that cannot be used */
  constructor(options: KnexStorageOptions) {
    const { knex, tablePrefix = 'alcove_', keepKnex = false } = options
    if (!TABLE_PREFIX_PATTERN.test(tablePrefix)) {
      throw new InvalidInputError('tablePrefix', 'must be letters, digits and _, and begin with a letter or _')
    }
    this.#knex = knex
    this.#keepKnex = keepKnex
    this.#dialect = dialectOf(knex)
    this.#name = (table) => tablePrefix + table
    this.#announcements = this.#dialect.hasOneWriter ? undefined : new JobAnnouncements(knex, this.#name('jobs'))
  }

  /** Whether other machines may work with the database, too. */
  get isOnServer(): boolean {
    return !this.#dialect.hasOneWriter
  }

  async open(): Promise<void> {
    this.#opened ??= this.#migrate().catch((error: unknown) => {
      this.#opened = undefined
      throw error
    })
    await this.#opened
  }

  async read<T>(work: (repositories: Repositories) => Promise<T>): Promise<T> {
    return await this.#translated(() => work(this.#repositories(this.#knex)))
  }

  async transaction<T>(
    work: (repositories: Repositories) => Promise<T>,
    { isolation = 'serializable', isWriteFirst = false }: TransactionOptions = {},
  ): Promise<T> {
    let kinds = new Set<string>()
    const result = await this.#inTransaction(async (transaction) => {
      // Done again, it may enqueue others.
      kinds = new Set()
      if (this.#dialect.hasOneWriter && !isWriteFirst) await this.#takeWriteLock(transaction)
      return await work(this.#repositories(transaction, kinds))
    }, isolation)
    this.#announcements?.announce(kinds)
    return result
  }

  async join<T>(transaction: unknown, work: (repositories: Repositories) => Promise<T>, ended: () => void): Promise<T> {
    const outer = hostTransaction(transaction, this.#knex)
    const kinds = new Set<string>()
    const result = await this.#translated(async () => {
      // A savepoint: what fails here is taken back, and what the host has done stays.
      return await transacted(outer, async (savepoint) => {
        if (this.#dialect.hasOneWriter) await this.#takeWriteLock(savepoint)
        return await work(this.#repositories(savepoint, kinds))
      })
    })
    const committed = (): void => {
      this.#announcements?.announce(kinds)
      ended()
    }
    outermost(outer).executionPromise.then(committed, ended)
    return result
  }

  watchJobs(heard: (kind: string) => void): () => Promise<void> {
    if (this.#announcements === undefined) return () => Promise.resolve()
    return listenTo(this.#knex, this.#name('jobs'), heard)
  }

  async verify(options: { readonly isThorough: boolean; readonly signal?: AbortSignal }): Promise<readonly string[]> {
    return await this.#translated(() => verifyDatabase(this.#knex, this.#dialect, this.#name, options))
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#lastWrite
    await this.#announcements?.close()
    if (!this.#keepKnex) await this.#knex.destroy()
  }

  async #migrate(): Promise<void> {
    await this.#inTransaction(async (transaction) => {
      const schema = this.#name('schema')
      // Two processes that make one table at once would disturb each other, whether it is there or not.
      if (!this.#dialect.hasOneWriter) await transaction.raw('select pg_advisory_xact_lock(hashtext(?))', [schema])
      await transaction.raw('create table if not exists ?? (version integer not null)', [schema])
      const rows = await transaction<Row>(schema).select('version')
      const version = rows[0] === undefined ? 0 : number(rows[0], 'version')
      if (version > MIGRATIONS.length) {
        throw new SchemaTooNewError(
          `the database has schema version ${version}, this engine knows ${MIGRATIONS.length}: use a newer version of alcove`,
        )
      }
      for (const migration of MIGRATIONS.slice(version)) {
        await migration(transaction.schema, this.#name, this.#dialect)
      }
      if (rows.length === 0) await transaction(schema).insert({ version: MIGRATIONS.length })
      else if (version < MIGRATIONS.length) await transaction(schema).update({ version: MIGRATIONS.length })
    }, 'read committed')
  }

  async #inTransaction<T>(
    work: (transaction: Knex.Transaction) => Promise<T>,
    isolationLevel: NonNullable<TransactionOptions['isolation']>,
  ): Promise<T> {
    if (!this.#dialect.hasOneWriter) {
      return await this.#translated(() => repeated(() => transacted(this.#knex, work, { isolationLevel })))
    }
    const mine = this.#lastWrite.then(() => this.#translated(() => transacted(this.#knex, work)))
    this.#lastWrite = mine.catch(() => undefined)
    return await mine
  }

  /** A transaction that begins with a read could not become a writing one beside another process. */
  async #takeWriteLock(transaction: Knex.Transaction): Promise<void> {
    await transaction(this.#name('schema')).update({ version: 0 }).whereRaw('0 = 1')
  }

  async #translated<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new ClosedError('the storage')
    try {
      return await work()
    } catch (error) {
      throw translateError(error)
    }
  }

  #repositories(knex: Knex, enqueuedKinds = new Set<string>()): Repositories {
    return repositoriesOf({ knex, dialect: this.#dialect, name: this.#name, enqueuedKinds })
  }
}

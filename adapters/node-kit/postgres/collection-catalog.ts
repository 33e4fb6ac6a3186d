import type { Knex } from 'knex'
import { LRUCache } from 'lru-cache'
import { type RetryOptions, retry } from '../../../src/ports/index.js'
import { isInUse, isTableMissing } from './database-errors.js'

const NAMES_PER_PAGE = 1_000
/** The number of cached collections. Each takes 300 to 400 bytes. */
const MAX_ENTRIES = 10_000
/** Shorter than the time after which PostgreSQL checks for a deadlock: an index build waits for such transactions. */
const LOCK_TIMEOUT_MS = 500
/** No pause: each attempt waits for the tables. The attempts take about a minute together. */
const DROP_RETRIES: RetryOptions = { backoff: { firstMs: 0, maxRetries: 119 }, isTransient: isInUse }

/** The number of retries of work whose tables other processes may drop and create again at any time. */
const DROPPED_RETRIES = 4

/** The result of a statement. */
export interface Rows<T> {
  readonly rows: readonly T[]
}

/** The catalog and the tables of one kind of index. */
export interface CatalogOptions<Row extends { readonly id: string }, Tables> {
  /** The full name of the catalog. */
  readonly catalog: string
  /** The columns beside `id` and `name`, as SQL, with a comma before each. Default: none. */
  readonly columns?: string
  /** Runs before the catalog is created. */
  readonly prepare?: (transaction: Knex.Transaction) => Promise<void>
  /** The tables of a collection. The id of its row is never used again, even for a collection of the same name. */
  readonly tablesOf: (row: Row) => Tables
  /** The time that the tables stay in the cache, in milliseconds; 0 until they are forgotten. */
  readonly cachedMs?: (tables: Tables) => number
  /** Drops the tables of a row. The transaction waits for locks for a moment only. */
  readonly dropTables: (transaction: Knex.Transaction, id: string) => Promise<void>
}

/**
 * A catalog of collections in PostgreSQL. Each collection has tables of its own, so dropping it means dropping tables,
 * and a search reads only its own rows.
 */
export class CollectionCatalog<Row extends { readonly id: string }, Tables extends object> {
  readonly #cache = new LRUCache<string, Tables>({ max: MAX_ENTRIES })
  #opened: Promise<void> | undefined

  constructor(
    private readonly knex: Knex,
    private readonly options: CatalogOptions<Row, Tables>,
  ) {}

  /** Creates the catalog if it is missing. */
  async open(): Promise<void> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined
      throw error
    })
    await this.#opened
  }

  /** Finds the tables of a collection; `undefined` if there are none. */
  async find(name: string): Promise<Tables | undefined> {
    const cached = this.#cache.get(name)
    if (cached !== undefined) return cached
    await this.open()
    const { catalog, tablesOf, cachedMs } = this.options
    const found = await this.knex.raw<Rows<Row>>('select * from ?? where name = ?', [catalog, name])
    const [row] = found.rows
    if (row === undefined) return undefined
    const tables = tablesOf(row)
    this.#cache.set(name, tables, { ttl: cachedMs?.(tables) ?? 0 })
    return tables
  }

  /**
   * Finds the tables of a collection, or creates them.
   * @param columns values of the columns beside `id` and `name`
   */
  async findOrCreate(
    name: string,
    columns: Readonly<Record<string, number>>,
    create: (transaction: Knex.Transaction, id: string) => Promise<void>,
  ): Promise<Tables> {
    const found = await this.find(name)
    if (found !== undefined) return found
    await this.knex.transaction(async (transaction) => {
      await this.#lock(transaction, name)
      const inserted = await transaction(this.options.catalog)
        .insert({ name, ...columns })
        .onConflict('name')
        .ignore()
        .returning<{ readonly id: string }[]>('id')
      const [row] = inserted
      if (row !== undefined) await create(transaction, row.id)
    })
    return await this.findOrCreate(name, columns, create)
  }

  /** Works with the tables of a collection. @returns `nothing` if there are none, or if they are dropped meanwhile */
  async use<T>(name: string, nothing: T, work: (tables: Tables) => Promise<T>): Promise<T> {
    return await this.retryIfDropped(name, async () => {
      const tables = await this.find(name)
      return tables === undefined ? nothing : await work(tables)
    })
  }

  /** Retries work on a collection if another process has dropped the known tables: it may have created others. */
  async retryIfDropped<T>(name: string, work: () => Promise<T>): Promise<T> {
    return await retry(work, {
      backoff: { firstMs: 0, maxRetries: DROPPED_RETRIES },
      isTransient: isTableMissing,
      beforeRetry: () => this.forget(name),
    })
  }

  /** Removes a collection from the cache, because its tables were changed or dropped. */
  forget(name: string): void {
    this.#cache.delete(name)
  }

  /** @throws Error of the database (55P03) if a table is still in use after about a minute */
  async drop(name: string): Promise<void> {
    await this.open()
    await retry(() => this.#dropUnlessInUse(name), DROP_RETRIES)
    this.forget(name)
  }

  async names(): Promise<readonly string[]> {
    await this.open()
    const names: string[] = []
    for (;;) {
      const page = await this.knex.raw<Rows<{ readonly name: string }>>(
        'select name from ?? where name > ? order by name limit ?',
        [this.options.catalog, names.at(-1) ?? '', NAMES_PER_PAGE],
      )
      names.push(...page.rows.map(({ name }) => name))
      if (page.rows.length < NAMES_PER_PAGE) return names
    }
  }

  async #dropUnlessInUse(name: string): Promise<void> {
    const { catalog, dropTables } = this.options
    await this.knex.transaction(async (transaction) => {
      await this.#lock(transaction, name)
      const deleted = await transaction.raw<Rows<{ readonly id: string }>>(
        'delete from ?? where name = ? returning id',
        [catalog, name],
      )
      await transaction.raw(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
      for (const { id } of deleted.rows) await dropTables(transaction, id)
    })
  }

  async #open(): Promise<void> {
    const { catalog, columns = '', prepare } = this.options
    await this.knex.transaction(async (transaction) => {
      await this.#lock(transaction, '')
      await prepare?.(transaction)
      await transaction.raw(
        `create table if not exists ?? (id bigserial primary key, name text collate "C" not null unique${columns})`,
        [catalog],
      )
    })
  }

  /** Processes that create or drop the same collection wait for each other. */
  async #lock(transaction: Knex.Transaction, name: string): Promise<void> {
    await transaction.raw('select pg_advisory_xact_lock(hashtext(?), hashtext(?))', [this.options.catalog, name])
  }
}

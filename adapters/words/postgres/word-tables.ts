import type { Knex } from 'knex'
import { LRUCache } from 'lru-cache'
import { type RetryOptions, retry } from '../../../src/ports/index.js'
import { isInUse } from './errors.js'

const NAMES_PER_PAGE = 1_000
/** The number of cached tables. Each takes about 400 bytes. */
const MAX_ENTRIES = 10_000
/** Shorter than the time after which PostgreSQL checks for a deadlock. */
const LOCK_TIMEOUT_MS = 500
/** No pause: each attempt waits for the tables. The attempts take about a minute in all. */
const DROP_RETRIES: RetryOptions = { backoff: { firstMs: 0, maxRetries: 119 }, isTransient: isInUse }

/** The tables of a collection. */
export interface WordTable {
  /** The id of the collection's row in the catalog. No other collection ever has the same id, whatever its name. */
  readonly id: string
  /** Rows of (term, level, postings), any number for each term. */
  readonly postings: string
  /** Runs: chunks of one document with consecutive ordinals and numbers. A chunk in no run is deleted. */
  readonly runs: string
  /** One row: the number of the next chunk, and the number of deleted chunks that still have postings. */
  readonly state: string
}

/** The result of a statement. */
export interface Rows<T> {
  readonly rows: readonly T[]
}

/**
 * The tables of a database that store words. Each collection has tables of its own, so dropping it means dropping
 * tables. A catalog lists the collections.
 */
export class WordTables {
  readonly #cache = new LRUCache<string, WordTable>({ max: MAX_ENTRIES })
  #opened: Promise<void> | undefined

  constructor(
    private readonly knex: Knex,
    private readonly prefix: string,
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
  async find(collection: string): Promise<WordTable | undefined> {
    const cached = this.#cache.get(collection)
    if (cached !== undefined) return cached
    await this.open()
    const found = await this.knex.raw<Rows<{ readonly id: string }>>('select id from ?? where name = ?', [
      this.#catalog,
      collection,
    ])
    const [row] = found.rows
    if (row === undefined) return undefined
    const table = this.#tableOf(row.id)
    this.#cache.set(collection, table)
    return table
  }

  /** Finds the tables of a collection, or creates them. */
  async findOrMake(collection: string): Promise<WordTable> {
    const found = await this.find(collection)
    if (found !== undefined) return found
    await this.knex.transaction(async (transaction) => {
      await this.#lock(transaction, collection)
      const made = await transaction.raw<Rows<{ readonly id: string }>>(
        'insert into ?? (name) values (?) on conflict (name) do nothing returning id',
        [this.#catalog, collection],
      )
      const [row] = made.rows
      if (row !== undefined) await makeTables(transaction, this.#tableOf(row.id))
    })
    return await this.findOrMake(collection)
  }

  /** Removes a collection from the cache, because another process has dropped its tables. */
  forget(collection: string): void {
    this.#cache.delete(collection)
  }

  /** @throws Error of the database (55P03) if a table is still in use after about a minute */
  async drop(collection: string): Promise<void> {
    await this.open()
    await retry(() => this.#dropUnlessInUse(collection), DROP_RETRIES)
    this.forget(collection)
  }

  async names(): Promise<readonly string[]> {
    await this.open()
    const names: string[] = []
    for (;;) {
      const page = await this.knex.raw<Rows<{ readonly name: string }>>(
        'select name from ?? where name > ? order by name limit ?',
        [this.#catalog, names.at(-1) ?? '', NAMES_PER_PAGE],
      )
      names.push(...page.rows.map(({ name }) => name))
      if (page.rows.length < NAMES_PER_PAGE) return names
    }
  }

  async #dropUnlessInUse(collection: string): Promise<void> {
    await this.knex.transaction(async (transaction) => {
      await this.#lock(transaction, collection)
      const deleted = await transaction.raw<Rows<{ readonly id: string }>>(
        'delete from ?? where name = ? returning id',
        [this.#catalog, collection],
      )
      for (const { id } of deleted.rows) {
        const { postings, runs, state } = this.#tableOf(id)
        await transaction.raw(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
        await transaction.raw('drop table if exists ??, ??, ??', [state, runs, postings])
      }
    })
  }

  async #open(): Promise<void> {
    await this.knex.transaction(async (transaction) => {
      await this.#lock(transaction, '')
      await transaction.raw(
        'create table if not exists ?? (id bigserial primary key, name text collate "C" not null unique)',
        [this.#catalog],
      )
    })
  }

  /** Processes that create or drop the same collection wait for each other. */
  async #lock(transaction: Knex.Transaction, collection: string): Promise<void> {
    await transaction.raw('select pg_advisory_xact_lock(hashtext(?), hashtext(?))', [this.#catalog, collection])
  }

  #tableOf(id: string): WordTable {
    const postings = `${this.prefix}words_${id}`
    return { id, postings, runs: `${postings}_runs`, state: `${postings}_state` }
  }

  get #catalog(): string {
    return `${this.prefix}word_collections`
  }
}

async function makeTables(transaction: Knex.Transaction, { postings, runs, state }: WordTable): Promise<void> {
  await transaction.raw(
    'create table ?? (term text collate "C" not null, level smallint not null, postings bytea not null)',
    [postings],
  )
  // Compression costs each search more time than reading saves.
  await transaction.raw('alter table ?? alter column postings set storage external', [postings])
  await transaction.raw('create index on ?? (term, level)', [postings])
  await transaction.raw(
    `create table ?? (first bigint primary key, document bigint not null, chunk integer not null,
     chunks integer not null, lengths integer[] not null, length bigint not null)`,
    [runs],
  )
  await transaction.raw('create index on ?? (document, chunk)', [runs])
  await transaction.raw(
    'create table ?? (next bigint not null default 0, deleted bigint not null default 0) with (fillfactor = 50)',
    [state],
  )
  await transaction.raw('insert into ?? default values', [state])
}

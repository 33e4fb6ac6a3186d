import type { Knex } from 'knex'
import { isInUse } from './errors.js'

const NAMES_PER_PAGE = 1_000
/** Shorter than what PostgreSQL waits before it looks for a deadlock. */
const LOCK_TIMEOUT_MS = 500
/** About a minute. */
const MOST_ATTEMPTS_TO_DROP = 120

/** The tables of a collection. */
export interface WordTable {
  /** Of its row in the catalog: no other collection ever has the same, whatever its name. */
  readonly id: string
  /** Rows of (term, level, postings), any number for each term. */
  readonly postings: string
  /** Runs of chunks of one document whose ordinals and numbers follow each other. A chunk that is in none is deleted. */
  readonly runs: string
  /** One row: the number of the next chunk, and how many deleted chunks still have postings. */
  readonly state: string
}

interface Rows<T> {
  readonly rows: readonly T[]
}

/**
 * The tables of a database that hold words: some for each collection, so that dropping it is dropping tables; and a
 * catalog of collections.
 */
export class WordTables {
  readonly #knex: Knex
  readonly #prefix: string
  readonly #known = new Map<string, WordTable>()
  #opened: Promise<void> | undefined

  constructor(knex: Knex, prefix: string) {
    this.#knex = knex
    this.#prefix = prefix
  }

  /** Makes the catalog where it is missing. */
  async open(): Promise<void> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined
      throw error
    })
    await this.#opened
  }

  /** The tables of a collection; `undefined` where there are none. */
  async find(collection: string): Promise<WordTable | undefined> {
    const known = this.#known.get(collection)
    if (known !== undefined) return known
    await this.open()
    const found = await this.#knex.raw<Rows<{ readonly id: string }>>('select id from ?? where name = ?', [
      this.#catalog,
      collection,
    ])
    const [row] = found.rows
    if (row === undefined) return undefined
    const table = this.#tableOf(row.id)
    this.#known.set(collection, table)
    return table
  }

  /** The tables of a collection, made now if there are none. */
  async findOrMake(collection: string): Promise<WordTable> {
    const found = await this.find(collection)
    if (found !== undefined) return found
    await this.#knex.transaction(async (transaction) => {
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

  /** Forgets what it knows of a collection: somebody else has dropped it. */
  forget(collection: string): void {
    this.#known.delete(collection)
  }

  /** @throws Error of the database that a table is in use (55P03) where it still is after about a minute */
  async drop(collection: string): Promise<void> {
    await this.open()
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#dropUnlessInUse(collection)
        break
      } catch (error) {
        if (!isInUse(error) || attempt === MOST_ATTEMPTS_TO_DROP) throw error
      }
    }
    this.forget(collection)
  }

  async names(): Promise<readonly string[]> {
    await this.open()
    const names: string[] = []
    for (;;) {
      const page = await this.#knex.raw<Rows<{ readonly name: string }>>(
        'select name from ?? where name > ? order by name limit ?',
        [this.#catalog, names.at(-1) ?? '', NAMES_PER_PAGE],
      )
      names.push(...page.rows.map(({ name }) => name))
      if (page.rows.length < NAMES_PER_PAGE) return names
    }
  }

  async #dropUnlessInUse(collection: string): Promise<void> {
    await this.#knex.transaction(async (transaction) => {
      await this.#lock(transaction, collection)
      const gone = await transaction.raw<Rows<{ readonly id: string }>>('delete from ?? where name = ? returning id', [
        this.#catalog,
        collection,
      ])
      for (const { id } of gone.rows) {
        const { postings, runs, state } = this.#tableOf(id)
        await transaction.raw(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
        await transaction.raw('drop table if exists ??, ??, ??', [state, runs, postings])
      }
    })
  }

  async #open(): Promise<void> {
    await this.#knex.transaction(async (transaction) => {
      await this.#lock(transaction, '')
      await transaction.raw(
        'create table if not exists ?? (id bigserial primary key, name text collate "C" not null unique)',
        [this.#catalog],
      )
    })
  }

  /** Whoever makes or drops a collection waits for whoever does so with the same one. */
  async #lock(transaction: Knex.Transaction, collection: string): Promise<void> {
    await transaction.raw('select pg_advisory_xact_lock(hashtext(?), hashtext(?))', [this.#catalog, collection])
  }

  #tableOf(id: string): WordTable {
    const postings = `${this.#prefix}words_${id}`
    return { id, postings, runs: `${postings}_runs`, state: `${postings}_state` }
  }

  get #catalog(): string {
    return `${this.#prefix}word_collections`
  }
}

async function makeTables(transaction: Knex.Transaction, { postings, runs, state }: WordTable): Promise<void> {
  await transaction.raw(
    'create table ?? (term text collate "C" not null, level smallint not null, postings bytea not null)',
    [postings],
  )
  // Compressing costs each search more than reading does.
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

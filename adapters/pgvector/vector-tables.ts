import type { Knex } from 'knex'
import { LRUCache } from 'lru-cache'
import { type RetryOptions, retry, UnsupportedError, type VectorCollection } from '../../src/ports/index.js'
import { isLocked, isRightMissing } from './errors.js'

const NAMES_PER_PAGE = 1_000
/** The number of cached tables. Each takes about 300 bytes. */
const MAX_ENTRIES = 10_000
/** Lifetime of a cache entry without an index: another process may build the index. */
const UNINDEXED_ENTRY_MS = 10_000
/** Shorter than PostgreSQL's deadlock timeout: an index build waits for transactions such as this one. */
const LOCK_TIMEOUT_MS = 500
/** No pause: each attempt waits for the lock. The attempts take about a minute together. */
const DROP_RETRIES: RetryOptions = { backoff: { firstMs: 0, maxRetries: 119 }, isTransient: isLocked }

/** The table of a collection. */
export interface VectorTable {
  /** The id of its row in the catalog. It is never used for another table, even of a collection with the same name. */
  readonly id: string
  readonly table: string
  readonly dimensions: number
  /** True if its HNSW index is built. */
  readonly isIndexed: boolean
}

interface Rows<T> {
  readonly rows: readonly T[]
}
interface CatalogRow {
  readonly id: string
  readonly dimensions: number
  readonly is_indexed: boolean
}

/**
 * The vector tables of a database, and their catalog. Each collection has its own table. So dropping a collection means
 * dropping a table, and a search reads only its own vectors.
 */
export class VectorTables {
  readonly #cache = new LRUCache<string, VectorTable>({ max: MAX_ENTRIES })
  #opened: Promise<number> | undefined

  constructor(
    private readonly knex: Knex,
    private readonly prefix: string,
  ) {}

  /**
   * Creates the catalog if it is missing.
   * @returns the oid of the type `vector` in the database
   * @throws UnsupportedError if the server has no pgvector, or one that is too old
   */
  async open(): Promise<number> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined
      throw error
    })
    return await this.#opened
  }

  /** Finds the table of a collection. @returns `undefined` if there is none */
  async find(name: string): Promise<VectorTable | undefined> {
    const cached = this.#cache.get(name)
    if (cached !== undefined) return cached
    await this.open()
    const found = await this.knex.raw<Rows<CatalogRow>>('select id, dimensions, is_indexed from ?? where name = ?', [
      this.#catalog,
      name,
    ])
    const [row] = found.rows
    if (row === undefined) return undefined
    const table = {
      id: row.id,
      table: `${this.prefix}vectors_${row.id}`,
      dimensions: row.dimensions,
      isIndexed: row.is_indexed,
    }
    this.#cache.set(name, table, { ttl: table.isIndexed ? 0 : UNINDEXED_ENTRY_MS })
    return table
  }

  /** Finds the table of a collection, and creates it if there is none. */
  async findOrCreate({ name, dimensions }: VectorCollection): Promise<VectorTable> {
    const found = await this.find(name)
    if (found !== undefined) return found
    await this.knex.transaction(async (transaction) => {
      await this.#lock(transaction, name)
      const inserted = await transaction.raw<Rows<{ readonly id: string }>>(
        'insert into ?? (name, dimensions) values (?, ?) on conflict (name) do nothing returning id',
        [this.#catalog, name, dimensions],
      )
      const [row] = inserted.rows
      if (row === undefined) return
      const table = `${this.prefix}vectors_${row.id}`
      await transaction.raw(
        `create table ?? (document bigint not null, chunk integer not null, "window" integer not null,
         vector vector(${dimensions}) not null)`,
        [table],
      )
      await transaction.raw('create index on ?? (document, chunk)', [table])
    })
    return await this.findOrCreate({ name, dimensions })
  }

  /** Removes a collection from the cache, as its table was changed. */
  forget(name: string): void {
    this.#cache.delete(name)
  }

  /** Records that the index of a table is built. Has no effect on a later table of the same name. */
  async setIndexed(name: string, { id }: VectorTable): Promise<void> {
    await this.knex.raw('update ?? set is_indexed = true where id = ?', [this.#catalog, id])
    this.forget(name)
  }

  /**
   * Drops a collection, and cancels builds of its index. A build of another database role cannot be cancelled; then
   * this waits for about a minute.
   * @throws Error of the database (55P03) if the table is still locked after that
   */
  async drop(name: string): Promise<void> {
    await this.open()
    await retry(() => this.#dropUnlessLocked(name), DROP_RETRIES)
    this.forget(name)
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

  async #dropUnlessLocked(name: string): Promise<void> {
    await this.knex.transaction(async (transaction) => {
      await this.#lock(transaction, name)
      const removed = await transaction.raw<Rows<{ readonly id: string }>>(
        'delete from ?? where name = ? returning id',
        [this.#catalog, name],
      )
      for (const { id } of removed.rows) {
        const table = `${this.prefix}vectors_${id}`
        await transaction.raw(
          `select pg_cancel_backend(pid) from pg_stat_progress_create_index as build join pg_stat_activity using (pid)
           where build.datname = current_database() and relid = to_regclass(quote_ident(?))
           and pg_has_role(usesysid, 'usage') and pid <> pg_backend_pid()`,
          [table],
        )
        await transaction.raw(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
        await transaction.raw('drop table if exists ??', [table])
      }
    })
  }

  async #open(): Promise<number> {
    await this.knex.transaction(async (transaction) => {
      await this.#lock(transaction, '')
      await requireExtension(transaction)
      await transaction.raw(
        `create table if not exists ?? (id bigserial primary key, name text collate "C" not null unique,
         dimensions integer not null, is_indexed boolean not null default false)`,
        [this.#catalog],
      )
    })
    const type = await this.knex.raw<Rows<{ readonly oid: number }>>(`select 'vector'::regtype::oid as oid`)
    return Number(type.rows[0]?.oid)
  }

  /** Creating and dropping the same collection exclude each other. */
  async #lock(transaction: Knex.Transaction, name: string): Promise<void> {
    await transaction.raw('select pg_advisory_xact_lock(hashtext(?), hashtext(?))', [this.#catalog, name])
  }

  get #catalog(): string {
    return `${this.prefix}vector_collections`
  }
}

/** The first version with iterative index scans, which continue until enough rows have passed a filter. */
const MIN_VERSION = [0, 8] as const

/** True if the database has pgvector in a sufficient version, or its server offers one. */
export async function hasPgVector(knex: Knex): Promise<boolean> {
  const found = await knex.raw<Rows<{ readonly version: string | null }>>(
    `select coalesce((select extversion from pg_extension where extname = 'vector'),
     (select default_version from pg_available_extensions where name = 'vector')) as version`,
  )
  return isSufficient(found.rows[0]?.version ?? '')
}

function isSufficient(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [minMajor, minMinor] = MIN_VERSION
  return major > minMajor || (major === minMajor && minor >= minMinor)
}

/**
 * Creates the extension if it is missing.
 * @throws UnsupportedError if the server has no pgvector, or an old one, or the user may not create the extension
 */
async function requireExtension(transaction: Knex.Transaction): Promise<void> {
  const readVersion = async (): Promise<string | undefined> => {
    const found = await transaction.raw<Rows<{ readonly extversion: string }>>(
      `select extversion from pg_extension where extname = 'vector'`,
    )
    return found.rows[0]?.extversion
  }
  if ((await readVersion()) === undefined) {
    const offered = await transaction.raw<Rows<unknown>>(`select 1 from pg_available_extensions where name = 'vector'`)
    if (offered.rows.length === 0) throw toUnsupportedError('has no extension "vector"')
    await transaction.raw('create extension if not exists vector').catch((error: unknown) => {
      if (!isRightMissing(error)) throw error
      throw new UnsupportedError(
        'the database user may not create the extension "vector": let an administrator run "create extension vector" once in the database, or pass a LanceDbVectorIndex as vectorIndex',
        { cause: error },
      )
    })
  }
  const version = (await readVersion()) ?? ''
  if (!isSufficient(version)) throw toUnsupportedError(`has pgvector ${version}`)
}

function toUnsupportedError(problem: string): UnsupportedError {
  return new UnsupportedError(
    `the PostgreSQL server ${problem}: install pgvector ${MIN_VERSION.join('.')} or newer there, or keep the vectors in LanceDB`,
  )
}

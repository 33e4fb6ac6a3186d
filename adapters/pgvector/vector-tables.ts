import type { Knex } from 'knex'
import type { VectorCollection } from '../../src/ports/index.js'
import { isInUse } from './errors.js'
import { requireExtension } from './extension.js'

const NAMES_PER_PAGE = 1_000
/** Another process may have built the index of a table that had none when it was looked at. */
const WITHOUT_INDEX_MS = 10_000
/** Shorter than what PostgreSQL waits before it looks for a deadlock: a build waits for transactions, as this one. */
const LOCK_TIMEOUT_MS = 500
/** About a minute. */
const MOST_ATTEMPTS_TO_DROP = 120

/** The table of a collection. */
export interface VectorTable {
  /** Of its row in the catalog: no other table ever has the same, whatever its collection is called. */
  readonly id: string
  readonly table: string
  readonly dimensions: number
  /** Whether its HNSW index is built. */
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
 * The tables of a database that hold vectors: one for each collection, so that dropping it is dropping a table, and
 * searching it sees nothing else; and a catalog of them.
 */
export class VectorTables {
  readonly #knex: Knex
  readonly #prefix: string
  readonly #known = new Map<string, { readonly table: VectorTable; readonly since: number }>()
  #opened: Promise<number> | undefined

  constructor(knex: Knex, prefix: string) {
    this.#knex = knex
    this.#prefix = prefix
  }

  /**
   * Makes the catalog where it is missing.
   * @returns the number by which the database knows the type `vector`
   * @throws UnsupportedError where the server has no pgvector, or one that is too old
   */
  async open(): Promise<number> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined
      throw error
    })
    return await this.#opened
  }

  /** The table of a collection; `undefined` where there is none. */
  async find(name: string): Promise<VectorTable | undefined> {
    const known = this.#known.get(name)
    const isCurrent = known?.table.isIndexed === true || performance.now() - (known?.since ?? 0) < WITHOUT_INDEX_MS
    if (known !== undefined && isCurrent) return known.table
    await this.open()
    const found = await this.#knex.raw<Rows<CatalogRow>>('select id, dimensions, is_indexed from ?? where name = ?', [
      this.#catalog,
      name,
    ])
    const [row] = found.rows
    if (row === undefined) return undefined
    const table = {
      id: row.id,
      table: `${this.#prefix}vectors_${row.id}`,
      dimensions: row.dimensions,
      isIndexed: row.is_indexed,
    }
    this.#known.set(name, { table, since: performance.now() })
    return table
  }

  /** The table of a collection, made now if there is none. */
  async findOrMake({ name, dimensions }: VectorCollection): Promise<VectorTable> {
    const found = await this.find(name)
    if (found !== undefined) return found
    await this.#knex.transaction(async (transaction) => {
      await this.#lock(transaction, name)
      const made = await transaction.raw<Rows<{ readonly id: string }>>(
        'insert into ?? (name, dimensions) values (?, ?) on conflict (name) do nothing returning id',
        [this.#catalog, name, dimensions],
      )
      const [row] = made.rows
      if (row === undefined) return
      const table = `${this.#prefix}vectors_${row.id}`
      await transaction.raw(
        `create table ?? (document bigint not null, chunk integer not null, "window" integer not null,
         vector vector(${dimensions}) not null)`,
        [table],
      )
      await transaction.raw('create index on ?? (document, chunk)', [table])
    })
    return await this.findOrMake({ name, dimensions })
  }

  /** Somebody else has changed it. */
  forget(name: string): void {
    this.#known.delete(name)
  }

  /** Notes that the index of a table is built. Nothing where the table is dropped: another of that name has none. */
  async setIndexed(name: string, { id }: VectorTable): Promise<void> {
    await this.#knex.raw('update ?? set is_indexed = true where id = ?', [this.#catalog, id])
    this.forget(name)
  }

  /**
   * Breaks off builds of its index. Where it may not, for they are another role's, it waits for about a minute.
   * @throws Error of the database that the table is in use (55P03) where it still is
   */
  async drop(name: string): Promise<void> {
    await this.open()
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#dropUnlessInUse(name)
        break
      } catch (error) {
        if (!isInUse(error) || attempt === MOST_ATTEMPTS_TO_DROP) throw error
      }
    }
    this.forget(name)
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

  async #dropUnlessInUse(name: string): Promise<void> {
    await this.#knex.transaction(async (transaction) => {
      await this.#lock(transaction, name)
      const gone = await transaction.raw<Rows<{ readonly id: string }>>('delete from ?? where name = ? returning id', [
        this.#catalog,
        name,
      ])
      for (const { id } of gone.rows) {
        const table = `${this.#prefix}vectors_${id}`
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
    await this.#knex.transaction(async (transaction) => {
      await this.#lock(transaction, '')
      await requireExtension(transaction)
      await transaction.raw(
        `create table if not exists ?? (id bigserial primary key, name text collate "C" not null unique,
         dimensions integer not null, is_indexed boolean not null default false)`,
        [this.#catalog],
      )
    })
    const type = await this.#knex.raw<Rows<{ readonly oid: number }>>(`select 'vector'::regtype::oid as oid`)
    return Number(type.rows[0]?.oid)
  }

  /** Who makes or drops a collection waits for whoever does so with the same one. */
  async #lock(transaction: Knex.Transaction, name: string): Promise<void> {
    await transaction.raw('select pg_advisory_xact_lock(hashtext(?), hashtext(?))', [this.#catalog, name])
  }

  get #catalog(): string {
    return `${this.#prefix}vector_collections`
  }
}

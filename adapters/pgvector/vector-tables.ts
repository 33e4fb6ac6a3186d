import type { Knex } from 'knex'
import { UnsupportedError, type VectorCollection } from '../../src/ports/index.js'
import { CollectionCatalog, type Rows } from '../node-kit/index.js'
import { isRightMissing } from './errors.js'

/** Lifetime of a cache entry without an index: another process may build the index. */
const UNINDEXED_ENTRY_MS = 10_000

/** The table of a collection. */
export interface VectorTable {
  /** The id of its row in the catalog. It is never used for another table, even of a collection with the same name. */
  readonly id: string
  readonly table: string
  readonly dimensions: number
  /** True if its HNSW index is built. */
  readonly isIndexed: boolean
}

interface CatalogRow {
  readonly id: string
  readonly dimensions: number
  readonly is_indexed: boolean
}

/** The vector tables of a database, and their catalog. */
export class VectorTables extends CollectionCatalog<CatalogRow, VectorTable> {
  #typeId: number | undefined

  constructor(
    private readonly connections: Knex,
    private readonly prefix: string,
  ) {
    super(connections, {
      catalog: catalogOf(prefix),
      columns: ', dimensions integer not null, is_indexed boolean not null default false',
      prepare: requireExtension,
      tablesOf: ({ id, dimensions, is_indexed: isIndexed }) => ({
        id,
        table: tableOf(prefix, id),
        dimensions,
        isIndexed,
      }),
      cachedMs: ({ isIndexed }) => (isIndexed ? 0 : UNINDEXED_ENTRY_MS),
      // A build of another database role cannot be cancelled; then a drop waits for about a minute.
      dropTables: async (transaction, id) => await cancelAndDrop(transaction, tableOf(prefix, id)),
    })
  }

  /**
   * Opens the catalog.
   * @returns the oid of the type `vector` in the database
   * @throws UnsupportedError if the server has no pgvector, or one that is too old
   */
  async typeId(): Promise<number> {
    await this.open()
    if (this.#typeId === undefined) {
      const type = await this.connections.raw<Rows<{ readonly oid: number }>>(`select 'vector'::regtype::oid as oid`)
      this.#typeId = Number(type.rows[0]?.oid)
    }
    return this.#typeId
  }

  /** Finds the table of a collection, and creates it if there is none. */
  async findOrMake({ name, dimensions }: VectorCollection): Promise<VectorTable> {
    return await this.findOrCreate(name, { dimensions }, async (transaction, id) => {
      const table = tableOf(this.prefix, id)
      await transaction.raw(
        `create table ?? (document bigint not null, chunk integer not null, "window" integer not null,
         vector vector(${dimensions}) not null)`,
        [table],
      )
      await transaction.raw('create index on ?? (document, chunk)', [table])
    })
  }

  /** Records that the index of a table is built. Has no effect on a later table of the same name. */
  async setIndexed(name: string, { id }: VectorTable): Promise<void> {
    await this.connections.raw('update ?? set is_indexed = true where id = ?', [catalogOf(this.prefix), id])
    this.forget(name)
  }
}

function catalogOf(prefix: string): string {
  return `${prefix}vector_collections`
}

function tableOf(prefix: string, id: string): string {
  return `${prefix}vectors_${id}`
}

/** Drops a table, and cancels builds of its index. */
async function cancelAndDrop(transaction: Knex.Transaction, table: string): Promise<void> {
  await transaction.raw(
    `select pg_cancel_backend(pid) from pg_stat_progress_create_index as build join pg_stat_activity using (pid)
     where build.datname = current_database() and relid = to_regclass(quote_ident(?))
     and pg_has_role(usesysid, 'usage') and pid <> pg_backend_pid()`,
    [table],
  )
  await transaction.raw('drop table if exists ??', [table])
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

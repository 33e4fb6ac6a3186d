import type { Knex } from 'knex'
import {
  type IndexedChunk,
  type NearestWindow,
  requireQuery,
  requireRows,
  type Telemetry,
  type VectorCollection,
  type VectorHit,
  type VectorIndex,
  type VectorKey,
  type VectorRows,
  type VectorSearchOptions,
} from '../../src/ports/index.js'
import { CollectionCalls, healthConnectionOf, promptly, requireTablePrefix } from '../node-kit/index.js'
import { withTranslatedErrors } from './errors.js'
import { HnswBuilder } from './hnsw-builder.js'
import { encodeVectors, findNearest, findNearestWindows, parseVector } from './vector-search.js'
import { type VectorTable, VectorTables } from './vector-tables.js'

/** Options of a {@link PgVectorIndex}. */
export interface PgVectorOptions {
  /**
   * Connections to PostgreSQL (client `pg`) with pgvector 0.8 or newer. The index destroys them, unless `keepKnex` is
   * set.
   */
  readonly knex: Knex
  /** Prefix of every table name. Default: `alcove_`. */
  readonly tablePrefix?: string
  /** True if the host destroys `knex` itself. Default: false. */
  readonly keepKnex?: boolean
  /**
   * Number of rows from which a collection gets an HNSW index. Default: 20,000; below that, a scan is about as fast.
   */
  readonly indexFromRows?: number
  /** Milliseconds before a failed build is retried. Default: 60,000. */
  readonly indexRetryMs?: number
  /** Receives the failures of index builds (`vectors.index.failed`). They are retried. */
  readonly telemetry?: Telemetry
}

/** Rows in one statement. Encoding them blocks the event loop for some milliseconds. */
const ROWS_PER_STATEMENT = 1_024
/** Windows that one statement reads. */
const KEYS_PER_STATEMENT = 1_000

interface StoredRow {
  readonly document: string
  readonly chunk: number
  readonly window: number
  readonly vector: string
}

/**
 * Vectors in PostgreSQL with pgvector: one table for each collection, which any number of processes share. A search
 * scans a small table. A large table has an HNSW index on half-precision vectors; its candidates are compared exactly.
 */
export class PgVectorIndex implements VectorIndex {
  /** Few, because the calls hold connections of the pool, which all companies share. */
  readonly concurrency = 4
  readonly #knex: Knex
  readonly #keepKnex: boolean
  readonly #tables: VectorTables
  readonly #builder: HnswBuilder
  readonly #calls = new CollectionCalls('the vector index')

  /** @throws InvalidInputError if the `tablePrefix` cannot be used */
  constructor(options: PgVectorOptions) {
    const { knex, tablePrefix = 'alcove_', keepKnex = false, telemetry } = options
    const { indexFromRows = 20_000, indexRetryMs = 60_000 } = options
    requireTablePrefix(tablePrefix)
    this.#knex = knex
    this.#keepKnex = keepKnex
    this.#tables = new VectorTables(knex, tablePrefix)
    this.#builder = new HnswBuilder(knex, this.#tables, { indexFromRows, indexRetryMs, telemetry })
  }

  /**
   * Creates the extension and the catalog of collections. Without this call, the first use does so.
   * @throws UnsupportedError if the server has no pgvector, or one that is too old
   * @throws StorageError if the database user lacks a right
   */
  async prepare(): Promise<void> {
    this.#calls.refuseIfClosed()
    await withTranslatedErrors('all collections', () => this.#tables.typeId())
  }

  async add(collection: VectorCollection, rows: VectorRows): Promise<void> {
    this.#calls.refuseIfClosed()
    requireRows(collection, rows)
    if (rows.chunks.length === 0) return
    const { name } = collection
    await this.#writeInOrder(name, async () => {
      const type = await this.#tables.typeId()
      const table = await this.#tables.retryIfDropped(name, async () => {
        const found = await this.#tables.findOrMake(collection)
        await this.#insert(found, rows, type)
        return found
      })
      this.#builder.noteAddition(name, table)
    })
  }

  async search(
    collection: VectorCollection,
    query: Float32Array,
    options: VectorSearchOptions,
  ): Promise<readonly VectorHit[]> {
    this.#calls.refuseIfClosed()
    requireQuery(collection, query)
    return await promptly(
      async () =>
        await this.#withTable(collection.name, [], async (table) => {
          this.#builder.noteSearch(collection.name, table)
          return await findNearest(this.#knex, table, query, options)
        }),
    )
  }

  async nearestWindows(
    collection: VectorCollection,
    queries: readonly Float32Array[],
    chunks: readonly IndexedChunk[],
  ): Promise<readonly (NearestWindow | undefined)[]> {
    this.#calls.refuseIfClosed()
    for (const query of queries) requireQuery(collection, query)
    const nothing = chunks.map(() => undefined)
    if (queries.length === 0) return nothing
    return await promptly(
      async () =>
        await this.#withTable(collection.name, nothing, async (table) => {
          const type = await this.#tables.typeId()
          return await findNearestWindows(this.#knex, table, { queries, type }, chunks)
        }),
    )
  }

  async count(name: string, documentId: number): Promise<number> {
    this.#calls.refuseIfClosed()
    return await this.#withTable(name, 0, async ({ table }) => {
      const counted = await this.#knex.raw<{ readonly rows: readonly { readonly windows: string }[] }>(
        'select count(*) as windows from ?? where document = ?',
        [table, documentId],
      )
      return Number(counted.rows[0]?.windows)
    })
  }

  async read({ name }: VectorCollection, keys: readonly VectorKey[]): Promise<readonly (Float32Array | undefined)[]> {
    this.#calls.refuseIfClosed()
    return await promptly(async () => await this.#read(name, keys))
  }

  async deleteDocument(name: string, documentId: number, fromChunk: number): Promise<void> {
    this.#calls.refuseIfClosed()
    await this.#writeInOrder(name, async () => {
      await this.#withTable(name, undefined, async ({ table }) => {
        await this.#knex.raw('delete from ?? where document = ? and chunk >= ?', [table, documentId, fromChunk])
      })
    })
  }

  async countByDocument(name: string): Promise<ReadonlyMap<number, number>> {
    this.#calls.refuseIfClosed()
    return await this.#withTable(name, new Map<number, number>(), async ({ table }) => {
      const counted = await this.#knex.raw<{ readonly rows: readonly { document: string; rows: string }[] }>(
        'select document, count(*) as rows from ?? group by document',
        [table],
      )
      return new Map(counted.rows.map(({ document, rows }) => [Number(document), Number(rows)]))
    })
  }

  async listCollections(): Promise<readonly string[]> {
    this.#calls.refuseIfClosed()
    return await promptly(async () => await withTranslatedErrors('all collections', () => this.#tables.names()))
  }

  async check(): Promise<void> {
    this.#calls.refuseIfClosed()
    await withTranslatedErrors('all collections', async () => await healthConnectionOf(this.#knex).check())
  }

  async drop(name: string): Promise<void> {
    this.#calls.refuseIfClosed()
    await this.#writeInOrder(name, async () => {
      this.#builder.forget(name)
      await this.#tables.drop(name)
    })
  }

  /** Builds the indexes that are due, and waits for them. For tests and measurements only. */
  async whenMaintained(): Promise<void> {
    this.#calls.refuseIfClosed()
    await this.#builder.finish()
  }

  /** The error of the last index build; undefined after a success. Failed builds are retried. */
  get maintenanceError(): Error | undefined {
    return this.#builder.error
  }

  /** Waits for running calls, and cancels an index build. A later engine builds that index. */
  async close(): Promise<void> {
    if (this.#calls.isClosed) return
    this.#calls.refuse()
    await this.#builder.close()
    await this.#calls.waitForCalls()
    await healthConnectionOf(this.#knex).close()
    if (!this.#keepKnex) await this.#knex.destroy()
  }

  async #read(name: string, keys: readonly VectorKey[]): Promise<readonly (Float32Array | undefined)[]> {
    const nothing = keys.map(() => undefined)
    return await this.#withTable(name, nothing, async ({ table }) => {
      const found = new Map<string, Float32Array>()
      for (let at = 0; at < keys.length; at += KEYS_PER_STATEMENT) {
        const part = keys.slice(at, at + KEYS_PER_STATEMENT)
        const read = await this.#knex.raw<{ readonly rows: readonly StoredRow[] }>(
          `select document, chunk, "window", vector::text as vector from ??
           where (document, chunk, "window") in (select * from unnest(?::bigint[], ?::integer[], ?::integer[]))`,
          [
            table,
            part.map(({ documentId }) => documentId),
            part.map(({ chunk }) => chunk),
            part.map(({ window }) => window),
          ],
        )
        for (const { document, chunk, window, vector } of read.rows) {
          found.set(`${document}:${chunk}:${window}`, parseVector(vector))
        }
      }
      return keys.map(({ documentId, chunk, window }) => found.get(`${documentId}:${chunk}:${window}`))
    })
  }

  /** Inserts all rows or none. */
  async #insert({ table, dimensions }: VectorTable, rows: VectorRows, type: number): Promise<void> {
    const { documentId, chunks, windows, vectors } = rows
    const insert = async (knex: Knex, from: number): Promise<void> => {
      const to = Math.min(from + ROWS_PER_STATEMENT, chunks.length)
      await knex.raw(
        `insert into ?? (document, chunk, "window", vector)
         select ?::bigint, * from unnest(?::integer[], ?::integer[], ?::vector[])`,
        [
          table,
          documentId,
          Array.from(chunks.subarray(from, to)),
          Array.from(windows.subarray(from, to)),
          encodeVectors(vectors.subarray(from * dimensions, to * dimensions), dimensions, type),
        ],
      )
    }
    if (chunks.length <= ROWS_PER_STATEMENT) {
      await insert(this.#knex, 0)
      return
    }
    await this.#knex.transaction(async (transaction) => {
      for (let from = 0; from < chunks.length; from += ROWS_PER_STATEMENT) await insert(transaction, from)
    })
  }

  async #writeInOrder<T>(name: string, work: () => Promise<T>): Promise<T> {
    return await this.#calls.runInTurn(name, async () => await withTranslatedErrors(name, work))
  }

  /** Works with the table of a collection. @returns `nothing` if there is none, or if it is dropped meanwhile */
  async #withTable<T>(name: string, nothing: T, work: (table: VectorTable) => Promise<T>): Promise<T> {
    return await this.#calls.track(withTranslatedErrors(name, () => this.#tables.use(name, nothing, work)))
  }
}

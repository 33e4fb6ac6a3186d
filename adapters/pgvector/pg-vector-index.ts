import type { Knex } from 'knex'
import pLimit, { type LimitFunction } from 'p-limit'
import {
  ClosedError,
  type IndexedChunk,
  InvalidInputError,
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
import { encodeVectors, parseVector } from './binary-vectors.js'
import { inDatabase, isGone } from './errors.js'
import { HnswBuilder } from './hnsw-builder.js'
import { nearestOfChunks } from './nearest-windows.js'
import { nearest } from './vector-search.js'
import { type VectorTable, VectorTables } from './vector-tables.js'

/** How an index on PostgreSQL behaves. */
export interface PgVectorOptions {
  /** Connections to PostgreSQL (client `pg`) with pgvector 0.8 or newer. The index destroys them, unless told otherwise. */
  readonly knex: Knex
  /** Put before every table's name; default `alcove_`. */
  readonly tablePrefix?: string
  /** Whether the host destroys `knex` itself; default false. */
  readonly keepKnex?: boolean
  /** Rows from which on a collection gets an HNSW index. Default 20,000: below, a scan is about as quick. */
  readonly indexFromRows?: number
  /** Milliseconds after which a build that has failed is tried again. Default 60,000. */
  readonly indexRetryMs?: number
  /** Hears of indexes that could not be built (`vectors.index.failed`): they are tried again. */
  readonly telemetry?: Telemetry
}

const PREFIX_PATTERN = /^[a-z_][a-z0-9_]{0,30}$/i
/** Rows in one statement: encoding them takes the event loop some milliseconds. */
const ROWS_PER_STATEMENT = 1_024
/** Windows that are looked up in one statement. */
const KEYS_PER_STATEMENT = 1_000

interface StoredRow {
  readonly document: string
  readonly chunk: number
  readonly window: number
  readonly vector: string
}

/**
 * Vectors in PostgreSQL with pgvector: one table for each collection, shared by any number of processes. Small ones are
 * scanned; large ones have an HNSW index on their vectors in half precision, whose finds are compared exactly.
 */
export class PgVectorIndex implements VectorIndex {
  readonly #knex: Knex
  readonly #keepKnex: boolean
  readonly #tables: VectorTables
  readonly #builder: HnswBuilder
  /** Writes of one collection happen in the order of the calls. */
  readonly #turns = new Map<string, LimitFunction>()
  readonly #underWay = new Set<Promise<unknown>>()
  #isClosed = false

  /** @throws InvalidInputError for a `tablePrefix` that cannot be used */
  constructor(options: PgVectorOptions) {
    const { knex, tablePrefix = 'alcove_', keepKnex = false, telemetry } = options
    const { indexFromRows = 20_000, indexRetryMs = 60_000 } = options
    if (!PREFIX_PATTERN.test(tablePrefix)) {
      throw new InvalidInputError('tablePrefix', 'must be letters, digits and _, and begin with a letter or _')
    }
    this.#knex = knex
    this.#keepKnex = keepKnex
    this.#tables = new VectorTables(knex, tablePrefix)
    this.#builder = new HnswBuilder(knex, this.#tables, { indexFromRows, indexRetryMs, telemetry })
  }

  /**
   * Makes what it needs in the database, which its first use does otherwise.
   * @throws UnsupportedError where the server has no pgvector that will do
   * @throws StorageError where the database user lacks a right
   */
  async prepare(): Promise<void> {
    this.#refuseIfClosed()
    await inDatabase('all collections', () => this.#tables.open())
  }

  async add(collection: VectorCollection, rows: VectorRows): Promise<void> {
    this.#refuseIfClosed()
    requireRows(collection, rows)
    if (rows.chunks.length === 0) return
    const { name } = collection
    await this.#inTurn(name, async () => {
      const type = await this.#tables.open()
      const table = await this.#again(name, async () => {
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
    this.#refuseIfClosed()
    requireQuery(collection, query)
    return await this.#using(collection.name, [], async (table) => {
      this.#builder.noteSearch(collection.name, table)
      return await nearest(this.#knex, table, query, options)
    })
  }

  async nearestWindows(
    collection: VectorCollection,
    queries: readonly Float32Array[],
    chunks: readonly IndexedChunk[],
  ): Promise<readonly (NearestWindow | undefined)[]> {
    this.#refuseIfClosed()
    for (const query of queries) requireQuery(collection, query)
    const none = chunks.map(() => undefined)
    if (queries.length === 0) return none
    return await this.#using(collection.name, none, async (table) => {
      const type = await this.#tables.open()
      return await nearestOfChunks(this.#knex, table, { queries, type }, chunks)
    })
  }

  async count(name: string, documentId: number): Promise<number> {
    this.#refuseIfClosed()
    return await this.#using(name, 0, async ({ table }) => {
      const counted = await this.#knex.raw<{ readonly rows: readonly { readonly windows: string }[] }>(
        'select count(*) as windows from ?? where document = ?',
        [table, documentId],
      )
      return Number(counted.rows[0]?.windows)
    })
  }

  async read({ name }: VectorCollection, keys: readonly VectorKey[]): Promise<readonly (Float32Array | undefined)[]> {
    this.#refuseIfClosed()
    const none = keys.map(() => undefined)
    return await this.#using(name, none, async ({ table }) => {
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

  async deleteDocument(name: string, documentId: number, fromChunk: number): Promise<void> {
    this.#refuseIfClosed()
    await this.#inTurn(name, async () => {
      await this.#using(name, undefined, async ({ table }) => {
        await this.#knex.raw('delete from ?? where document = ? and chunk >= ?', [table, documentId, fromChunk])
      })
    })
  }

  async countByDocument(name: string): Promise<ReadonlyMap<number, number>> {
    this.#refuseIfClosed()
    return await this.#using(name, new Map<number, number>(), async ({ table }) => {
      const counted = await this.#knex.raw<{ readonly rows: readonly { document: string; rows: string }[] }>(
        'select document, count(*) as rows from ?? group by document',
        [table],
      )
      return new Map(counted.rows.map(({ document, rows }) => [Number(document), Number(rows)]))
    })
  }

  async listCollections(): Promise<readonly string[]> {
    this.#refuseIfClosed()
    return await inDatabase('all collections', () => this.#tables.names())
  }

  async drop(name: string): Promise<void> {
    this.#refuseIfClosed()
    await this.#inTurn(name, async () => {
      this.#builder.forget(name)
      await this.#tables.drop(name)
    })
  }

  /** Builds the indexes that are due, and waits for them. Never needed; for tests and measurements. */
  async whenMaintained(): Promise<void> {
    this.#refuseIfClosed()
    await this.#builder.finish()
  }

  /** Why the last index could not be built, while none has been since: it is tried again. */
  get maintenanceError(): Error | undefined {
    return this.#builder.error
  }

  /** Also waits for what is under way, but for no index: what is being built is broken off, and begun anew later. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#builder.close()
    await Promise.allSettled(this.#underWay)
    if (!this.#keepKnex) await this.#knex.destroy()
  }

  /** All of the rows or none of them. */
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

  async #inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turn = this.#turns.get(name) ?? pLimit(1)
    this.#turns.set(name, turn)
    try {
      return await this.#tracked(turn(async () => await inDatabase(name, work)))
    } finally {
      if (turn.activeCount + turn.pendingCount === 0) this.#turns.delete(name)
    }
  }

  /** A collection that is not there, or is dropped meanwhile, has nothing. */
  async #using<T>(name: string, nothing: T, work: (table: VectorTable) => Promise<T>): Promise<T> {
    const use = async (): Promise<T> => {
      const table = await this.#tables.find(name)
      return table === undefined ? nothing : await work(table)
    }
    return await this.#tracked(inDatabase(name, () => this.#again(name, use)))
  }

  /** Does it once more where somebody else has dropped the table that is known, and may have made another. */
  async #again<T>(name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!isGone(error)) throw error
      this.#tables.forget(name)
      return await work()
    }
  }

  async #tracked<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work)
    try {
      return await work
    } finally {
      this.#underWay.delete(work)
    }
  }

  #refuseIfClosed(): void {
    if (this.#isClosed) throw new ClosedError('the vector index')
  }
}

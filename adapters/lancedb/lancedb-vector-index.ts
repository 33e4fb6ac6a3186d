import { availableParallelism } from 'node:os'
import {
  type IndexedChunk,
  type NearestWindow,
  type ProcessLocks,
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
import { freeBytesOf, requireWritable, usedBytesOf } from '../node-kit/index.js'
import { SmallTables } from './copies/small-tables.js'
import { LanceCollections } from './lance-collections.js'
import { LanceTables } from './lance-tables.js'
import { IndexBuilder } from './maintenance/index-builder.js'
import { TableMaintenance } from './maintenance/table-maintenance.js'
import { loadArrowRows, type OpenTable } from './open-table.js'
import { TableSearch } from './search/table-search.js'
import { describePlace } from './table-place.js'
import { chunkKeysPredicate, windowName } from './table-schema.js'

/** The options of a vector index on LanceDB. */
export interface LanceDbOptions {
  /**
   * True to maintain tables: merge fragments, build indexes, remove old versions. Default: true. Without maintenance,
   * only additions, deletions and drops change the files, so a tool can read a folder as it is.
   */
  readonly maintains?: boolean
  /**
   * The locks of all processes that work on the tables at the same time. Each process then sees the writes of the
   * others. The index closes the locks. Default: this process is alone.
   */
  readonly locks?: ProcessLocks
  /** Options for an object store that LanceDB needs beside the environment, such as `aws_endpoint`. */
  readonly storageOptions?: Readonly<Record<string, string>>
  /**
   * A folder for temporary files, which the index creates and removes. Default: in the folder of the tables, or that of the
   * system for tables in an object store.
   */
  readonly temporaryFolder?: string
  /**
   * Receives reports of maintenance that failed (`vectors.maintenance.failed`, `vectors.index.failed`). It is retried.
   */
  readonly telemetry?: Telemetry
  /**
   * A collection of at least this many rows gets a vector index. Default: 10,000, where a scan takes twice as long as a
   * search by the index; for 5,000 rows it takes 1.4 times as long. A collection whose dimensions are not a multiple of
   * 8 never gets one.
   */
  readonly indexFromRows?: number
}

/** Limits that tests lower. */
export interface LanceDbLimits {
  /**
   * A collection of at least this many bytes is compacted in a separate process, whose memory ends with it. A smaller
   * one is done before a process has started.
   */
  readonly compactApartFromBytes?: number
  /** A collection of at most this many rows, and fewer than `indexFromRows`, is searched in memory. 0 for never. */
  readonly inMemoryUpToRows?: number
}

/**
 * Vectors in LanceDB: one table for each collection. A small table is searched in memory. Searches scan a table of
 * medium size. A large table gets a vector index, which a separate process builds. A search reads as many of its
 * partitions as were measured to give a recall of 0.99. Maintenance cleans up after writes, between requests.
 */
export class LanceDbVectorIndex implements VectorIndex {
  readonly #collections: LanceCollections
  readonly #search: TableSearch
  readonly #maintenance: TableMaintenance
  readonly #folder: string | undefined
  /** More concurrent calls are not faster, by measurement: each uses several cores. One more is for another company. */
  readonly concurrency: number = availableParallelism() + 2

  /**
   * @param place a folder, which the first write creates, or the URL of a folder in an object store, such as
   *   `s3://bucket/folder`
   */
  constructor(place: string, options: LanceDbOptions = {}) {
    const { indexFromRows = 10_000, maintains = true, telemetry, ...limits } = options as LanceDbOptions & LanceDbLimits
    const { compactApartFromBytes = 2 ** 24, inMemoryUpToRows = 2_500 } = limits
    const tablePlace = describePlace(place, options)
    this.#folder = tablePlace.folder
    const copiedUpToRows = tablePlace.isShared ? 0 : Math.min(inMemoryUpToRows, indexFromRows - 1)
    this.#search = new TableSearch(new SmallTables(copiedUpToRows))
    const tables = new LanceTables(tablePlace)
    const builder = new IndexBuilder(tables, { indexFromRows, telemetry })
    this.#maintenance = new TableMaintenance(tables, builder, {
      isManual: !maintains,
      separateFromBytes: compactApartFromBytes,
      telemetry,
    })
    this.#collections = new LanceCollections(tables, this.#maintenance)
  }

  async add(collection: VectorCollection, rows: VectorRows): Promise<void> {
    const { name, dimensions } = collection
    this.#collections.refuseIfClosed()
    requireRows(collection, rows)
    if (rows.chunks.length === 0) return
    await this.#collections.add(name, {
      rows: rows.chunks.length,
      bytes: rows.vectors.byteLength,
      layout: dimensions,
      toBatch: async () => (await loadArrowRows()).toBatch(rows, dimensions),
      schema: async () => (await loadArrowRows()).schemaOf(dimensions),
    })
  }

  async search(
    collection: VectorCollection,
    query: Float32Array,
    options: VectorSearchOptions,
  ): Promise<readonly VectorHit[]> {
    this.#collections.refuseIfClosed()
    requireQuery(collection, query)
    return await this.#collections.read(collection.name, [], (open) => this.#search.nearest(open, query, options))
  }

  async nearestWindows(
    collection: VectorCollection,
    queries: readonly Float32Array[],
    chunks: readonly IndexedChunk[],
  ): Promise<readonly (NearestWindow | undefined)[]> {
    this.#collections.refuseIfClosed()
    for (const query of queries) requireQuery(collection, query)
    const none = chunks.map(() => undefined)
    if (chunks.length === 0 || queries.length === 0) return none
    return await this.#collections.read<readonly (NearestWindow | undefined)[]>(
      collection.name,
      none,
      async (open) => await this.#search.nearestWindows(open, queries, chunks),
    )
  }

  async read(collection: VectorCollection, keys: readonly VectorKey[]): Promise<readonly (Float32Array | undefined)[]> {
    this.#collections.refuseIfClosed()
    const none = keys.map(() => undefined)
    if (keys.length === 0) return none
    const read = async ({ table }: OpenTable): Promise<readonly (Float32Array | undefined)[]> => {
      const { KEY_COLUMNS, toVectors } = await loadArrowRows()
      const query = table
        .query()
        .where(chunkKeysPredicate(keys))
        .select([...KEY_COLUMNS, 'vector'])
      const found = toVectors(await query.toArrow())
      return keys.map((key) => found.get(windowName(key)))
    }
    return await this.#collections.read(collection.name, none, read)
  }

  async deleteDocument(name: string, documentId: number, fromChunk: number): Promise<void> {
    await this.#collections.deleteDocument(name, documentId, fromChunk)
  }

  async count(name: string, documentId: number): Promise<number> {
    return await this.#collections.count(name, documentId)
  }

  async countByDocument(name: string): Promise<ReadonlyMap<number, number>> {
    return await this.#collections.countByDocument(name)
  }

  async listCollections(): Promise<readonly string[]> {
    return await this.#collections.names()
  }

  async requireWritable(): Promise<void> {
    if (this.#folder !== undefined) await requireWritable(this.#folder, 'vectors')
  }

  async freeBytes(): Promise<number | undefined> {
    if (this.#folder === undefined) return undefined
    // The first write creates the folder: before it, there is nothing to re-index.
    return await freeBytesOf(this.#folder).catch(() => undefined)
  }

  async usedBytes(): Promise<number | undefined> {
    return this.#folder === undefined ? undefined : await usedBytesOf(this.#folder).catch(() => undefined)
  }

  async drop(name: string): Promise<void> {
    await this.#collections.drop(name)
  }

  /** Removes deleted rows and old versions from a folder that no other index uses, such as the copy of a backup. */
  async purge(): Promise<void> {
    await this.#collections.purge()
  }

  /**
   * Maintains the open tables now, and waits until nothing is left to do: fragments are merged, indexes built and
   * measured, old versions removed. Versions stay for a minute after a newer one. No host needs this call; it is for
   * tests, measurements and checks.
   */
  async whenMaintained(): Promise<void> {
    this.#collections.refuseIfClosed()
    await this.#maintenance.finish()
  }

  /** The error of the last maintenance; `undefined` once maintenance has succeeded. Failed work is retried later. */
  get maintenanceError(): Error | undefined {
    return this.#maintenance.error
  }

  /** Also waits for a merge in progress. Aborts a build of an index, which starts again later. */
  async close(): Promise<void> {
    await this.#collections.close()
  }
}

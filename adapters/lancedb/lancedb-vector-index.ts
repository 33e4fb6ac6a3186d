import { availableParallelism } from 'node:os'
import {
  type IndexedChunk,
  type NearestWindow,
  requireQuery,
  requireRows,
  type VectorCollection,
  type VectorHit,
  type VectorIndex,
  type VectorKey,
  type VectorRows,
  type VectorSearchOptions,
} from '../../src/ports/index.js'
import { keysPredicate, windowName } from './document-predicates.js'
import { IndexBuilder } from './index-builder.js'
import { LanceCollections } from './lance-collections.js'
import type { LanceDbOptions } from './lance-options.js'
import { LanceTables } from './lance-tables.js'
import { loadArrowRows } from './load-arrow-rows.js'
import { findNearestWindows } from './nearest-windows.js'
import type { OpenTable } from './open-table.js'
import { TableMaintenance } from './table-maintenance.js'
import { describePlace } from './table-place.js'
import { TableSearch } from './table-search.js'
import { makeVectorAddition } from './vector-addition.js'

/**
 * Vectors in LanceDB: one table for each collection. Searches scan a small table. A large table gets a vector index,
 * which a separate process builds. A search reads as many of its partitions as were measured to give a recall of 0.99.
 * Maintenance cleans up after writes, between requests.
 */
export class LanceDbVectorIndex implements VectorIndex {
  readonly #collections: LanceCollections
  readonly #search = new TableSearch()
  readonly #maintenance: TableMaintenance
  /** More concurrent calls are not faster, by measurement: each uses several cores. */
  readonly concurrency: number = availableParallelism() + 1

  /**
   * @param place a folder, which the first write creates, or the URL of a folder in an object store, such as
   *   `s3://bucket/folder`
   */
  constructor(place: string, options: LanceDbOptions = {}) {
    const { indexFromRows = 10_000, compactApartFromBytes = 2 ** 24, maintains = true, telemetry } = options
    const tables = new LanceTables(describePlace(place, options))
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
    const schema = async () => (await loadArrowRows()).schemaOf(dimensions)
    await this.#collections.add(name, { ...makeVectorAddition(rows, dimensions), schema })
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
      async ({ table }) => await findNearestWindows(table, queries, chunks),
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
        .where(keysPredicate(keys))
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

  async drop(name: string): Promise<void> {
    await this.#collections.drop(name)
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

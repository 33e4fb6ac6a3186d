import { availableParallelism } from 'node:os'
import pLimit from 'p-limit'
import {
  ClosedError,
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
import { keysPredicate, nameOf } from './document-predicates.js'
import { onDisk, reading } from './errors.js'
import { IndexBuilder } from './index-builder.js'
import { isMissing, LanceTables } from './lance-tables.js'
import { loadArrowRows } from './load-arrow-rows.js'
import { dropLock, type OpenTable, upkeepLock } from './open-table.js'
import { TableMaintenance } from './table-maintenance.js'
import { placeOf } from './table-place.js'
import { TableSearch } from './table-search.js'

/** How an index on LanceDB behaves. */
export interface LanceDbOptions {
  /**
   * Rows from which on a collection gets a vector index. Default 10,000: a scan takes twice as long by then, and 1.4
   * times as long for 5,000. One whose dimensions are not a multiple of 8 never gets one.
   */
  readonly indexFromRows?: number
  /**
   * Bytes from which on a collection is compacted in a process of its own, whose memory ends with it. Default 16 MiB:
   * smaller ones are done sooner than a process has begun.
   */
  readonly compactApartFromBytes?: number
  /**
   * Whether tables are put in order: fragments merged, indexes built, old versions removed; default true. Without it
   * only additions, deletions and drops change what is on the disk, for whoever looks at a folder as it is.
   */
  readonly maintains?: boolean
  /**
   * Of all processes that work on the tables at the same time, of which each then sees what the others have written.
   * They are closed with the index. Default: this process is alone.
   */
  readonly locks?: ProcessLocks
  /** For an object store: what LanceDB needs beside the environment, such as `aws_endpoint`. */
  readonly storageOptions?: Readonly<Record<string, string>>
  /** Hears what could not be put in order (`vectors.maintenance.failed`, `vectors.index.failed`): it is tried again. */
  readonly telemetry?: Telemetry
}

/**
 * Vectors in LanceDB: one table for each collection. Small ones are scanned; large ones have a vector
 * index, built in a process of its own, and searched in as many partitions as were measured to give a
 * recall of 0.99. What writes leave behind is put in order between requests.
 */
export class LanceDbVectorIndex implements VectorIndex {
  readonly #tables: LanceTables
  readonly #search = new TableSearch()
  readonly #maintenance: TableMaintenance
  /** One at a time: each holds locks within locks. */
  readonly #dropping = pLimit(1)
  /** More make nothing quicker, by measurement: each uses several cores. */
  readonly concurrency: number = availableParallelism() + 1
  #isClosed = false

  /** @param place a folder, made at the first write, or the URL of one in an object store, such as `s3://bucket/folder` */
  constructor(place: string, options: LanceDbOptions = {}) {
    const { indexFromRows = 10_000, compactApartFromBytes = 2 ** 24, maintains = true, telemetry } = options
    this.#tables = new LanceTables(placeOf(place, options))
    const builder = new IndexBuilder(this.#tables, { indexFromRows, telemetry })
    this.#maintenance = new TableMaintenance(this.#tables, builder, {
      isAsked: !maintains,
      apartFromBytes: compactApartFromBytes,
      telemetry,
    })
  }

  async add(collection: VectorCollection, rows: VectorRows): Promise<void> {
    const { name, dimensions } = collection
    this.#refuseIfClosed()
    requireRows(collection, rows)
    if (rows.chunks.length === 0) return
    const write = async (open: OpenTable): Promise<void> => {
      await open.writer.add(rows, dimensions)
      this.#maintenance.noteWrite(name, open)
    }
    await onDisk(() => this.#again(name, () => this.#tables.useOrMake(name, dimensions, write)))
  }

  async search(
    collection: VectorCollection,
    query: Float32Array,
    options: VectorSearchOptions,
  ): Promise<readonly VectorHit[]> {
    this.#refuseIfClosed()
    requireQuery(collection, query)
    const { name } = collection
    return await reading(name, () => this.#using(name, [], (open) => this.#search.nearest(open, query, options)))
  }

  async read(collection: VectorCollection, keys: readonly VectorKey[]): Promise<readonly (Float32Array | undefined)[]> {
    this.#refuseIfClosed()
    const none = keys.map(() => undefined)
    if (keys.length === 0) return none
    const read = async ({ table }: OpenTable): Promise<readonly (Float32Array | undefined)[]> => {
      const { KEY_COLUMNS, toVectors } = await loadArrowRows()
      const query = table
        .query()
        .where(keysPredicate(keys))
        .select([...KEY_COLUMNS, 'vector'])
      const found = toVectors(await query.toArrow())
      return keys.map((key) => found.get(nameOf(key)))
    }
    return await reading(collection.name, () => this.#using(collection.name, none, read))
  }

  async deleteDocument(name: string, documentId: number, fromChunk: number): Promise<void> {
    this.#refuseIfClosed()
    const remove = async (open: OpenTable): Promise<void> => {
      await open.writer.delete(`document = ${documentId} AND chunk >= ${fromChunk}`)
      this.#maintenance.noteWrite(name, open)
    }
    await onDisk(() => this.#using(name, undefined, remove))
  }

  async countByDocument(name: string): Promise<ReadonlyMap<number, number>> {
    this.#refuseIfClosed()
    const count = async ({ table }: OpenTable): Promise<ReadonlyMap<number, number>> => {
      const counts = new Map<number, number>()
      for await (const batch of table.query().select(['document'])) {
        const documents = batch.getChild('document')?.toArray() as Int32Array
        for (const document of documents) counts.set(document, (counts.get(document) ?? 0) + 1)
      }
      return counts
    }
    return await reading(name, () => this.#using(name, new Map<number, number>(), count))
  }

  async listCollections(): Promise<readonly string[]> {
    this.#refuseIfClosed()
    return await onDisk(() => this.#tables.names())
  }

  async drop(name: string): Promise<void> {
    this.#refuseIfClosed()
    const { locks } = this.#tables.place
    const drop = async (): Promise<void> => await onDisk(() => this.#tables.drop(name))
    // What another process still has to write for it, in putting it in order, would come back as a part of the next one.
    const dropInTurn = async (): Promise<void> =>
      await locks.hold(dropLock(name), () => locks.hold(upkeepLock(name), drop))
    await this.#dropping(() => this.#maintenance.without(name, dropInTurn))
  }

  /**
   * Puts the open tables in order now, and waits until nothing is left to be done: fragments merged,
   * indexes built and measured, old versions removed. Versions stay for a minute after a newer one.
   * Never needed; for tests, measurements and checks.
   */
  async whenMaintained(): Promise<void> {
    this.#refuseIfClosed()
    await this.#maintenance.finish()
  }

  /** Why the last work of maintenance failed, while it has not succeeded since: it is tried again later. */
  get maintenanceError(): Error | undefined {
    return this.#maintenance.error
  }

  /** Also waits for a merge that is under way; a build of an index is given up, and begun again another time. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#maintenance.close()
    await this.#tables.close()
    await this.#tables.place.locks.close()
  }

  #refuseIfClosed(): void {
    if (this.#isClosed) throw new ClosedError('the vector index')
  }

  /** A collection that is not there, or is dropped meanwhile, has nothing. */
  async #using<T>(name: string, nothing: T, work: (open: OpenTable) => Promise<T>): Promise<T> {
    const use = async (open: OpenTable | undefined): Promise<T> => {
      if (open === undefined) return nothing
      this.#maintenance.noteUse(name)
      try {
        return await work(open)
      } catch (error) {
        if (!this.#isShared && isMissing(error) && !(await this.#tables.isCurrent(name, open))) return nothing
        throw error
      }
    }
    return await this.#again(name, () => this.#tables.use(name, use))
  }

  /** Once more where another process has dropped the table that is open here, and may have made another. */
  async #again<T>(name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!this.#isShared || !isMissing(error)) throw error
      this.#tables.forgetDropped(name)
      return await work()
    }
  }

  get #isShared(): boolean {
    return this.#tables.place.isShared
  }
}

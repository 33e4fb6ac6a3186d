import type { Schema } from 'apache-arrow'
import pLimit from 'p-limit'
import { ClosedError, retry } from '../../src/ports/index.js'
import { withReadErrors, withStorageErrors } from './errors.js'
import { isTableUnavailable, type LanceTables } from './lance-tables.js'
import { purgeCopy } from './maintenance/maintenance-steps.js'
import type { TableMaintenance } from './maintenance/table-maintenance.js'
import type { Addition, OpenTable } from './open-table.js'
import { dropLock, maintenanceLock } from './table-place.js'

/** Other processes may drop and create a table several times while a call reads it. */
const MAX_RETRIES = 8

/** Rows to add to a collection. */
interface CollectionAddition extends Addition {
  /** The columns of the table, if it must be created. */
  readonly schema: () => Promise<Schema>
}

/** The collections: each is a table with the columns `document` and `chunk`. */
export class LanceCollections {
  /** Drops run one at a time, because each holds locks within locks. */
  readonly #dropping = pLimit(1)
  #isClosed = false

  constructor(
    private readonly tables: LanceTables,
    private readonly maintenance: TableMaintenance,
  ) {}

  refuseIfClosed(): void {
    if (this.#isClosed) throw new ClosedError('the vector index')
  }

  async add(name: string, addition: CollectionAddition): Promise<void> {
    const write = async (open: OpenTable): Promise<void> => {
      await open.writer.add(addition)
      this.tables.noteWrite(name)
      this.maintenance.noteWrite(name, open)
    }
    await withStorageErrors(() => this.#retryIfDropped(name, () => this.tables.useOrMake(name, addition.schema, write)))
  }

  /** Reads the collection. Returns `emptyResult` if it does not exist or is dropped in the meantime. */
  async read<T>(name: string, emptyResult: T, work: (open: OpenTable) => Promise<T>): Promise<T> {
    return await withReadErrors(name, () => this.#useIfExists(name, emptyResult, work))
  }

  async deleteDocument(name: string, documentId: number, fromChunk: number): Promise<void> {
    this.refuseIfClosed()
    const remove = async (open: OpenTable): Promise<void> => {
      await open.writer.delete(`document = ${documentId} AND chunk >= ${fromChunk}`)
      this.tables.noteWrite(name)
      this.maintenance.noteWrite(name, open)
    }
    await withStorageErrors(() => this.#useIfExists(name, undefined, remove))
  }

  async count(name: string, documentId: number): Promise<number> {
    this.refuseIfClosed()
    return await this.read(name, 0, ({ table }) => table.countRows(`document = ${documentId}`))
  }

  async countByDocument(name: string): Promise<ReadonlyMap<number, number>> {
    this.refuseIfClosed()
    const count = async ({ table }: OpenTable): Promise<ReadonlyMap<number, number>> => {
      const counts = new Map<number, number>()
      for await (const batch of table.query().select(['document'])) {
        const documents = batch.getChild('document')?.toArray() as Int32Array
        for (const document of documents) counts.set(document, (counts.get(document) ?? 0) + 1)
      }
      return counts
    }
    return await this.read(name, new Map<number, number>(), count)
  }

  async names(): Promise<readonly string[]> {
    this.refuseIfClosed()
    return await withStorageErrors(() => this.tables.names())
  }

  /** Removes deleted rows and old versions from a folder that no other index uses. */
  async purge(): Promise<void> {
    for (const name of await this.names()) {
      await withStorageErrors(() =>
        this.#useIfExists(name, undefined, async (open) => await purgeCopy(open, this.tables.place)),
      )
    }
  }

  async drop(name: string): Promise<void> {
    this.refuseIfClosed()
    const { place } = this.tables
    const drop = async (): Promise<void> => await withStorageErrors(() => this.tables.drop(name))
    // If another process maintained the table after the drop, its writes would appear in the next table of that name.
    const dropInTurn = async (): Promise<void> =>
      await place.locks.hold(dropLock(name), () => place.locks.hold(maintenanceLock(name), drop))
    await this.#dropping(() => this.maintenance.runExclusively(name, dropInTurn))
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.maintenance.close()
    await this.tables.close()
    await this.tables.place.locks.close()
  }

  /**
   * Runs work on a collection. A collection that does not exist, or is dropped in the meantime, gives `emptyResult`.
   */
  async #useIfExists<T>(name: string, emptyResult: T, work: (open: OpenTable) => Promise<T>): Promise<T> {
    const use = async (open: OpenTable | undefined): Promise<T> => {
      if (open === undefined) return emptyResult
      this.maintenance.noteUse(name)
      try {
        return await work(open)
      } catch (error) {
        if (!this.#isShared && isTableUnavailable(error) && !(await this.tables.isCurrent(name, open)))
          return emptyResult
        throw error
      }
    }
    return await this.#retryIfDropped(name, () => this.tables.use(name, use))
  }

  /**
   * Retries if files of the table are missing: another process has dropped the open table, or is dropping it, and may
   * have created another. Each retry waits for that process. A table that still lacks files afterwards is damaged.
   */
  async #retryIfDropped<T>(name: string, work: () => Promise<T>): Promise<T> {
    return await retry(work, {
      backoff: { firstMs: 0, maxRetries: MAX_RETRIES },
      isTransient: (error) => this.#isShared && isTableUnavailable(error),
      beforeRetry: async () => await this.tables.forgetDropped(name),
    })
  }

  get #isShared(): boolean {
    return this.tables.place.isShared
  }
}

import type { Schema } from 'apache-arrow'
import pLimit from 'p-limit'
import { ClosedError } from '../../src/ports/index.js'
import type { Addition } from './addition.js'
import { onDisk, reading } from './errors.js'
import { isMissing, type LanceTables } from './lance-tables.js'
import type { OpenTable } from './open-table.js'
import type { TableMaintenance } from './table-maintenance.js'
import { dropLock, upkeepLock } from './table-place.js'

/** A table may be dropped, and made again, several times while it is read. */
const MOST_ATTEMPTS = 5

/** A collection's rows that are to be added. */
export interface CollectionAddition extends Addition {
  /** Columns of the table, if it must be made. */
  readonly schema: () => Promise<Schema>
}

/** Collections, each of which is a table with the columns `document` and `chunk`. */
export class LanceCollections {
  readonly #tables: LanceTables
  readonly #maintenance: TableMaintenance
  /** One at a time: each holds locks within locks. */
  readonly #dropping = pLimit(1)
  #isClosed = false

  constructor(tables: LanceTables, maintenance: TableMaintenance) {
    this.#tables = tables
    this.#maintenance = maintenance
  }

  refuseIfClosed(): void {
    if (this.#isClosed) throw new ClosedError('the vector index')
  }

  async add(name: string, addition: CollectionAddition): Promise<void> {
    const write = async (open: OpenTable): Promise<void> => {
      await open.writer.add(addition)
      this.#maintenance.noteWrite(name, open)
    }
    await onDisk(() => this.#again(name, () => this.#tables.useOrMake(name, addition.schema, write)))
  }

  /** Reads the collection; gives `nothing` where it is not there, or is dropped meanwhile. */
  async read<T>(name: string, nothing: T, work: (open: OpenTable) => Promise<T>): Promise<T> {
    return await reading(name, () => this.#using(name, nothing, work))
  }

  async deleteDocument(name: string, documentId: number, fromChunk: number): Promise<void> {
    this.refuseIfClosed()
    const remove = async (open: OpenTable): Promise<void> => {
      await open.writer.delete(`document = ${documentId} AND chunk >= ${fromChunk}`)
      this.#maintenance.noteWrite(name, open)
    }
    await onDisk(() => this.#using(name, undefined, remove))
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
    return await onDisk(() => this.#tables.names())
  }

  async drop(name: string): Promise<void> {
    this.refuseIfClosed()
    const { place } = this.#tables
    const drop = async (): Promise<void> => await onDisk(() => this.#tables.drop(name))
    // What another process still has to write for it, in putting it in order, would come back as a part of the next one.
    const dropInTurn = async (): Promise<void> =>
      await place.locks.hold(dropLock(name), () => place.locks.hold(upkeepLock(name), drop))
    await this.#dropping(() => this.#maintenance.without(name, dropInTurn))
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#maintenance.close()
    await this.#tables.close()
    await this.#tables.place.locks.close()
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

  /**
   * Again where files of the table are missing: another process has dropped the one that is open here, or does so now,
   * and may have made another. That is waited for. A table that still lacks files then is damaged.
   */
  async #again<T>(name: string, work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work()
      } catch (error) {
        if (!this.#isShared || !isMissing(error) || attempt === MOST_ATTEMPTS) throw error
        await this.#tables.forgetDropped(name)
      }
    }
  }

  get #isShared(): boolean {
    return this.#tables.place.isShared
  }
}

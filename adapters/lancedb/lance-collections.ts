import type { Schema } from 'apache-arrow'
import pLimit from 'p-limit'
import { ClosedError } from '../../src/ports/index.js'
import type { Addition } from './addition.js'
import { onDisk, reading } from './errors.js'
import { isMissing, type LanceTables } from './lance-tables.js'
import type { OpenTable } from './open-table.js'
import type { TableMaintenance } from './table-maintenance.js'
import { dropLock, upkeepLock } from './table-place.js'

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

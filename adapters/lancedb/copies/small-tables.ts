import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import type { OpenTable } from '../open-table.js'
import { WINDOW_COLUMNS } from '../search/nearest-windows.js'
import { TableCopy } from './table-copy.js'

/**
 * The most components of all vectors of a small table. To compare 2,500 vectors of 384 components in memory takes the
 * event loop about a millisecond, and LanceDB's answer takes 3 to 4 ms.
 */
const MAX_COMPONENTS = 1_000_000
/** The memory for the copies of all tables. */
const MAX_BYTES = 2 ** 25
/** The number of tables that are read at a time. */
const MAX_READS = 3
/** The number of tables of which anything is remembered. */
const MAX_TABLES = 256

/** A version of a table, with the copy of its rows. */
interface KnownVersion {
  readonly version: number
  /** `undefined` for a table that is not small. */
  readonly copy: Promise<TableCopy | undefined>
}

/**
 * Copies of small tables in memory, the most recently used ones. A new version of a table is read at the next search. No
 * other process may write: a table that it drops and creates again has the versions of the former one.
 */
export class SmallTables {
  readonly #known = new LRUCache<OpenTable, KnownVersion>({
    max: MAX_TABLES,
    maxSize: MAX_BYTES,
    sizeCalculation: () => 1,
  })
  readonly #readSlots = pLimit(MAX_READS)

  /** @param maxRows the most rows of a small table; 0 to copy none */
  constructor(private readonly maxRows: number) {}

  /** Returns the rows of a table as they are now; `undefined` if the table is not small. */
  async copyOf(open: OpenTable, dimensions: number): Promise<TableCopy | undefined> {
    if (this.maxRows < 1) return undefined
    // The version is read first. So the copy may be newer than its version, and is then read again, but never older.
    const version = await open.table.version()
    const known = this.#known.get(open)
    if (known !== undefined && known.version >= version) return await known.copy
    const read = { version, copy: this.#read(open, dimensions) }
    this.#known.set(open, read)
    const isKnown = (): boolean => this.#known.peek(open) === read
    try {
      const copy = await read.copy
      // The cache takes over a size only with another object.
      if (copy !== undefined && isKnown()) this.#known.set(open, { ...read }, { size: copy.bytes })
      return copy
    } catch (error) {
      if (isKnown()) this.#known.delete(open)
      throw error
    }
  }

  async #read({ table }: OpenTable, dimensions: number): Promise<TableCopy | undefined> {
    const rows = await table.countRows()
    if (rows > this.maxRows || rows * dimensions > MAX_COMPONENTS) return undefined
    return await this.#readSlots(
      async () =>
        new TableCopy(
          await table
            .query()
            .select([...WINDOW_COLUMNS])
            .toArrow(),
        ),
    )
  }
}

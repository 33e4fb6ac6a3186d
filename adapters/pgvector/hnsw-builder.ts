import type { Knex } from 'knex'
import { LRUCache } from 'lru-cache'
import type { Telemetry } from '../../src/ports/index.js'
import { asError } from '../../src/ports/index.js'
import { isTableMissing } from '../node-kit/index.js'
import { isCancelled } from './errors.js'
import { HnswBuild } from './hnsw-build.js'
import type { VectorTable, VectorTables } from './vector-tables.js'

/** Largest number of dimensions of an index on half-precision vectors (source: pgvector, HNSW). */
const MAX_DIMENSIONS = 4_000
/** Number of additions after which the rows of a table are counted. */
const ADDITIONS_PER_COUNT = 8
/** Collections whose additions are counted. Each takes about 200 bytes. */
const MAX_COUNTED = 10_000

/** The rules by which tables get an index. */
interface HnswBuilderOptions {
  /** Number of rows from which a table gets an index. */
  readonly indexFromRows: number
  /** Milliseconds before the next try, after a failure or while another process builds. */
  readonly indexRetryMs: number
  readonly telemetry: Telemetry | undefined
}

/**
 * Builds HNSW indexes of large tables, one at a time, without blocking reads and writes. Searches scan a table without
 * one.
 */
export class HnswBuilder {
  /**
   * By collection: the additions that this process has made to a table. A lost entry is harmless: the next addition or
   * search counts the rows once more.
   */
  readonly #additions = new LRUCache<string, { readonly tableId: string; readonly count: number }>({ max: MAX_COUNTED })
  /** By collection: the build that waits or runs. */
  readonly #turns = new Map<string, Promise<void>>()
  /** Collections that are retried after the pause. */
  readonly #postponed = new Set<string>()
  #pause: NodeJS.Timeout | undefined
  #lastTurn: Promise<void> = Promise.resolve()
  #build: HnswBuild | undefined
  #isClosed = false
  /** The error of the last build; undefined after a success. */
  error: Error | undefined

  constructor(
    private readonly knex: Knex,
    private readonly tables: VectorTables,
    private readonly options: HnswBuilderOptions,
  ) {}

  /** Must be called after every addition. */
  noteAddition(name: string, table: VectorTable): void {
    if (this.#isClosed || !canHaveIndex(table)) return
    const noted = this.#additions.get(name)
    const count = noted?.tableId === table.id ? noted.count + 1 : 1
    this.#additions.set(name, { tableId: table.id, count })
    if (count % ADDITIONS_PER_COUNT !== 1) return
    // The waiting build may be for an earlier table of that name, so this one is postponed.
    if (this.#pause === undefined && !this.#turns.has(name)) this.#startTurn(name)
    else this.#retryLater(name)
  }

  /** Must be called for every search. The process that filled the table may have ended before it built the index. */
  noteSearch(name: string, table: VectorTable): void {
    if (this.#additions.get(name)?.tableId !== table.id) this.noteAddition(name, table)
  }

  /** Must be called when a collection is dropped. */
  forget(name: string): void {
    this.#additions.delete(name)
    this.#postponed.delete(name)
  }

  /** Builds the indexes that are due now, and waits for them. */
  async finish(): Promise<void> {
    await Promise.all(this.#turns.values())
    for (const name of this.#additions.keys()) this.#startTurn(name)
    await Promise.all(this.#turns.values())
  }

  /** Cancels the build that is running. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#pause)
    await this.#build?.cancel()
    await Promise.all(this.#turns.values())
  }

  #startTurn(name: string): void {
    if (this.#isClosed || this.#turns.has(name)) return
    const turn = this.#lastTurn.then(async () => {
      await this.#tryToBuild(name)
      this.#turns.delete(name)
    })
    this.#lastTurn = turn
    this.#turns.set(name, turn)
  }

  async #tryToBuild(name: string): Promise<void> {
    try {
      if (this.#isClosed) return
      const table = await this.tables.find(name)
      if (table === undefined || !canHaveIndex(table) || !(await this.#isLarge(table))) return
      const isBuilt = await this.#buildIndex(table)
      if (isBuilt) await this.tables.setIndexed(name, table)
      // Another process is building the index, but may end before it is done.
      else this.#retryLater(name)
      this.error = undefined
    } catch (error) {
      this.#noteFailure(name, error)
    }
  }

  async #isLarge({ table }: VectorTable): Promise<boolean> {
    const threshold = Math.min(Math.ceil(this.options.indexFromRows), Number.MAX_SAFE_INTEGER)
    const counted = await this.knex.raw<{ readonly rows: readonly { readonly rows: string }[] }>(
      'select count(*) as rows from (select 1 from ?? limit ?) as counted',
      [table, threshold],
    )
    return Number(counted.rows[0]?.rows) >= threshold
  }

  async #buildIndex(table: VectorTable): Promise<boolean> {
    if (this.#isClosed) return false
    this.#build = new HnswBuild(this.knex, table)
    try {
      return await this.#build.run()
    } finally {
      this.#build = undefined
    }
  }

  /** Records a failure. A dropped collection and a cancelled build are retried, but do not count as failures. */
  #noteFailure(name: string, error: unknown): void {
    if (this.#isClosed) return
    this.#retryLater(name)
    if (isTableMissing(error)) this.tables.forget(name)
    if (isTableMissing(error) || isCancelled(error)) return
    this.error = asError(error)
    this.options.telemetry?.record({
      name: 'vectors.index.failed',
      level: 'warn',
      fields: { collection: name },
      error,
    })
  }

  #retryLater(name: string): void {
    if (this.#isClosed) return
    this.#postponed.add(name)
    this.#pause ??= setTimeout(() => {
      this.#pause = undefined
      const names = [...this.#postponed]
      this.#postponed.clear()
      for (const name of names) {
        if (this.#turns.has(name)) this.#retryLater(name)
        else this.#startTurn(name)
      }
    }, this.options.indexRetryMs).unref()
  }
}

function canHaveIndex({ isIndexed, dimensions }: VectorTable): boolean {
  return !isIndexed && dimensions <= MAX_DIMENSIONS
}

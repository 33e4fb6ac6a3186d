import type { Knex } from 'knex'
import type { Telemetry } from '../../src/ports/index.js'
import { isCancelled, isGone } from './errors.js'
import { HnswBuild } from './hnsw-build.js'
import type { VectorTable, VectorTables } from './vector-tables.js'

/** What an index on half-precision vectors takes (pgvector, HNSW). */
const MOST_DIMENSIONS = 4_000
/** Additions after which a table is counted. */
const ADDITIONS_PER_LOOK = 8

/** Which tables get an index. */
export interface HnswBuilderOptions {
  readonly indexFromRows: number
  /** How long a build that has failed, or that another process makes, is left alone. */
  readonly indexRetryMs: number
  readonly telemetry: Telemetry | undefined
}

/** Builds HNSW indexes where they pay, one at a time, while others read and write. Until one is built its table is scanned. */
export class HnswBuilder {
  readonly #knex: Knex
  readonly #tables: VectorTables
  readonly #options: HnswBuilderOptions
  readonly #additions = new Map<string, { readonly tableId: string; readonly count: number }>()
  /** Collections whose turn comes, or is. */
  readonly #turns = new Map<string, Promise<void>>()
  /** Collections that are looked at again when the pause is over, while there is one. */
  readonly #postponed = new Set<string>()
  #pause: NodeJS.Timeout | undefined
  #last: Promise<void> = Promise.resolve()
  #build: HnswBuild | undefined
  #isClosed = false
  error: Error | undefined

  constructor(knex: Knex, tables: VectorTables, options: HnswBuilderOptions) {
    this.#knex = knex
    this.#tables = tables
    this.#options = options
  }

  /** To be told of every addition. */
  noteAddition(name: string, table: VectorTable): void {
    if (this.#isClosed || !canHaveIndex(table)) return
    const noted = this.#additions.get(name)
    const count = noted?.tableId === table.id ? noted.count + 1 : 1
    this.#additions.set(name, { tableId: table.id, count })
    if (count % ADDITIONS_PER_LOOK !== 1) return
    // It may be another table of that name whose turn it is.
    if (this.#pause === undefined && !this.#turns.has(name)) this.#begin(name)
    else this.#tryLater(name)
  }

  /** To be told of every search: whoever added to the table may have ended before its index was built. */
  noteSearch(name: string, table: VectorTable): void {
    if (this.#additions.get(name)?.tableId !== table.id) this.noteAddition(name, table)
  }

  /** Its collection is dropped. */
  forget(name: string): void {
    this.#additions.delete(name)
    this.#postponed.delete(name)
  }

  /** Builds what is due now, and waits for it. */
  async finish(): Promise<void> {
    await Promise.all(this.#turns.values())
    for (const name of this.#additions.keys()) this.#begin(name)
    await Promise.all(this.#turns.values())
  }

  /** Breaks off what is being built. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#pause)
    await this.#build?.cancel()
    await Promise.all(this.#turns.values())
  }

  #begin(name: string): void {
    if (this.#isClosed || this.#turns.has(name)) return
    const turn = this.#last.then(async () => {
      await this.#tryToBuild(name)
      this.#turns.delete(name)
    })
    this.#last = turn
    this.#turns.set(name, turn)
  }

  async #tryToBuild(name: string): Promise<void> {
    try {
      if (this.#isClosed) return
      const table = await this.#tables.find(name)
      if (table === undefined || !canHaveIndex(table) || !(await this.#isLarge(table))) return
      const isBuilt = await this.#buildIndex(table)
      if (isBuilt) await this.#tables.setIndexed(name, table)
      // Whoever builds it may end before it is built.
      else this.#tryLater(name)
      this.error = undefined
    } catch (error) {
      this.#noteFailure(name, error)
    }
  }

  async #isLarge({ table }: VectorTable): Promise<boolean> {
    const least = Math.min(Math.ceil(this.#options.indexFromRows), Number.MAX_SAFE_INTEGER)
    const counted = await this.#knex.raw<{ readonly rows: readonly { readonly rows: string }[] }>(
      'select count(*) as rows from (select 1 from ?? limit ?) as counted',
      [table, least],
    )
    return Number(counted.rows[0]?.rows) >= least
  }

  async #buildIndex(table: VectorTable): Promise<boolean> {
    if (this.#isClosed) return false
    this.#build = new HnswBuild(this.#knex, table)
    try {
      return await this.#build.run()
    } finally {
      this.#build = undefined
    }
  }

  /** It is no failure that a collection is dropped meanwhile, and perhaps made again, or a build cancelled on purpose. */
  #noteFailure(name: string, error: unknown): void {
    if (this.#isClosed) return
    this.#tryLater(name)
    if (isGone(error)) this.#tables.forget(name)
    if (isGone(error) || isCancelled(error)) return
    this.error = error instanceof Error ? error : new Error(String(error))
    this.#options.telemetry?.record({
      name: 'vectors.index.failed',
      level: 'warn',
      fields: { collection: name },
      error,
    })
  }

  #tryLater(name: string): void {
    if (this.#isClosed) return
    this.#postponed.add(name)
    this.#pause ??= setTimeout(() => {
      this.#pause = undefined
      const names = [...this.#postponed]
      this.#postponed.clear()
      for (const each of names) {
        if (this.#turns.has(each)) this.#tryLater(each)
        else this.#begin(each)
      }
    }, this.#options.indexRetryMs).unref()
  }
}

function canHaveIndex({ isIndexed, dimensions }: VectorTable): boolean {
  return !isIndexed && dimensions <= MOST_DIMENSIONS
}

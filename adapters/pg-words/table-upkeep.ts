import type { Knex } from 'knex'
import type { Telemetry } from '../../src/ports/index.js'
import { readTotals } from './chunk-runs.js'
import { isGone } from './errors.js'
import { mergePostings, purgePostings, vacuum } from './posting-merges.js'
import type { WordTable, WordTables } from './word-tables.js'

/** Additions after which rows of the same term are merged. */
const ADDITIONS_PER_MERGE = 64
/** Deletions after which the upkeep counts deleted chunks. */
const DELETIONS_PER_LOOK = 16
/** Rows of one term that a search reads at which merging pays: whoever added them may have ended before. */
const MOST_ROWS_PER_TERM = 192
/** Purging rewrites the postings of all terms: it waits until so many chunks are deleted, and so large a share. */
const LEAST_DELETED = 100
const DELETED_SHARE = 0.25

/** How upkeep behaves. */
export interface TableUpkeepOptions {
  /** Milliseconds after which upkeep that failed is tried again. */
  readonly retryMs: number
  readonly telemetry: Telemetry | undefined
}

/**
 * Rows that are merged between two vacuums. An autovacuum comes later: by then a search reads thousands of dead rows
 * (measured while 100,000 chunks are added: 11,600 for ten terms, of which 59 are alive).
 */
const ROWS_PER_VACUUM = 200_000

interface Noted {
  readonly tableId: string
  additions: number
  deletions: number
  /** Rows that were merged since the last vacuum. The first merge is followed by one: the planner knows nothing of a new table. */
  merged: number
}

/** Keeps tables quick and small in the background, one at a time: merges rows, and purges postings of deleted chunks. */
export class TableUpkeep {
  readonly #knex: Knex
  readonly #tables: WordTables
  readonly #options: TableUpkeepOptions
  readonly #noted = new Map<string, Noted>()
  /** Collections that wait for their turn, or have it. */
  readonly #turns = new Map<string, Promise<void>>()
  readonly #postponed = new Set<string>()
  #pause: NodeJS.Timeout | undefined
  #last: Promise<void> = Promise.resolve()
  #isClosed = false
  /** Why the last upkeep failed, unless one has succeeded since. */
  error: Error | undefined

  constructor(knex: Knex, tables: WordTables, options: TableUpkeepOptions) {
    this.#knex = knex
    this.#tables = tables
    this.#options = options
  }

  noteAddition(collection: string, table: WordTable): void {
    const noted = this.#notedOf(collection, table)
    noted.additions += 1
    if (noted.additions % ADDITIONS_PER_MERGE === 0) this.#begin(collection)
  }

  noteDeletion(collection: string, table: WordTable): void {
    const noted = this.#notedOf(collection, table)
    noted.deletions += 1
    if (noted.deletions % DELETIONS_PER_LOOK === 1) this.#begin(collection)
  }

  /** @param mostRows of one term that the search has read */
  noteSearch(collection: string, mostRows: number): void {
    if (mostRows > MOST_ROWS_PER_TERM) this.#begin(collection)
  }

  forget(collection: string): void {
    this.#noted.delete(collection)
    this.#postponed.delete(collection)
  }

  /** Does what is due now, and waits for it. */
  async finish(): Promise<void> {
    await Promise.all(this.#turns.values())
    for (const collection of this.#noted.keys()) this.#begin(collection)
    await Promise.all(this.#turns.values())
  }

  /** Breaks off after the step that is under way. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#pause)
    await Promise.all(this.#turns.values())
  }

  #notedOf(collection: string, { id }: WordTable): Noted {
    const known = this.#noted.get(collection)
    const noted =
      known?.tableId === id ? known : { tableId: id, additions: 0, deletions: 0, merged: ROWS_PER_VACUUM - 1 }
    this.#noted.set(collection, noted)
    return noted
  }

  #begin(collection: string): void {
    if (this.#isClosed || this.#turns.has(collection) || this.#postponed.has(collection)) return
    const turn = this.#last.then(async () => {
      await this.#tryToTidy(collection)
      this.#turns.delete(collection)
    })
    // What goes wrong is noted there; if even that fails, the next turn comes all the same.
    this.#last = turn.catch(() => undefined)
    this.#turns.set(collection, this.#last)
  }

  async #tryToTidy(collection: string): Promise<void> {
    try {
      const table = await this.#tables.find(collection)
      if (table === undefined || this.#isClosed) return
      await this.#tidy(this.#notedOf(collection, table), table)
      this.error = undefined
    } catch (error) {
      this.#noteFailure(collection, error)
    }
  }

  async #tidy(noted: Noted, table: WordTable): Promise<void> {
    const isOver = (): boolean => this.#isClosed
    const merged = await mergePostings(this.#knex, table, isOver)
    if (merged === undefined) return
    noted.merged += merged
    const { chunks, deleted } = await readTotals(this.#knex, table)
    const isMuch = deleted >= LEAST_DELETED && deleted >= DELETED_SHARE * chunks
    const isPurged = isMuch && (await purgePostings(this.#knex, table, isOver))
    if (this.#isClosed || (!isPurged && noted.merged < ROWS_PER_VACUUM)) return
    await vacuum(this.#knex, table)
    noted.merged = 0
  }

  /** Dropping a collection meanwhile is no failure. */
  #noteFailure(collection: string, error: unknown): void {
    if (isGone(error)) this.#tables.forget(collection)
    if (this.#isClosed || isGone(error)) return
    this.error = error instanceof Error ? error : new Error(String(error))
    this.#options.telemetry?.record({
      name: 'words.maintenance.failed',
      level: 'warn',
      fields: { collection },
      error,
    })
    this.#tryLater(collection)
  }

  #tryLater(collection: string): void {
    this.#postponed.add(collection)
    this.#pause ??= setTimeout(() => {
      this.#pause = undefined
      const collections = [...this.#postponed]
      this.#postponed.clear()
      for (const each of collections) this.#begin(each)
    }, this.#options.retryMs).unref()
  }
}

import type { Knex } from 'knex'
import { isPurgeDue } from '../posting-source.js'
import { type IsOver, Upkeep, type UpkeepOptions } from '../upkeep.js'
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
  readonly #upkeep: Upkeep
  readonly #noted = new Map<string, Noted>()

  constructor(knex: Knex, tables: WordTables, options: Pick<UpkeepOptions, 'retryMs' | 'telemetry'>) {
    this.#knex = knex
    this.#tables = tables
    this.#upkeep = new Upkeep({
      ...options,
      tidy: async (collection, isOver) => {
        const table = await tables.find(collection)
        if (table !== undefined) await this.#tidy(this.#notedOf(collection, table), table, isOver)
      },
      isGone: (error, collection) => {
        if (isGone(error)) tables.forget(collection)
        return isGone(error)
      },
    })
  }

  /** Why the last upkeep failed, unless one has succeeded since. */
  get error(): Error | undefined {
    return this.#upkeep.error
  }

  noteAddition(collection: string, table: WordTable): void {
    const noted = this.#notedOf(collection, table)
    noted.additions += 1
    if (noted.additions % ADDITIONS_PER_MERGE === 0) this.#upkeep.begin(collection)
  }

  noteDeletion(collection: string, table: WordTable): void {
    const noted = this.#notedOf(collection, table)
    noted.deletions += 1
    if (noted.deletions % DELETIONS_PER_LOOK === 1) this.#upkeep.begin(collection)
  }

  /** @param mostRows of one term that the search has read */
  noteSearch(collection: string, mostRows: number): void {
    if (mostRows > MOST_ROWS_PER_TERM) this.#upkeep.begin(collection)
  }

  forget(collection: string): void {
    this.#noted.delete(collection)
    this.#upkeep.forget(collection)
  }

  /** Does what is due now, and waits for it. */
  async finish(): Promise<void> {
    await this.#upkeep.finish(this.#noted.keys())
  }

  /** Breaks off after the step that is under way. */
  async close(): Promise<void> {
    await this.#upkeep.close()
  }

  #notedOf(collection: string, { id }: WordTable): Noted {
    const known = this.#noted.get(collection)
    const noted =
      known?.tableId === id ? known : { tableId: id, additions: 0, deletions: 0, merged: ROWS_PER_VACUUM - 1 }
    this.#noted.set(collection, noted)
    return noted
  }

  async #tidy(noted: Noted, table: WordTable, isOver: IsOver): Promise<void> {
    const merged = await mergePostings(this.#knex, table, isOver)
    if (merged === undefined) return
    noted.merged += merged
    const isPurged = isPurgeDue(await readTotals(this.#knex, table)) && (await purgePostings(this.#knex, table, isOver))
    if (isOver() || (!isPurged && noted.merged < ROWS_PER_VACUUM)) return
    await vacuum(this.#knex, table)
    noted.merged = 0
  }
}

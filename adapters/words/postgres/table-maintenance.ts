import type { Knex } from 'knex'
import { LRUCache } from 'lru-cache'
import type { Telemetry } from '../../../src/ports/index.js'
import { isTableMissing, patiently } from '../../node-kit/index.js'
import { BackgroundMaintenance, type IsStopped } from '../background-maintenance.js'
import { isPurgeDue } from '../posting-source.js'
import { readTotals } from './chunk-runs.js'
import { mergePostings, purgePostings, vacuum } from './posting-rows.js'
import type { WordTable, WordTables } from './word-tables.js'

/** The number of additions after which rows of the same term are merged. */
const ADDITIONS_PER_MERGE = 64
/** The number of deletions after which maintenance counts deleted chunks. */
const DELETIONS_PER_CHECK = 16
/**
 * Merging pays if a search reads this many rows of one term. The process that added them may have exited before it
 * merged them.
 */
const MAX_ROWS_PER_TERM = 192

/**
 * The number of rows that are merged between two vacuums. An autovacuum is too late: by then a search reads thousands
 * of dead rows (measured while 100,000 chunks are added: 11,600 for ten terms, of which 59 are alive).
 */
const ROWS_PER_VACUUM = 200_000
/** Collections whose changes are counted. Each takes about 200 bytes. */
const MAX_ACTIVITIES = 10_000

interface TableActivity {
  readonly tableId: string
  additions: number
  deletions: number
  /**
   * The number of rows that were merged since the last vacuum. A vacuum follows the first merge, because the planner
   * has no statistics of a new table.
   */
  merged: number
}

/** Keeps tables fast and small in the background, one at a time: merges rows, and purges postings of deleted chunks. */
export class TableMaintenance {
  readonly #maintenance: BackgroundMaintenance
  /**
   * A lost entry is harmless. A search that reads too many rows of a term schedules a merge, and the next deletion
   * schedules a check. The vacuum after the next merge may come early.
   */
  readonly #activities = new LRUCache<string, TableActivity>({ max: MAX_ACTIVITIES })

  constructor(
    private readonly knex: Knex,
    private readonly tables: WordTables,
    telemetry: Telemetry | undefined,
  ) {
    this.#maintenance = new BackgroundMaintenance({
      telemetry,
      maintain: async (collection, isStopped) => {
        const table = await tables.find(collection)
        if (table === undefined) return
        // A search that schedules it is prompt, and a merge or a vacuum may take longer.
        await patiently(async () => await this.#maintain(this.#activityOf(collection, table), table, isStopped))
      },
      isDropped: (error, collection) => {
        if (isTableMissing(error)) tables.forget(collection)
        return isTableMissing(error)
      },
    })
  }

  /** The error of the last maintenance; `undefined` once maintenance has succeeded. */
  get error(): Error | undefined {
    return this.#maintenance.error
  }

  noteAddition(collection: string, table: WordTable): void {
    const activity = this.#activityOf(collection, table)
    activity.additions += 1
    if (activity.additions % ADDITIONS_PER_MERGE === 0) this.#maintenance.schedule(collection)
  }

  noteDeletion(collection: string, table: WordTable): void {
    const activity = this.#activityOf(collection, table)
    activity.deletions += 1
    if (activity.deletions % DELETIONS_PER_CHECK === 1) this.#maintenance.schedule(collection)
  }

  /** @param mostRows the highest number of rows that the search read for one term */
  noteSearch(collection: string, mostRows: number): void {
    if (mostRows > MAX_ROWS_PER_TERM) this.#maintenance.schedule(collection)
  }

  forget(collection: string): void {
    this.#activities.delete(collection)
    this.#maintenance.forget(collection)
  }

  /** Does the work that is due now, and waits for it. */
  async finish(): Promise<void> {
    await this.#maintenance.finish(this.#activities.keys())
  }

  /** Stops after the step in progress. */
  async close(): Promise<void> {
    await this.#maintenance.close()
  }

  #activityOf(collection: string, { id }: WordTable): TableActivity {
    const known = this.#activities.get(collection)
    const activity =
      known?.tableId === id ? known : { tableId: id, additions: 0, deletions: 0, merged: ROWS_PER_VACUUM - 1 }
    this.#activities.set(collection, activity)
    return activity
  }

  async #maintain(activity: TableActivity, table: WordTable, isStopped: IsStopped): Promise<void> {
    const merged = await mergePostings(this.knex, table, isStopped)
    if (merged === undefined) return
    activity.merged += merged
    const isPurged =
      isPurgeDue(await readTotals(this.knex, table)) && (await purgePostings(this.knex, table, isStopped))
    if (isStopped() || (!isPurged && activity.merged < ROWS_PER_VACUUM)) return
    await vacuum(this.knex, table)
    activity.merged = 0
  }
}

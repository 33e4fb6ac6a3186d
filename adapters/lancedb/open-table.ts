import type { Table } from '@lancedb/lancedb'
import type { RecordBatch } from 'apache-arrow'
import pLimit from 'p-limit'
import { isError, type RetryOptions, retry } from '../../src/ports/index.js'
import { readPlan, type SearchPlan, writePlan } from './search-plan.js'
import { type TablePlace, writeLock } from './table-place.js'

/** Rows to add to a table. */
export interface Addition {
  readonly rows: number
  readonly bytes: number
  /** Only additions of the same layout go into one write. */
  readonly layout: number
  /** Makes an Arrow batch of the rows. Blocks the event loop for a moment at most. */
  readonly toBatch: () => Promise<RecordBatch>
}

/** The interval at which a process checks for a plan that another process has measured. */
const RELOAD_INTERVAL_MS = 2_000

/** An open table with its writer and the plan of its index. */
export class OpenTable {
  readonly table: Table
  readonly writer: TableWriter
  /** True if the index is in memory or being loaded. The first search loads it. */
  isWarm = false
  /** The number of documents, as earlier searches with filters suggest; `undefined` before the first of them. */
  estimatedDocuments: number | undefined
  #plan: SearchPlan | undefined
  #nextReload = performance.now() + RELOAD_INTERVAL_MS

  private constructor(
    table: Table,
    private readonly place: TablePlace,
    plan: SearchPlan | undefined,
  ) {
    this.table = table
    this.#plan = plan
    const name = writeLock(table.name)
    this.writer = new TableWriter(table, async (work) => await place.locks.hold(name, work))
  }

  static async open(table: Table, place: TablePlace): Promise<OpenTable> {
    return new OpenTable(table, place, await readPlan(place.folder, table.name))
  }

  /** The plan for searches by the index; `undefined` if searches scan the table. */
  get plan(): SearchPlan | undefined {
    return this.#plan
  }

  /** Uses a plan from now on, and stores it for other processes and for the next start. */
  async savePlan(plan: SearchPlan): Promise<void> {
    await writePlan(this.place.folder, this.table.name, plan)
    this.#setPlan(plan)
  }

  /**
   * Reads the plan of another process, at most once per interval.
   * @param isForced true to read it now, however recent the last check is
   */
  async reloadPlan({ isForced = false }: { readonly isForced?: boolean } = {}): Promise<void> {
    if (!this.place.isShared || (!isForced && performance.now() < this.#nextReload)) return
    this.#nextReload = performance.now() + RELOAD_INTERVAL_MS
    const plan = await readPlan(this.place.folder, this.table.name)
    if (plan !== undefined) this.#setPlan(plan)
  }

  #setPlan(plan: SearchPlan): void {
    if (plan.builtAt !== this.#plan?.builtAt && plan.isCarriedOver !== true) this.isWarm = false
    this.#plan = plan
  }
}

/** The limits of one write: encoding it takes the event loop some milliseconds. */
const MAX_ROWS_PER_WRITE = 8_192
const MAX_BYTES_PER_WRITE = 2 ** 24

/** Additions that wait for their turn, and are then written together. */
interface Group {
  readonly layout: number
  readonly additions: Addition[]
  rows: number
  bytes: number
  readonly written: Promise<void>
}

/** Runs work while no other process writes. */
type RunLocked = <T>(work: () => Promise<T>) => Promise<T>

/**
 * The only writer of a table. Additions that arrive during a write go together into the next one. A write costs the
 * same for one row and for a thousand, and leaves a fragment that every search reads. Any other write between two
 * additions keeps them apart.
 */
class TableWriter {
  readonly #turn = pLimit(1)
  #group: Group | undefined
  /** Writes since the table was opened. */
  writes = 0

  constructor(
    private readonly table: Table,
    private readonly runLocked: RunLocked,
  ) {}

  /** Resolves when the rows are in the table. */
  async add(addition: Addition): Promise<void> {
    const { rows, bytes, layout } = addition
    const waiting = this.#group
    const hasRoom =
      waiting?.layout === layout &&
      waiting.rows + rows <= MAX_ROWS_PER_WRITE &&
      waiting.bytes + bytes <= MAX_BYTES_PER_WRITE
    const group = hasRoom ? waiting : this.#newGroup(layout)
    group.additions.push(addition)
    group.rows += rows
    group.bytes += bytes
    await group.written
  }

  async delete(predicate: string): Promise<void> {
    await this.exclusively(async () => {
      await retry(() => this.table.delete(predicate), CONFLICT_RETRIES)
      this.writes += 1
    })
  }

  /** Runs work while no other call writes, in this process or in another. */
  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    return await this.exclusivelyInProcess(async () => await this.runLocked(work))
  }

  /** Runs work while no other call of this process writes. */
  async exclusivelyInProcess<T>(work: () => Promise<T>): Promise<T> {
    this.#group = undefined
    return await this.#turn(work)
  }

  #newGroup(layout: number): Group {
    const additions: Addition[] = []
    const written = this.#turn(async () => {
      if (this.#group === group) this.#group = undefined
      await this.runLocked(async () => await this.#write(additions))
      this.writes += 1
    })
    const group: Group = { layout, additions, rows: 0, bytes: 0, written }
    this.#group = group
    return group
  }

  async #write(additions: readonly Addition[]): Promise<void> {
    const { tableOf } = await loadArrowRows()
    const batches: RecordBatch[] = []
    for (const addition of additions) batches.push(await addition.toBatch())
    await retry(() => this.table.add(tableOf(batches)), CONFLICT_RETRIES)
  }
}

/** For writes that conflict with those of another process: nothing of them was written. */
const CONFLICT_RETRIES: RetryOptions = { backoff: { firstMs: 10, maxRetries: 6 }, isTransient: isConflict }

/** Lance reports a conflict in the error's message only. */
function isConflict(error: unknown): boolean {
  return isError(error) && /commit conflict|concurrent writers/i.test(error.message)
}

type ArrowRows = typeof import('./arrow-rows.js')

let loadingRows: Promise<ArrowRows> | undefined

/**
 * Loads the module at its first use, because Arrow takes long to load. Loads it once, because `import()` takes 0.2 ms
 * if the process has loader hooks.
 */
export async function loadArrowRows(): Promise<ArrowRows> {
  loadingRows ??= import('./arrow-rows.js').catch((error: unknown) => {
    // The next call loads it again.
    loadingRows = undefined
    throw error
  })
  return await loadingRows
}

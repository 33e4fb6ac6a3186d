import type { Table } from '@lancedb/lancedb'
import { readPlan, type SearchPlan, writePlan } from './search-plan.js'
import { type TablePlace, writeLock } from './table-place.js'
import { TableWriter } from './table-writer.js'

/** The interval at which a process checks for a plan that another process has measured. */
const RELOAD_INTERVAL_MS = 2_000

/** An open table with its writer and the plan of its index. */
export class OpenTable {
  readonly table: Table
  readonly writer: TableWriter
  /** True if the index is in memory or being loaded. The first search loads it. */
  isWarm = false
  readonly #place: TablePlace
  #plan: SearchPlan | undefined
  #nextReload = performance.now() + RELOAD_INTERVAL_MS

  private constructor(table: Table, place: TablePlace, plan: SearchPlan | undefined) {
    this.table = table
    this.#place = place
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
    await writePlan(this.#place.folder, this.table.name, plan)
    this.#setPlan(plan)
  }

  /**
   * Reads the plan of another process, at most once per interval.
   * @param isForced true to read it now, however recent the last check is
   */
  async reloadPlan({ isForced = false }: { readonly isForced?: boolean } = {}): Promise<void> {
    if (!this.#place.isShared || (!isForced && performance.now() < this.#nextReload)) return
    this.#nextReload = performance.now() + RELOAD_INTERVAL_MS
    const plan = await readPlan(this.#place.folder, this.table.name)
    if (plan !== undefined) this.#setPlan(plan)
  }

  #setPlan(plan: SearchPlan): void {
    if (plan.builtAt !== this.#plan?.builtAt && plan.isCarriedOver !== true) this.isWarm = false
    this.#plan = plan
  }
}

import type { Table } from '@lancedb/lancedb'
import { readPlan, type SearchPlan, writePlan } from './search-plan.js'
import { type TablePlace, writeLock } from './table-place.js'
import { TableWriter } from './table-writer.js'

/** How often it is looked for what another process has found out about the index. */
const LOOK_AGAIN_MS = 2_000

/** A table that is open, with its writer, and what is known of its index. */
export class OpenTable {
  readonly table: Table
  readonly writer: TableWriter
  /** Whether the index is in memory, or on its way there: the first search brings it in. */
  isWarm = false
  readonly #place: TablePlace
  #plan: SearchPlan | undefined
  #nextLook = performance.now() + LOOK_AGAIN_MS

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

  /** How to search it by its index; `undefined`: by a scan. */
  get plan(): SearchPlan | undefined {
    return this.#plan
  }

  /** Searches by a plan from now on, and keeps it for others, and for the next start. */
  async adopt(plan: SearchPlan): Promise<void> {
    await writePlan(this.#place.folder, this.table.name, plan)
    this.#take(plan)
  }

  /**
   * Looks whether another process has measured an index since, every now and then.
   * @param isAtOnce whether it is looked for now, whenever that was done last
   */
  async takeUpPlan({ isAtOnce = false }: { readonly isAtOnce?: boolean } = {}): Promise<void> {
    if (!this.#place.isShared || (!isAtOnce && performance.now() < this.#nextLook)) return
    this.#nextLook = performance.now() + LOOK_AGAIN_MS
    const plan = await readPlan(this.#place.folder, this.table.name)
    if (plan !== undefined) this.#take(plan)
  }

  #take(plan: SearchPlan): void {
    if (plan.builtAt !== this.#plan?.builtAt && plan.isCarriedOver !== true) this.isWarm = false
    this.#plan = plan
  }
}

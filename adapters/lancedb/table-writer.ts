import type { Table } from '@lancedb/lancedb'
import type { RecordBatch } from 'apache-arrow'
import pLimit from 'p-limit'
import { type RetryOptions, retry } from '../../src/ports/index.js'
import type { Addition } from './addition.js'
import { loadArrowRows } from './load-arrow-rows.js'

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
export class TableWriter {
  readonly #table: Table
  readonly #runLocked: RunLocked
  readonly #turn = pLimit(1)
  #group: Group | undefined
  /** Writes since the table was opened. */
  writes = 0

  constructor(table: Table, runLocked: RunLocked) {
    this.#table = table
    this.#runLocked = runLocked
  }

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
      await retry(() => this.#table.delete(predicate), CONFLICT_RETRIES)
      this.writes += 1
    })
  }

  /** Runs work while no other call writes, in this process or in another. */
  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    return await this.exclusivelyInProcess(async () => await this.#runLocked(work))
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
      await this.#runLocked(async () => await this.#write(additions))
      this.writes += 1
    })
    const group: Group = { layout, additions, rows: 0, bytes: 0, written }
    this.#group = group
    return group
  }

  async #write(additions: readonly Addition[]): Promise<void> {
    const { tableOf } = await loadArrowRows()
    const columns = new Set((await this.#table.schema()).fields.map(({ name }) => name))
    const batches: RecordBatch[] = []
    for (const addition of additions) batches.push(await addition.toBatch(columns))
    await retry(() => this.#table.add(tableOf(batches)), CONFLICT_RETRIES)
  }
}

/** For writes that conflict with those of another process: nothing of them was written. */
const CONFLICT_RETRIES: RetryOptions = { backoff: { firstMs: 10, maxRetries: 6 }, isTransient: isConflict }

/** Lance reports a conflict in the error's message only. */
function isConflict(error: unknown): boolean {
  return error instanceof Error && /commit conflict|concurrent writers/i.test(error.message)
}

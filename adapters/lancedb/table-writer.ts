import { setTimeout } from 'node:timers/promises'
import type { Table } from '@lancedb/lancedb'
import type { RecordBatch } from 'apache-arrow'
import pLimit from 'p-limit'
import type { Addition } from './addition.js'
import { loadArrowRows } from './load-arrow-rows.js'

/** What is written together at most: encoding it takes the event loop some milliseconds. */
const MAX_ROWS_PER_WRITE = 8_192
const MAX_BYTES_PER_WRITE = 2 ** 24
const CONFLICT_RETRIES = 6
const FIRST_PAUSE_MS = 10

/** Additions that wait for their turn, to be written together. */
interface Group {
  readonly layout: number
  readonly additions: Addition[]
  rows: number
  bytes: number
  readonly written: Promise<void>
}

/** Works while no other process writes. */
type Exclusively = <T>(work: () => Promise<T>) => Promise<T>

/**
 * The one writer of a table. Additions that come while a write is under way are written
 * together in the next one: a write costs the same for one row and for a thousand, and
 * leaves a fragment that every search reads. Whatever comes between two additions keeps them apart.
 */
export class TableWriter {
  readonly #table: Table
  readonly #exclusively: Exclusively
  readonly #turn = pLimit(1)
  #group: Group | undefined
  /** Writes since the table was opened. */
  writes = 0

  constructor(table: Table, exclusively: Exclusively) {
    this.#table = table
    this.#exclusively = exclusively
  }

  /** Ends when the rows are in the table. */
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
    await this.alone(async () => {
      await retried(() => this.#table.delete(predicate))
      this.writes += 1
    })
  }

  /** Works while nobody writes, in this process or another. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    return await this.aloneHere(async () => await this.#exclusively(work))
  }

  /** Works while nobody writes in this process. */
  async aloneHere<T>(work: () => Promise<T>): Promise<T> {
    this.#group = undefined
    return await this.#turn(work)
  }

  #newGroup(layout: number): Group {
    const additions: Addition[] = []
    const written = this.#turn(async () => {
      if (this.#group === group) this.#group = undefined
      await this.#exclusively(async () => await this.#write(additions))
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
    await retried(() => this.#table.add(tableOf(batches)))
  }
}

/** Tries again what another transaction forestalled: nothing of it was written. */
async function retried(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await work()
      return
    } catch (error) {
      if (!isConflict(error) || attempt === CONFLICT_RETRIES) throw error
      await setTimeout(FIRST_PAUSE_MS * 2 ** attempt)
    }
  }
}

/** Lance tells it in words only. */
function isConflict(error: unknown): boolean {
  return error instanceof Error && /commit conflict|concurrent writers/i.test(error.message)
}

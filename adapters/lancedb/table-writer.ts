import { setTimeout } from 'node:timers/promises'
import type { Table } from '@lancedb/lancedb'
import pLimit from 'p-limit'
import type { VectorRows } from '../../src/ports/index.js'
import { loadArrowRows } from './load-arrow-rows.js'

/** Rows that are written together at most: encoding them takes the event loop some milliseconds. */
const MAX_ROWS_PER_WRITE = 8_192
const CONFLICT_RETRIES = 6
const FIRST_PAUSE_MS = 10

/** Additions that wait for their turn, to be written together. */
interface Group {
  readonly dimensions: number
  readonly additions: VectorRows[]
  rows: number
  readonly written: Promise<void>
}

/**
 * The one writer of a table. Additions that come while a write is under way are written
 * together in the next one: a write costs the same for one row and for a thousand, and
 * leaves a fragment that every search reads. Whatever comes between two additions keeps them apart.
 */
export class TableWriter {
  readonly #table: Table
  readonly #exclusively: <T>(work: () => Promise<T>) => Promise<T>
  readonly #turn = pLimit(1)
  #group: Group | undefined
  /** Writes since the table was opened. */
  writes = 0

  /** @param exclusively works while no other process writes */
  constructor(table: Table, exclusively: <T>(work: () => Promise<T>) => Promise<T>) {
    this.#table = table
    this.#exclusively = exclusively
  }

  /** Ends when the rows are in the table. */
  async add(rows: VectorRows, dimensions: number): Promise<void> {
    const length = rows.chunks.length
    const waiting = this.#group
    const hasRoom = waiting?.dimensions === dimensions && waiting.rows + length <= MAX_ROWS_PER_WRITE
    const group = hasRoom ? waiting : this.#newGroup(dimensions)
    group.additions.push(rows)
    group.rows += length
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

  #newGroup(dimensions: number): Group {
    const additions: VectorRows[] = []
    const written = this.#turn(async () => {
      if (this.#group === group) this.#group = undefined
      const { toArrow } = await loadArrowRows()
      const rows = toArrow(additions, dimensions)
      await this.#exclusively(async () => await retried(() => this.#table.add(rows)))
      this.writes += 1
    })
    const group: Group = { dimensions, additions, rows: 0, written }
    this.#group = group
    return group
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

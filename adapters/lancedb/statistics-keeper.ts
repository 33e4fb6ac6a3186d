import { setTimeout } from 'node:timers/promises'
import type { RecordBatch } from 'apache-arrow'
import { loadArrowWords } from './load-arrow-rows.js'
import { countAll, countSample } from './statistics-builder.js'
import { readStatistics, writeStatistics } from './statistics-file.js'
import type { TableHandle } from './table-kind.js'
import { TermStatistics } from './term-statistics.js'

/** A table of so few chunks is counted anew as soon as anything is wrong: in some milliseconds. */
const SMALL = 1_024
/** Share of the chunks that may have come or gone without being counted. */
const TOLERANCE = 0.1
/** A search waits so long for the count of a small table. */
const MOMENT_MS = 200
/** Writers wait while so many chunks are counted: some tenths of a second. While more are, they write on. */
const COUNTED_ALONE = 16_384
/** Chunks that are counted at most, of more as many in equal steps: some seconds, a few milliseconds at a time. */
const COUNTED_CHUNKS = 131_072
/** Chunks that tell enough for a search while a large table is counted. */
const FEW_CHUNKS = 2_048
const PAUSE_AFTER_ERROR_MS = 5_000
/** Tables whose statistics are in memory, and what they take there together: 6 MB each at most. */
const MOST_KEPT = 256
const MOST_BYTES = 2 ** 26

interface Kept {
  readonly open: TableHandle
  readonly loaded: Promise<void>
  statistics: TermStatistics | undefined
  /** Of few chunks, while there is no other. */
  provisional: Promise<TermStatistics> | undefined
  counting: Promise<void> | undefined
  nextCount: number
  /** Chunks counted when it was written to its file. */
  savedChunks: number
}

/** Keeps the statistics of the tables in use: brought up to date by additions, counted anew where they are lost or wrong. */
export class StatisticsKeeper {
  readonly #folder: string | undefined
  /** The least recently used first. */
  readonly #kept = new Map<string, Kept>()

  /** @param folder where the tables are; `undefined` for an object store: nothing is kept there */
  constructor(folder: string | undefined) {
    this.#folder = folder
  }

  /** Statistics of a table that has so many chunks: what there is, counted first if that takes no longer than a moment. */
  async of(open: TableHandle, chunks: number): Promise<TermStatistics> {
    const kept = this.#keptOf(open)
    await kept.loaded
    if (this.#isWrong(kept, chunks)) {
      this.#count(kept, chunks)
      if (chunks <= SMALL) await Promise.race([kept.counting, setTimeout(MOMENT_MS, undefined, { ref: false })])
    }
    if (kept.statistics !== undefined) return kept.statistics
    kept.provisional ??= countSample(open.table, FEW_CHUNKS).catch((error: unknown) => {
      kept.provisional = undefined
      throw error
    })
    return await kept.provisional
  }

  /** Takes note of rows that were written. Nobody else writes to the table meanwhile. What fails is counted by a search. */
  async noteWritten(open: TableHandle, batches: readonly RecordBatch[]): Promise<void> {
    try {
      await this.#noteWritten(open, batches)
    } catch {
      this.forget(open.table.name)
    }
  }

  async #noteWritten(open: TableHandle, batches: readonly RecordBatch[]): Promise<void> {
    const kept = this.#keptOf(open)
    await kept.loaded
    if (kept.statistics === undefined) {
      const rows = await open.table.countRows()
      const isNew = rows === batches.reduce((sum, { numRows }) => sum + numRows, 0)
      if (!isNew && rows > SMALL) return
      kept.statistics = isNew ? new TermStatistics() : await countAll(open.table)
      if (!isNew) return
    }
    const { statistics } = kept
    const { wordBatches } = await loadArrowWords()
    for (const batch of wordBatches({ batches })) {
      for (let row = 0; row < batch.rows; row += 1) statistics.count(batch, row)
    }
  }

  /** Writes what is known of a large table beside it, if it has changed much. */
  async save(open: TableHandle): Promise<void> {
    const kept = this.#kept.get(open.table.name)
    if (kept?.open === open) await this.#save(kept)
  }

  /** The next search looks for the statistics anew. */
  forget(name: string): void {
    this.#kept.delete(name)
  }

  /** Saves what is known of all tables. What cannot be written is counted again another time. */
  async saveAll(): Promise<void> {
    for (const kept of [...this.#kept.values()]) await this.#save(kept).catch(() => undefined)
  }

  #keptOf(open: TableHandle): Kept {
    const { name } = open.table
    const known = this.#kept.get(name)
    this.#kept.delete(name)
    const kept = known?.open === open ? known : this.#load(open)
    this.#kept.set(name, kept)
    this.#forgetOldest()
    return kept
  }

  /** What was forgotten without being saved is missing from the file: a search finds out. */
  #forgetOldest(): void {
    let bytes = 0
    for (const { statistics } of this.#kept.values()) bytes += statistics?.bytes ?? 0
    for (const [name, { statistics }] of this.#kept) {
      if (this.#kept.size === 1 || (this.#kept.size <= MOST_KEPT && bytes <= MOST_BYTES)) return
      bytes -= statistics?.bytes ?? 0
      this.#kept.delete(name)
    }
  }

  #load(open: TableHandle): Kept {
    const kept: Kept = {
      open,
      loaded: readStatistics(this.#folder, open.table.name).then((statistics) => {
        kept.statistics = statistics
        kept.savedChunks = statistics?.chunks ?? 0
      }),
      statistics: undefined,
      provisional: undefined,
      counting: undefined,
      nextCount: 0,
      savedChunks: 0,
    }
    return kept
  }

  #isWrong({ statistics, nextCount }: Kept, chunks: number): boolean {
    if (performance.now() < nextCount) return false
    if (statistics === undefined) return true
    return Math.abs(chunks - statistics.chunks) > (chunks <= SMALL ? 0 : chunks * TOLERANCE)
  }

  /** Begins to count, where nobody does. */
  #count(kept: Kept, chunks: number): void {
    kept.counting ??= this.#counted(kept, chunks)
      .catch(() => {
        kept.nextCount = performance.now() + PAUSE_AFTER_ERROR_MS
      })
      .finally(() => {
        kept.counting = undefined
      })
  }

  async #counted(kept: Kept, chunks: number): Promise<void> {
    const { table, writer } = kept.open
    if (chunks > COUNTED_ALONE) {
      kept.statistics = await countSample(table, COUNTED_CHUNKS)
    } else {
      await writer.aloneHere(async () => {
        kept.statistics = await countAll(table)
      })
    }
    kept.provisional = undefined
    kept.savedChunks = 0
  }

  async #save(kept: Kept): Promise<void> {
    const { statistics, open } = kept
    if (statistics === undefined || statistics.chunks <= SMALL) return
    if (Math.abs(statistics.chunks - kept.savedChunks) <= (statistics.chunks * TOLERANCE) / 4) return
    const { chunks } = statistics
    await writeStatistics(this.#folder, open.table.name, statistics)
    kept.savedChunks = chunks
  }
}

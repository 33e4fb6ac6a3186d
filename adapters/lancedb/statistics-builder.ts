import { setImmediate } from 'node:timers/promises'
import type { Table } from '@lancedb/lancedb'
import { loadArrowWords } from './load-arrow-rows.js'
import { TermStatistics } from './term-statistics.js'

/** Rows read at a time: some megabytes, counted in some milliseconds. */
const ROWS_AT_ONCE = 512

/** Counts the terms of all chunks. Nobody writes meanwhile. */
export async function countAll(table: Table): Promise<TermStatistics> {
  const statistics = new TermStatistics()
  const rows = await table.countRows()
  for (let from = 0; from < rows; from += ROWS_AT_ONCE) {
    // Without a condition Lance reads these rows of the table, in their order.
    await countInto(statistics, table.query().select(['terms']).offset(from).limit(ROWS_AT_ONCE), 1)
  }
  return statistics
}

/** Counts the terms of so many chunks at most, in equal steps: each stands for as many others. */
export async function countSample(table: Table, chunks: number): Promise<TermStatistics> {
  const statistics = new TermStatistics()
  const rows = await table.countRows()
  const step = Math.max(1, Math.ceil(rows / chunks))
  statistics.sampledBy = step
  const offsets = Array.from({ length: Math.floor(rows / step) }, (_, at) => at * step)
  for (let from = 0; from < offsets.length; from += ROWS_AT_ONCE) {
    const part = offsets.slice(from, from + ROWS_AT_ONCE)
    await countInto(statistics, table.takeOffsets(part).select(['terms']), step)
  }
  return statistics
}

type Rows = ReturnType<ReturnType<Table['takeOffsets']>['toArrow']>

async function countInto(statistics: TermStatistics, query: { toArrow(): Rows }, weight: number): Promise<void> {
  const { wordBatches } = await loadArrowWords()
  for (const batch of wordBatches(await query.toArrow())) {
    for (let row = 0; row < batch.rows; row += 1) statistics.count(batch, row, weight)
  }
  await setImmediate()
}

import { bisect } from '../bisect.js'
import type { NumberRange } from '../posting-source.js'
import { firstNumberOf, POSTING_BYTES } from '../postings.js'
import { Turns } from '../turns.js'
import { readRanges } from './chunk-runs.js'
import type { SqliteConnection } from './sqlite-connection.js'

/** The number of rows that one step checks: up to 8 MB of postings. */
const ROWS_PER_STEP = 500
/** The number of pages of the file that one step returns to the disk. */
const PAGES_PER_STEP = 1_000
/** The number of postings between two turns of the event loop: about 5 ms. */
const POSTINGS_PER_TURN = 200_000

interface Row {
  readonly term: string
  readonly first: number
  readonly before: number
  readonly postings: Buffer
}

/** The last row that a step has checked. */
interface LastRow extends Pick<Row, 'term' | 'first'> {
  readonly isLast: boolean
}

/** Runs a step as a transaction, between the writes of others; `undefined` if the work must stop. */
export type RunStep = <T>(step: (connection: SqliteConnection) => Promise<T>) => Promise<T | undefined>

/**
 * Removes the postings of deleted chunks, in steps that are complete in themselves.
 * @param deleted the number of deleted chunks at the start
 */
export async function purgePostings(deleted: number, runStep: RunStep): Promise<void> {
  for (let last: LastRow | undefined = { term: '', first: -1, isLast: false }; !last.isLast; ) {
    const after: LastRow = last
    last = await runStep(async (connection) => await purgeRows(connection, after))
    if (last === undefined) return
  }
  await runStep(async (connection) => await connection.run('update state set deleted = deleted - ?', [deleted]))
  for (let isFree: boolean | undefined = true; isFree === true; ) isFree = await runStep(returnFreePages)
}

/** @returns true if there may be more free pages */
async function returnFreePages(connection: SqliteConnection): Promise<boolean> {
  await connection.exec(`pragma incremental_vacuum(${PAGES_PER_STEP})`)
  const [row] = await connection.all<{ readonly freelist_count: number }>('pragma freelist_count')
  return (row?.freelist_count ?? 0) > 0
}

async function purgeRows(connection: SqliteConnection, after: LastRow): Promise<LastRow> {
  const rows = await connection.all<Row>(
    'select term, first, before, postings from postings where (term, first) > (?, ?) order by term, first limit ?',
    [after.term, after.first, ROWS_PER_STEP],
  )
  const ranges = await readRanges(connection, { except: [] })
  let currentTerm = after.term
  // Other calls may have added postings to the last checked row.
  let count = await countUpTo(connection, after)
  const turns = new Turns(POSTINGS_PER_TURN)
  for (const { term, first, before, postings } of rows) {
    if (term !== currentTerm) count = 0
    currentTerm = term
    const kept = keepLiving(postings, ranges)
    if (kept.length === 0) await connection.run('delete from postings where term = ? and first = ?', [term, first])
    else if (kept.length < postings.length || before !== count) {
      await connection.run('update postings set before = ?, postings = ? where term = ? and first = ?', [
        ...[count, kept, term, first],
      ])
    }
    count += kept.length / POSTING_BYTES
    await turns.yieldAfter(postings.length / POSTING_BYTES)
  }
  const { term, first } = rows.at(-1) ?? after
  return { term, first, isLast: rows.length < ROWS_PER_STEP }
}

/** Counts the postings of a term in its rows up to a row. */
async function countUpTo(connection: SqliteConnection, { term, first }: LastRow): Promise<number> {
  const [row] = await connection.all<{ readonly count: number }>(
    `select before + length(postings) / ${POSTING_BYTES} as count from postings
     where term = ? and first <= ? order by first desc limit 1`,
    [term, first],
  )
  return row?.count ?? 0
}

/** Returns the ascending postings whose numbers are in the ranges. */
function keepLiving(postings: Buffer, ranges: readonly NumberRange[]): Buffer {
  const first = firstNumberOf(postings)
  let range = bisect(0, ranges.length, (at) => (ranges[at]?.end ?? 0) <= first)
  const kept = Buffer.allocUnsafe(postings.length)
  let length = 0
  for (let at = 0; at < postings.length; at += POSTING_BYTES) {
    const number = postings.readUInt32BE(at)
    while (range < ranges.length && (ranges[range]?.end ?? 0) <= number) range += 1
    if (number < (ranges[range]?.first ?? Number.POSITIVE_INFINITY)) continue
    postings.copy(kept, length, at, at + POSTING_BYTES)
    length += POSTING_BYTES
  }
  return kept.subarray(0, length)
}

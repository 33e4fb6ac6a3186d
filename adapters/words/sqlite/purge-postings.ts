import { bisect } from '../bisect.js'
import type { NumberRange } from '../posting-source.js'
import { firstNumberOf, POSTING_BYTES } from '../postings.js'
import { Turns } from '../turns.js'
import { rangesOf } from './chunk-runs.js'
import type { SqliteConnection } from './sqlite-connection.js'

/** Rows that one step looks at: up to 8 MB of postings. */
const ROWS_PER_STEP = 500
/** Pages of the file that are given back to the disk in one step. */
const PAGES_PER_STEP = 1_000
/** Postings that are looked at between two turns of the event loop: about 5 ms. */
const POSTINGS_PER_TURN = 200_000

interface Row {
  readonly term: string
  readonly first: number
  readonly before: number
  readonly postings: Buffer
}

/** The row that a step has looked at last. */
interface LastRow extends Pick<Row, 'term' | 'first'> {
  readonly isEnd: boolean
}

/** Runs a step as a transaction, between the writes of others; `undefined` where the work is to be broken off. */
export type InStep = <T>(step: (connection: SqliteConnection) => Promise<T>) => Promise<T | undefined>

/**
 * Removes the postings of deleted chunks, in steps that leave nothing half done.
 * @param deleted chunks that are deleted when it begins
 */
export async function purgePostings(deleted: number, inStep: InStep): Promise<void> {
  for (let last: LastRow | undefined = { term: '', first: -1, isEnd: false }; !last.isEnd; ) {
    const after: LastRow = last
    last = await inStep(async (connection) => await purgeRows(connection, after))
    if (last === undefined) return
  }
  await inStep(async (connection) => await connection.run('update state set deleted = deleted - ?', [deleted]))
  for (let isFree: boolean | undefined = true; isFree === true; ) isFree = await inStep(givePagesBack)
}

/** @returns whether there may be more */
async function givePagesBack(connection: SqliteConnection): Promise<boolean> {
  await connection.exec(`pragma incremental_vacuum(${PAGES_PER_STEP})`)
  const [row] = await connection.all<{ readonly freelist_count: number }>('pragma freelist_count')
  return (row?.freelist_count ?? 0) > 0
}

async function purgeRows(connection: SqliteConnection, after: LastRow): Promise<LastRow> {
  const rows = await connection.all<Row>(
    'select term, first, before, postings from postings where (term, first) > (?, ?) order by term, first limit ?',
    [after.term, after.first, ROWS_PER_STEP],
  )
  const ranges = await rangesOf(connection, { except: [] })
  let ofTerm = after.term
  // Others may have added to the row that was looked at last.
  let count = await countUpTo(connection, after)
  const turns = new Turns(POSTINGS_PER_TURN)
  for (const { term, first, before, postings } of rows) {
    if (term !== ofTerm) count = 0
    ofTerm = term
    const kept = livingOf(postings, ranges)
    if (kept.length === 0) await connection.run('delete from postings where term = ? and first = ?', [term, first])
    else if (kept.length < postings.length || before !== count) {
      await connection.run('update postings set before = ?, postings = ? where term = ? and first = ?', [
        ...[count, kept, term, first],
      ])
    }
    count += kept.length / POSTING_BYTES
    await turns.did(postings.length / POSTING_BYTES)
  }
  const { term, first } = rows.at(-1) ?? after
  return { term, first, isEnd: rows.length < ROWS_PER_STEP }
}

/** Postings that a term has in its rows up to one. */
async function countUpTo(connection: SqliteConnection, { term, first }: LastRow): Promise<number> {
  const [row] = await connection.all<{ readonly count: number }>(
    `select before + length(postings) / ${POSTING_BYTES} as count from postings
     where term = ? and first <= ? order by first desc limit 1`,
    [term, first],
  )
  return row?.count ?? 0
}

/** Those of ascending postings whose numbers are in the ranges. */
function livingOf(postings: Buffer, ranges: readonly NumberRange[]): Buffer {
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

import { crc32 } from 'node:zlib'
import type { SqliteConnection } from './sqlite-connection.js'

/** A row of postings, without its checksum. */
export interface PostingRow {
  readonly term: string
  readonly first: number
  readonly before: number
  readonly postings: Buffer
}

/** A row of postings as the file has it. */
export interface CheckedRow extends PostingRow {
  readonly crc: number
}

/** Chunks of one document with consecutive ordinals, as the table `runs` has them. */
export interface RunRow {
  readonly first: number
  readonly document: number
  readonly chunk: number
  readonly chunks: number
  readonly length: number
  readonly lengths: Buffer
}

/** A row has other bytes than were written. The code is the one of SQLite for a damaged file. */
class ChecksumError extends Error {
  readonly code = 'SQLITE_CORRUPT'

  constructor(part: string) {
    super(`${part} differ from what was written`)
  }
}

/** The checksum of a row. The postings come last, so that an addition to the row continues its checksum. */
export function checksumOf({ term, first, before, postings }: PostingRow): number {
  return crc32(postings, crc32(`${first} ${before} ${term}`))
}

/** @throws ChecksumError if the row is damaged */
export function requireChecksum(row: CheckedRow): void {
  if (checksumOf(row) !== row.crc) throw new ChecksumError('postings')
}

export function checksumOfRun({ first, document, chunk, chunks, length, lengths }: RunRow): number {
  return crc32(lengths, crc32(`${first} ${document} ${chunk} ${chunks} ${length}`))
}

/** The columns of the table `state` in one number, so that a changed bit of any of them shows. */
export const STATE_SUM = 'next + 3 * chunks + 7 * length + 31 * deleted'

/** The number of rows that are read at once: up to 8 MB of postings. */
const ROWS_PER_READ = 500

/**
 * Reads a whole file, in one transaction, and compares it with its checksums. SQLite finds damaged pages, and an index
 * that differs from its table: a search would miss a word that such an index lacks.
 *
 * @throws ChecksumError if a part is damaged
 */
export async function checkFile(connection: SqliteConnection): Promise<void> {
  await connection.exec('begin')
  try {
    const [found] = await connection.all<{ readonly integrity_check: string }>('pragma integrity_check(1)')
    if (found?.integrity_check !== 'ok') throw new ChecksumError('pages')
    await checkRuns(connection)
    for await (const row of postingRows(connection)) requireChecksum(row)
  } finally {
    await connection.exec('rollback').catch(() => undefined)
  }
}

async function checkRuns(connection: SqliteConnection): Promise<void> {
  let [chunks, length, end] = [0, 0, 0]
  for await (const row of runRows(connection)) {
    if (checksumOfRun(row) !== row.crc) throw new ChecksumError('chunks')
    chunks += row.chunks
    length += row.length
    end = row.first + row.chunks
  }
  const states = await connection.all(
    `select 1 from state where chunks = ? and length = ? and next >= ? and total = ${STATE_SUM}`,
    [chunks, length, end],
  )
  if (states.length !== 1) throw new ChecksumError('totals')
}

async function* postingRows(connection: SqliteConnection): AsyncGenerator<CheckedRow & { readonly id: number }> {
  for (let id = -1; ; ) {
    const rows = await connection.all<CheckedRow & { readonly id: number }>(
      'select id, term, first, before, crc, postings from postings where id > ? order by id limit ?',
      [id, ROWS_PER_READ],
    )
    yield* rows
    id = rows.at(-1)?.id ?? id
    if (rows.length < ROWS_PER_READ) return
  }
}

async function* runRows(connection: SqliteConnection): AsyncGenerator<RunRow & { readonly crc: number }> {
  for (let first = -1; ; ) {
    const rows = await connection.all<RunRow & { readonly crc: number }>(
      'select first, document, chunk, chunks, length, crc, lengths from runs where first > ? order by first limit ?',
      [first, ROWS_PER_READ],
    )
    yield* rows
    first = rows.at(-1)?.first ?? first
    if (rows.length < ROWS_PER_READ) return
  }
}

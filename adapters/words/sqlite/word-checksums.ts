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

/** Parts of terms: a row of `grams` or `new_grams`. `key` is its bucket or its id. */
export interface GramRow {
  readonly key: number
  readonly entries: Buffer
}

/** A row of parts as the file has it. */
export interface CheckedGrams extends GramRow {
  readonly crc: number
}

/** A row has other bytes than were written. The code is the one of SQLite for a damaged file. */
export class ChecksumError extends Error {
  readonly code = 'SQLITE_CORRUPT'

  constructor(part: 'pages' | 'postings' | 'parts of words' | 'chunks' | 'totals') {
    super(`${part} differ from what was written`)
  }
}

/** The checksum of a row. The postings come last, so that an addition to the row continues its checksum. */
export function checksumOf({ term, first, before, postings }: PostingRow): number {
  return crc32(postings, crc32(`${first} ${before} ${term}`))
}

/** A damaged row may have no bytes at all. @throws ChecksumError if the row is damaged */
export function requireChecksum(row: CheckedRow): void {
  if (!Buffer.isBuffer(row.postings) || checksumOf(row) !== row.crc) throw new ChecksumError('postings')
}

/** @param before the checksum of the entries that the row has already. Default: it has none */
export function checksumOfGrams({ key, entries }: GramRow, before: number = crc32(String(key))): number {
  return crc32(entries, before)
}

/** @throws ChecksumError if the row is damaged */
export function requireGrams(row: CheckedGrams): void {
  if (!Buffer.isBuffer(row.entries) || checksumOfGrams(row) !== row.crc) throw new ChecksumError('parts of words')
}

export function checksumOfRun({ first, document, chunk, chunks, length, lengths }: RunRow): number {
  return crc32(lengths, crc32(`${first} ${document} ${chunk} ${chunks} ${length}`))
}

/** @throws ChecksumError if the row is damaged, or its lengths */
export function requireRun(row: RunRow & { readonly crc: number }): void {
  if (!Buffer.isBuffer(row.lengths) || checksumOfRun(row) !== row.crc) throw new ChecksumError('chunks')
}

/** The columns of the table `state` in one number, so that a changed bit of any of them shows. Zeros are no right row. */
export const STATE_SUM = '1 + next + 3 * chunks + 7 * length + 31 * deleted'

/**
 * The numbers of a run in one number. SQLite compares it wherever it reads a run: `crc` would need the lengths, which
 * searches do not read.
 */
export const RUN_SUM = '1 + first + 3 * document + 7 * chunk + 31 * chunks + 127 * length'

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
    await checkRows(connection, 'postings', 'id', requireChecksum)
    await checkRows(connection, 'grams', 'bucket', requireGrams)
    await checkRows(connection, 'new_grams', 'id', requireGrams)
  } finally {
    await connection.exec('rollback').catch(() => undefined)
  }
}

async function checkRuns(connection: SqliteConnection): Promise<void> {
  let [chunks, length, end] = [0, 0, 0]
  await checkRows(connection, 'runs', 'first', (row) => {
    requireRun(row)
    if (row.isRight !== 1) throw new ChecksumError('chunks')
    chunks += row.chunks
    length += row.length
    end = row.first + row.chunks
  })
  const states = await connection.all(
    `select 1 from state where chunks = ? and length = ? and next >= ? and total = ${STATE_SUM}`,
    [chunks, length, end],
  )
  if (states.length !== 1) throw new ChecksumError('totals')
}

/** The columns of each table that its checksums are made of. */
const CHECKED_COLUMNS = {
  postings: 'term, first, before, crc, postings',
  grams: 'crc, entries',
  new_grams: 'crc, entries',
  runs: `first, document, chunk, chunks, length, crc, lengths, total = ${RUN_SUM} as isRight`,
} as const satisfies Readonly<Record<keyof Rows, string>>

/** The rows of each table, with these columns. */
interface Rows {
  readonly postings: CheckedRow
  readonly grams: CheckedGrams
  readonly new_grams: CheckedGrams
  readonly runs: RunRow & { readonly crc: number; readonly isRight: number | null }
}

/** Reads all rows of a table, some at once. */
async function checkRows<Table extends keyof Rows>(
  connection: SqliteConnection,
  table: Table,
  key: 'id' | 'bucket' | 'first',
  check: (row: Rows[Table]) => void,
): Promise<void> {
  for (let after = -1; ; ) {
    const rows = await connection.all<Rows[Table] & { readonly key: number }>(
      `select ${key} as key, ${CHECKED_COLUMNS[table]} from ${table} where ${key} > ? order by ${key} limit ?`,
      [after, ROWS_PER_READ],
    )
    for (const row of rows) check(row)
    after = rows.at(-1)?.key ?? after
    if (rows.length < ROWS_PER_READ) return
  }
}

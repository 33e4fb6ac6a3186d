import type { DocumentIds, IndexedChunk, LexicalRows } from '../../../src/ports/index.js'
import { type CollectionTotals, type DocumentRange, splitIntoRuns, sumOf } from '../posting-source.js'
import type { SqliteConnection } from './sqlite-connection.js'
import { ChecksumError, checksumOfRun, RUN_SUM, type RunRow, requireRun, STATE_SUM } from './word-checksums.js'

const LENGTH_BYTES = 4
/** The number of chunks of a run; null if its numbers are damaged. A condition must not leave such a run out. */
const CHECKED_CHUNKS = `iif(total = ${RUN_SUM}, chunks, null)`

/** A row of the table `state`. */
export interface CollectionState extends CollectionTotals {
  /** The id of the file: another file of the same name has another id. */
  readonly id: string
  /** The number of the next chunk. */
  readonly next: number
}

/** The columns from which {@link toState} makes a {@link CollectionState}. `chunks` is null if the totals are damaged. */
export const STATE_COLUMNS: string = `id, next, iif(total = ${STATE_SUM}, chunks, null) as chunks, length, deleted`

/** A row of {@link STATE_COLUMNS}. */
export interface StateRow extends Omit<CollectionState, 'meanLength' | 'chunks'> {
  readonly chunks: number | null
  readonly length: number
}

/** @throws ChecksumError if the row is damaged or absent: each file has one */
export function toState(row: StateRow | undefined): CollectionState {
  if (row === undefined || row.chunks === null) throw new ChecksumError('totals')
  const { id, next, chunks, length, deleted } = row
  return { id, next, chunks, deleted, meanLength: length / Math.max(1, chunks) }
}

export async function readState(connection: SqliteConnection): Promise<CollectionState> {
  const [row] = await connection.all<StateRow>(`select ${STATE_COLUMNS} from state`)
  return toState(row)
}

/**
 * Changes the totals, unless they are damaged: their new sum would be right.
 * @returns the number of the next chunk
 * @throws ChecksumError
 */
async function changeState(connection: SqliteConnection, changes: string, values: readonly number[]): Promise<number> {
  const [changed] = await connection.all<{ readonly next: number }>(
    `update state set ${changes} where total = ${STATE_SUM} returning next`,
    values,
  )
  if (changed === undefined) throw new ChecksumError('totals')
  return changed.next
}

/** Notes that deleted chunks have no postings any more. */
export async function notePurged(connection: SqliteConnection, deleted: number): Promise<void> {
  await changeState(connection, 'deleted = deleted - ?', [deleted])
}

/**
 * Adds chunks, one run for each sequence of ordinals. The caller runs it in a transaction.
 * @returns the first of their consecutive numbers
 */
export async function insertRuns(connection: SqliteConnection, rows: LexicalRows): Promise<number> {
  const runs = splitIntoRuns(rows)
  const next = await changeState(connection, 'next = next + ?1, chunks = chunks + ?1, length = length + ?2', [
    rows.chunks.length,
    sumOf(runs.map(({ length }) => length)),
  ])
  const firstNumber = next - rows.chunks.length
  for (const { at, chunk, lengths, length } of runs) {
    await insertRun(connection, {
      ...{ first: firstNumber + at, document: rows.documentId, chunk, chunks: lengths.length, length },
      lengths: encodeLengths(lengths),
    })
  }
  return firstNumber
}

/**
 * Deletes the chunks of a document whose ordinals are in a range. Their postings stay until they are purged. The caller
 * runs it in a transaction.
 *
 * @param endChunk exclusive. Default: no end
 * @returns the number of deleted chunks
 */
export async function deleteRuns(
  connection: SqliteConnection,
  documentId: number,
  fromChunk: number,
  endChunk: number = Number.MAX_SAFE_INTEGER,
): Promise<number> {
  const runs = await connection.all<RunRow & { readonly crc: number }>(
    `select first, document, chunk, chunks, length, crc, lengths from runs
     where document = ?1 and chunk < ?3 and (chunk + chunks > ?2 or ${CHECKED_CHUNKS} is null)`,
    [documentId, fromChunk, endChunk],
  )
  // The rest of a damaged run would get a right checksum.
  for (const run of runs) requireRun(run)
  let [deleted, removedLength] = [0, 0]
  for (const { first, chunk, chunks, length, lengths } of runs) {
    const [from, end] = [Math.max(0, fromChunk - chunk), Math.min(chunks, endChunk - chunk)]
    deleted += end - from
    removedLength += length
    await connection.run('delete from runs where first = ?', [first])
    for (const [at, to] of [
      [0, from],
      [end, chunks],
    ] as const) {
      if (at === to) continue
      const kept = lengths.subarray(at * LENGTH_BYTES, to * LENGTH_BYTES)
      const keptLength = sumOf(decodeLengths(kept))
      removedLength -= keptLength
      await insertRun(connection, {
        ...{ first: first + at, document: documentId, chunk: chunk + at, chunks: to - at },
        length: keptLength,
        lengths: kept,
      })
    }
  }
  if (deleted > 0) {
    await changeState(connection, 'chunks = chunks - ?1, deleted = deleted + ?1, length = length - ?2', [
      deleted,
      removedLength,
    ])
  }
  return deleted
}

/**
 * Deletes the chunks that these rows take the place of. The caller runs it in the transaction that adds the rows.
 * @returns the number of deleted chunks
 */
export async function replaceRuns(connection: SqliteConnection, rows: LexicalRows): Promise<number> {
  let deleted = 0
  for (const { chunk, lengths } of splitIntoRuns(rows))
    deleted += await deleteRuns(connection, rows.documentId, chunk, chunk + lengths.length)
  return deleted
}

async function insertRun(
  connection: SqliteConnection,
  { first, document, chunk, chunks, length, lengths }: Run & { readonly length: number; readonly lengths: Buffer },
): Promise<void> {
  const run = { first, document, chunk, chunks, length }
  await connection.run(
    `insert into runs (first, document, chunk, chunks, length, total, crc, lengths)
     select first, document, chunk, chunks, length, ${RUN_SUM}, ?6, ?7
     from (select ?1 as first, ?2 as document, ?3 as chunk, ?4 as chunks, ?5 as length)`,
    [...Object.values(run), checksumOfRun({ ...run, lengths }), lengths],
  )
}

export async function countChunks(connection: SqliteConnection, documentId: number): Promise<number> {
  const text = `select ${CHECKED_CHUNKS} as chunks from runs where document = ?`
  return sumOf((await readChecked(connection, text, [documentId])).map(({ chunks }) => chunks))
}

export async function countChunksByDocument(connection: SqliteConnection): Promise<ReadonlyMap<number, number>> {
  const rows = await readChecked<Pick<Run, 'document' | 'chunks'>>(
    connection,
    `select document, iif(count(${CHECKED_CHUNKS}) = count(*), sum(chunks), null) as chunks from runs group by document`,
  )
  return new Map(rows.map(({ document, chunks }) => [document, chunks]))
}

/** Chunks of one document with consecutive ordinals and numbers. */
export interface Run {
  /** The number of the first chunk. */
  readonly first: number
  readonly document: number
  /** The ordinal of the first chunk. */
  readonly chunk: number
  /** The number of chunks. */
  readonly chunks: number
}

/** Reads rows with {@link CHECKED_CHUNKS} as `chunks`. @throws ChecksumError if a run is damaged */
async function readChecked<Row extends Pick<Run, 'chunks'> = Pick<Run, 'chunks'>>(
  connection: SqliteConnection,
  text: string,
  values: readonly (string | number)[] = [],
): Promise<readonly Row[]> {
  const rows = await connection.all<Row | (Omit<Row, 'chunks'> & { readonly chunks: null })>(text, values)
  return rows.map((row) => {
    if (row.chunks === null) throw new ChecksumError('chunks')
    return row
  })
}

/** Reads the first runs, in ascending order of their numbers. */
export async function readRuns(connection: SqliteConnection, limit: number): Promise<readonly Run[]> {
  const text = `select first, document, chunk, ${CHECKED_CHUNKS} as chunks from runs order by first limit ?`
  return await readChecked<Run>(connection, text, [limit])
}

/** Reads the numbers of chunks whose documents pass a filter, in ascending order. */
export async function readRanges(connection: SqliteConnection, filter: DocumentIds): Promise<DocumentRange[]> {
  const [passes, ids] =
    'only' in filter
      ? ['document in (select value from json_each(?))', filter.only]
      : [`(document not in (select value from json_each(?)) or ${CHECKED_CHUNKS} is null)`, filter.except]
  const rows = await readChecked<Omit<Run, 'chunk'>>(
    connection,
    `select first, ${CHECKED_CHUNKS} as chunks, document from runs where ${passes} order by first`,
    [JSON.stringify(ids)],
  )
  return rows.map(({ first, chunks, document }) => ({ first, end: first + chunks, documentId: document }))
}

/** Reads the chunks with these numbers; a deleted chunk is absent. */
export async function readChunks(
  connection: SqliteConnection,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, IndexedChunk>> {
  const rows = await readChecked<Omit<Run, 'first'> & { readonly number: number }>(
    connection,
    `select asked.value as number, run.document, run.chunk + asked.value - run.first as chunk, ${CHECKED_CHUNKS} as chunks
     from json_each(?) as asked
     join runs as run on run.first = (select max(first) from runs where first <= asked.value)
     where asked.value < run.first + run.chunks or ${CHECKED_CHUNKS} is null`,
    [JSON.stringify(numbers)],
  )
  return new Map(rows.map(({ number, document, chunk }) => [number, { documentId: document, chunk }]))
}

/**
 * Reads the numbers of chunks, in the order of the chunks; `undefined` for a deleted chunk.
 * @param id the id of the file that the chunks belong to; all are `undefined` in another file
 */
export async function readNumbers(
  connection: SqliteConnection,
  id: string,
  chunks: readonly IndexedChunk[],
): Promise<readonly (number | undefined)[]> {
  const rows = await readChecked<Pick<Run, 'chunks'> & { readonly at: number; readonly number: number }>(
    connection,
    `select asked.key as at, run.first + (asked.value ->> 1) - run.chunk as number, ${CHECKED_CHUNKS} as chunks
     from json_each(?) as asked
     join runs as run on run.first = (
       select first from runs where document = asked.value ->> 0 and chunk <= asked.value ->> 1
       order by chunk desc limit 1
     )
     where (asked.value ->> 1 < run.chunk + run.chunks or ${CHECKED_CHUNKS} is null)
       and exists (select 1 from state where id = ?)`,
    [JSON.stringify(chunks.map(({ documentId, chunk }) => [documentId, chunk])), id],
  )
  const numbers: (number | undefined)[] = chunks.map(() => undefined)
  for (const { at, number } of rows) numbers[at] = number
  return numbers
}

function encodeLengths(lengths: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(lengths.length * LENGTH_BYTES)
  for (const [at, length] of lengths.entries()) bytes.writeUInt32LE(length, at * LENGTH_BYTES)
  return bytes
}

function decodeLengths(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length / LENGTH_BYTES }, (_, at) => bytes.readUInt32LE(at * LENGTH_BYTES))
}

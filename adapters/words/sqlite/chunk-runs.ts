import type { DocumentIds, IndexedChunk, LexicalRows } from '../../../src/ports/index.js'
import { type CollectionTotals, type DocumentRange, type NumberRange, splitIntoRuns, sumOf } from '../posting-source.js'
import type { SqliteConnection } from './sqlite-connection.js'
import { checksumOfRun } from './word-checksums.js'

const LENGTH_BYTES = 4

/** A row of the table `state`. */
export interface CollectionState extends CollectionTotals {
  /** The id of the file: another file of the same name has another id. */
  readonly id: string
  /** The number of the next chunk. */
  readonly next: number
}

/** The columns of the table `state` from which {@link toState} makes a {@link CollectionState}. */
export interface StateRow extends Omit<CollectionState, 'meanLength'> {
  readonly length: number
}

export function toState(row: StateRow | undefined): CollectionState {
  const { id, next, chunks, length, deleted } = row ?? { id: '', next: 0, chunks: 0, length: 0, deleted: 0 }
  return { id, next, chunks, deleted, meanLength: length / Math.max(1, chunks) }
}

export async function readState(connection: SqliteConnection): Promise<CollectionState> {
  const [row] = await connection.all<StateRow>('select id, next, chunks, length, deleted from state')
  return toState(row)
}

/**
 * Adds chunks, one run for each sequence of ordinals. The caller runs it in a transaction.
 * @returns the first of their consecutive numbers
 */
export async function insertRuns(connection: SqliteConnection, rows: LexicalRows): Promise<number> {
  const runs = splitIntoRuns(rows)
  const [reserved] = await connection.all<{ readonly first: number }>(
    'update state set next = next + ?1, chunks = chunks + ?1, length = length + ?2 returning next - ?1 as first',
    [rows.chunks.length, sumOf(runs.map(({ length }) => length))],
  )
  const firstNumber = reserved?.first ?? 0
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
  interface Row extends NumberRange {
    readonly chunk: number
    readonly chunks: number
    readonly length: number
    readonly lengths: Buffer
  }
  const runs = await connection.all<Row>(
    'select first, chunk, chunks, length, lengths from runs where document = ?1 and chunk < ?3 and chunk + chunks > ?2',
    [documentId, fromChunk, endChunk],
  )
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
    await connection.run('update state set chunks = chunks - ?1, deleted = deleted + ?1, length = length - ?2', [
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
    'insert into runs (first, document, chunk, chunks, length, crc, lengths) values (?, ?, ?, ?, ?, ?, ?)',
    [...Object.values(run), checksumOfRun({ ...run, lengths }), lengths],
  )
}

export async function countChunks(connection: SqliteConnection, documentId: number): Promise<number> {
  const [row] = await connection.all<{ readonly chunks: number }>(
    'select coalesce(sum(chunks), 0) as chunks from runs where document = ?',
    [documentId],
  )
  return row?.chunks ?? 0
}

export async function countChunksByDocument(connection: SqliteConnection): Promise<ReadonlyMap<number, number>> {
  const rows = await connection.all<{ readonly document: number; readonly chunks: number }>(
    'select document, sum(chunks) as chunks from runs group by document',
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

/** Reads the first runs, in ascending order of their numbers. */
export async function readRuns(connection: SqliteConnection, limit: number): Promise<readonly Run[]> {
  return await connection.all<Run>('select first, document, chunk, chunks from runs order by first limit ?', [limit])
}

/** Reads the numbers of chunks whose documents pass a filter, in ascending order. */
export async function readRanges(connection: SqliteConnection, filter: DocumentIds): Promise<DocumentRange[]> {
  const [condition, ids] = 'only' in filter ? ['in', filter.only] : ['not in', filter.except]
  const rows = await connection.all<Omit<Run, 'chunk'>>(
    `select first, chunks, document from runs where document ${condition} (select value from json_each(?)) order by first`,
    [JSON.stringify(ids)],
  )
  return rows.map(({ first, chunks, document }) => ({ first, end: first + chunks, documentId: document }))
}

/** Reads the chunks with these numbers; a deleted chunk is absent. */
export async function readChunks(
  connection: SqliteConnection,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, IndexedChunk>> {
  const rows = await connection.all<{ readonly number: number; readonly document: number; readonly chunk: number }>(
    `select asked.value as number, run.document, run.chunk + asked.value - run.first as chunk
     from json_each(?) as asked
     join runs as run on run.first = (select max(first) from runs where first <= asked.value)
     where asked.value < run.first + run.chunks`,
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
  const rows = await connection.all<{ readonly at: number; readonly number: number }>(
    `select asked.key as at, run.first + (asked.value ->> 1) - run.chunk as number
     from json_each(?) as asked
     join runs as run on run.first = (
       select first from runs where document = asked.value ->> 0 and chunk <= asked.value ->> 1
       order by chunk desc limit 1
     )
     where asked.value ->> 1 < run.chunk + run.chunks and exists (select 1 from state where id = ?)`,
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

import type { Knex } from 'knex'
import type { DocumentIds, IndexedChunk, LexicalRows } from '../../../src/ports/index.js'
import type { Rows } from '../../node-kit/index.js'
import { type CollectionTotals, type DocumentRange, splitIntoRuns } from '../posting-source.js'
import type { WordTable } from './word-tables.js'

/** Reserves consecutive numbers for chunks, and returns the first. They stay reserved even if nothing is added. */
export async function reserveNumbers(knex: Knex, { state }: WordTable, count: number): Promise<number> {
  const reserved = await knex.raw<Rows<{ readonly first: string }>>(
    'update ?? set next = next + ? returning next - ? as first',
    [state, count, count],
  )
  return Number(reserved.rows[0]?.first)
}

/** Adds chunks with consecutive numbers: one run for each sequence of ordinals. */
export async function insertRuns(
  transaction: Knex,
  { runs }: WordTable,
  rows: LexicalRows,
  firstNumber: number,
): Promise<void> {
  for (const { at, chunk, lengths, length } of splitIntoRuns(rows)) {
    await transaction.raw(
      'insert into ?? (first, document, chunk, chunks, lengths, length) values (?, ?, ?, ?, ?::integer[], ?)',
      [runs, firstNumber + at, rows.documentId, chunk, lengths.length, lengths as number[], length],
    )
  }
}

/** The highest ordinal that the tables can have. */
const MAX_CHUNK = 2_147_483_647

/**
 * Deletes the chunks of a document whose ordinals are in a range. Their postings stay until they are purged.
 * @param endChunk exclusive. Default: no end
 */
export async function deleteRuns(
  knex: Knex,
  { runs, state }: WordTable,
  documentId: number,
  fromChunk: number,
  endChunk: number = MAX_CHUNK,
): Promise<void> {
  await knex.raw(
    `with affected as (
       select *, greatest(:from - chunk, 0) as kept, least(:end - chunk, chunks) as next
       from :runs: where document = :document and chunk < :end and chunk + chunks > :from for update
     ), removed as (
       delete from :runs: where first in (select first from affected where kept = 0)
     ), shortened as (
       update :runs: as run set chunks = kept, lengths = affected.lengths[1:kept],
         length = (select sum(each) from unnest(affected.lengths[1:kept]) as each)
       from affected where affected.first = run.first and kept > 0
     ), rest as (
       insert into :runs: (first, document, chunk, chunks, lengths, length)
       select first + next, document, chunk + next, chunks - next, lengths[next + 1:],
         (select sum(each) from unnest(lengths[next + 1:]) as each)
       from affected where next < chunks
     )
     update :state: set deleted = deleted + total.chunks
     from (select sum(next - kept) as chunks from affected) as total where total.chunks > 0`,
    { runs, state, document: documentId, from: fromChunk, end: endChunk },
  )
}

/** Deletes the chunks that these rows take the place of. The caller runs it in the transaction that adds the rows. */
export async function replaceRuns(transaction: Knex, table: WordTable, rows: LexicalRows): Promise<void> {
  for (const { chunk, lengths } of splitIntoRuns(rows))
    await deleteRuns(transaction, table, rows.documentId, chunk, chunk + lengths.length)
}

export async function countChunks(knex: Knex, { runs }: WordTable, documentId: number): Promise<number> {
  const counted = await knex.raw<Rows<{ readonly chunks: string }>>(
    'select coalesce(sum(chunks), 0) as chunks from ?? where document = ?',
    [runs, documentId],
  )
  return Number(counted.rows[0]?.chunks)
}

export async function countChunksByDocument(knex: Knex, { runs }: WordTable): Promise<ReadonlyMap<number, number>> {
  const counted = await knex.raw<Rows<{ readonly document: string; readonly chunks: string }>>(
    'select document, sum(chunks) as chunks from ?? group by document',
    [runs],
  )
  return new Map(counted.rows.map(({ document, chunks }) => [Number(document), Number(chunks)]))
}

export async function readTotals(knex: Knex, { runs, state }: WordTable): Promise<CollectionTotals> {
  const read = await knex.raw<Rows<Record<'chunks' | 'length' | 'deleted', string>>>(
    `select coalesce(sum(chunks), 0) as chunks, coalesce(sum(length), 0) as length,
     (select deleted from ??) as deleted from ??`,
    [state, runs],
  )
  const [chunks, length, deleted] = [read.rows[0]?.chunks, read.rows[0]?.length, read.rows[0]?.deleted].map(Number)
  return { chunks: chunks ?? 0, deleted: deleted ?? 0, meanLength: (length ?? 0) / Math.max(1, chunks ?? 0) }
}

/** Reads the numbers of chunks whose documents pass a filter, in ascending order. */
export async function readRanges(knex: Knex, { runs }: WordTable, filter: DocumentIds): Promise<DocumentRange[]> {
  const [condition, ids] = 'only' in filter ? ['in', filter.only] : ['not in', filter.except]
  const found = await knex.raw<Rows<{ readonly first: string; readonly chunks: number; readonly document: string }>>(
    `select first, chunks, document from ?? where document ${condition} (select unnest(?::bigint[])) order by first`,
    [runs, ids as number[]],
  )
  return found.rows.map(({ first, chunks, document }) => {
    return { first: Number(first), end: Number(first) + chunks, documentId: Number(document) }
  })
}

/** Reads the chunks with these numbers; a deleted chunk is absent. */
export async function readChunks(
  knex: Knex,
  { runs }: WordTable,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, IndexedChunk>> {
  const found = await knex.raw<Rows<{ readonly number: string; readonly document: string; readonly chunk: string }>>(
    `select number, document, chunk + number - first as chunk from unnest(?::bigint[]) as numbers (number)
     cross join lateral (
       select first, document, chunk, chunks from ?? where first <= number order by first desc limit 1
     ) as run where number < first + chunks`,
    [numbers as number[], runs],
  )
  return new Map(
    found.rows.map(({ number, document, chunk }) => [
      Number(number),
      { documentId: Number(document), chunk: Number(chunk) },
    ]),
  )
}

/** Reads the numbers of chunks, in the order of the chunks; `undefined` for a deleted chunk. */
export async function readNumbers(
  knex: Knex,
  { runs }: WordTable,
  chunks: readonly IndexedChunk[],
): Promise<readonly (number | undefined)[]> {
  const found = await knex.raw<Rows<{ readonly at: string; readonly number: string }>>(
    `select at, first + wanted.ordinal - run.chunk as number
     from unnest(?::bigint[], ?::integer[]) with ordinality as wanted (document, ordinal, at)
     cross join lateral (
       select first, chunk, chunks from ?? as run where run.document = wanted.document and run.chunk <= wanted.ordinal
       order by run.chunk desc limit 1
     ) as run where wanted.ordinal < run.chunk + run.chunks`,
    [chunks.map(({ documentId }) => documentId), chunks.map(({ chunk }) => chunk), runs],
  )
  const numbers = new Map(found.rows.map(({ at, number }) => [Number(at), Number(number)]))
  return chunks.map((_, index) => numbers.get(index + 1))
}

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

/** Deletes the chunks of a document from an ordinal on. Their postings stay until they are purged. */
export async function deleteRuns(
  knex: Knex,
  { runs, state }: WordTable,
  documentId: number,
  fromChunk: number,
): Promise<void> {
  await knex.raw(
    `with removed as (delete from ?? where document = ? and chunk >= ? returning chunks),
     shortened as (
       update ?? as run set chunks = ? - run.chunk, lengths = run.lengths[1:? - run.chunk],
         length = (select sum(each) from unnest(run.lengths[1:? - run.chunk]) as each)
       from ?? as before where before.first = run.first
       and run.document = ? and run.chunk < ? and run.chunk + run.chunks > ?
       returning before.chunks - run.chunks as chunks
     )
     update ?? set deleted = deleted + total.chunks
     from (select sum(chunks) as chunks from (table removed union all table shortened) as deletions) as total
     where total.chunks > 0`,
    [
      ...[runs, documentId, fromChunk],
      ...[runs, fromChunk, fromChunk, fromChunk, runs, documentId, fromChunk, fromChunk],
      state,
    ],
  )
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

import { setTimeout } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { type DocumentIds, type IndexedChunk, MAX_FOUND_TERMS } from '../../../src/ports/index.js'
import type { MergedCache } from '../merged-postings.js'
import type { DocumentRange, NumberRange, PostingSource, PostingsRead } from '../posting-source.js'
import { bisect, firstNumberOf, POSTING_BYTES, type TermPostings, Turns } from '../postings.js'
import {
  type CollectionState,
  notePurged,
  readChunks,
  readRanges,
  STATE_COLUMNS,
  type StateRow,
  toState,
} from './chunk-runs.js'
import type { PostingCache, PostingMark } from './posting-cache.js'
import type { KnownRuns } from './run-cache.js'
import { addGrams, purgeGrams } from './similar-rows.js'
import type { SqliteConnection } from './sqlite-connection.js'
import { type CheckedRow, checksumOf, type PostingRow, requireChecksum } from './word-checksums.js'

/** A row takes further postings until it has this many bytes of them. */
const ROW_BYTES = 8_192
const POSTINGS_PER_ROW = ROW_BYTES / POSTING_BYTES
/** The number of terms of one statement: preparing its values takes about 5 ms. */
const TERMS_PER_STATEMENT = 8_192
/** The number of rows that one step checks: up to 8 MB of postings. */
const ROWS_PER_STEP = 500
/** A reader of another process may use the log. It is emptied in one of these tries, or when the file is closed. */
const LOG_TRIES = 20
const LOG_PAUSE_MS = 50
/** The number of pages of the file that one step returns to the disk. */
const PAGES_PER_STEP = 1_000
/** The number of postings between two turns of the event loop: about 5 ms. */
const POSTINGS_PER_TURN = 200_000

/** Adds postings whose numbers are higher than all existing ones. The caller runs it in a transaction. */
export async function addPostings(connection: SqliteConnection, added: readonly TermPostings[]): Promise<void> {
  for (let from = 0; from < added.length; from += TERMS_PER_STATEMENT) {
    await addTerms(connection, added.slice(from, from + TERMS_PER_STATEMENT))
  }
}

/** The last row of a term, and null for a term without rows: `first`, `before`, the bytes of its postings, `crc`. */
type LastRowOfTerm = readonly [number, number, number, number] | readonly [null, null, null, null]

async function addTerms(connection: SqliteConnection, added: readonly TermPostings[]): Promise<void> {
  // One row with all of them: a row for each term would take longer than the look-ups.
  const [read] = await connection.all<{ readonly rows: string }>(
    `select json_group_array(json_array(last.first, last.before, length(last.postings), last.crc)) as rows
     from json_each(?1) as added left join postings as last
       on last.term = added.value and last.first = (select max(first) from postings where term = added.value)`,
    [JSON.stringify(added.map(({ term }) => term))],
  )
  const lastRows = JSON.parse(read?.rows ?? '[]') as readonly LastRowOfTerm[]
  let offset = 1
  const entries = added.map(({ term, postings }, at) => {
    const [first, before, bytes, crc] = lastRows[at] ?? [null, null, null, null]
    const isExtended = first !== null && bytes < ROW_BYTES
    const key = isExtended
      ? { first, before }
      : { first: firstNumberOf(postings), before: (before ?? 0) + (bytes ?? 0) / POSTING_BYTES }
    const sum = isExtended ? crc32(postings, crc) : checksumOf({ term, ...key, postings })
    const entry = [term, key.first, key.before, sum, offset, postings.length]
    offset += postings.length
    return entry
  })
  await connection.run(
    `insert into postings (term, first, before, crc, postings)
     select value ->> 0, value ->> 1, value ->> 2, value ->> 3, substr(?2, value ->> 4, value ->> 5) from json_each(?1)
     where true order by value ->> 0
     on conflict (term, first) do update
     set crc = excluded.crc, postings = cast(postings || excluded.postings as blob)`,
    [JSON.stringify(entries), Buffer.concat(added.map(({ postings }) => postings))],
  )
  await addGrams(
    connection,
    added.flatMap(({ term }, at) => (lastRows[at]?.[0] === null ? [term] : [])),
  )
}

/**
 * Reads the number of postings of each term and the state of the collection. One statement reads both, because each
 * statement costs time.
 */
export async function countPostings(
  connection: SqliteConnection,
  terms: readonly string[],
): Promise<{ readonly state: CollectionState; readonly marks: PostingMarks }> {
  const rows = await connection.all<StateRow & CountRow>(
    `select ${STATE_COLUMNS}, at, count, last from state left join (
       select asked.key as at, before + length(postings) / ${POSTING_BYTES} as count,
         substr(postings, -${POSTING_BYTES}, 4) as last
       from json_each(?) as asked
       join postings on term = asked.value and first = (select max(first) from postings where term = asked.value)
     )`,
    [JSON.stringify(terms)],
  )
  const marks = new Map<string, PostingMark>()
  for (const { at, count, last } of rows) {
    if (at !== null) marks.set(terms[at] ?? '', { count, last: last.readUInt32BE(0) })
  }
  return { state: toState(rows[0]), marks }
}

interface CountRow {
  readonly at: number | null
  readonly count: number
  /** The number of the last posting, in 4 bytes. */
  readonly last: Buffer
}

/** The marks of the terms of a query; a term without postings is absent. */
export type PostingMarks = ReadonlyMap<string, PostingMark>

/** The postings in the file of a collection. */
export class SqlitePostingSource implements PostingSource {
  readonly totals: CollectionState

  /**
   * @param marks the marks of the terms of the query
   * @param runs the runs of the collection, if they are in memory
   */
  constructor(
    private readonly reader: SqliteConnection,
    totals: CollectionState,
    private readonly marks: PostingMarks,
    private readonly cache: PostingCache,
    readonly mergedCache: MergedCache,
    private readonly runs?: KnownRuns | undefined,
  ) {
    this.totals = totals
  }

  count(terms: readonly string[]): Promise<readonly number[]> {
    return Promise.resolve(terms.map((term) => this.#countOf(term)))
  }

  async read(terms: readonly string[]): Promise<readonly PostingsRead[]> {
    const { cached, missing } = this.#readCached(terms)
    return [...cached, ...(await this.#readAll(terms, missing))]
  }

  async readOf(terms: readonly string[], numbers: Uint32Array): Promise<readonly PostingsRead[]> {
    const { cached, missing } = this.#readCached(terms)
    const rows = missing.reduce((sum, at) => sum + this.#countOf(terms[at] ?? '') / POSTINGS_PER_ROW, 0)
    // One look-up for each number takes longer than reading all rows if most rows are needed.
    const isMost = numbers.length * missing.length > rows
    const read = isMost ? await this.#readAll(terms, missing) : await this.#readSome(terms, missing, numbers)
    return [...cached, ...read]
  }

  /** Reads terms from the cache. `missing` are the indexes of the others. */
  #readCached(terms: readonly string[]): { readonly cached: PostingsRead[]; readonly missing: number[] } {
    const [cached, missing]: [PostingsRead[], number[]] = [[], []]
    for (const [at, term] of terms.entries()) {
      const mark = this.marks.get(term)
      const rows = mark === undefined ? [] : this.cache.get(this.totals.id, term, mark)
      if (rows === undefined) missing.push(at)
      else for (const postings of rows) cached.push({ term: at, postings })
    }
    return { cached, missing }
  }

  /** Reads all postings of the terms at these indexes, and caches them. */
  async #readAll(terms: readonly string[], indexes: readonly number[]): Promise<readonly PostingsRead[]> {
    if (indexes.length === 0) return []
    const read = await this.#readChecked(
      terms,
      `select asked.value ->> 0 as term, first, before, crc, postings
       from json_each(?) as asked cross join postings on postings.term = asked.value ->> 1`,
      [JSON.stringify(indexes.map((at) => [at, terms[at]]))],
    )
    const rowsByTerm = new Map<number, Buffer[]>(indexes.map((at) => [at, []]))
    for (const { term, postings } of read) rowsByTerm.get(term)?.push(postings)
    for (const [at, rows] of rowsByTerm) this.cache.set(this.totals.id, terms[at] ?? '', rows)
    return read
  }

  /** Reads the rows of the terms at these indexes that have the postings of some chunks. */
  async #readSome(
    terms: readonly string[],
    indexes: readonly number[],
    numbers: Uint32Array,
  ): Promise<readonly PostingsRead[]> {
    if (indexes.length === 0) return []
    return await this.#readChecked(
      terms,
      `select asked.value ->> 0 as term, first, before, crc, postings
       from json_each(?) as asked cross join postings on postings.id in (
         select (
           select id from postings where term = asked.value ->> 1 and first <= numbers.value order by first desc limit 1
         ) from json_each(?) as numbers
       )`,
      [JSON.stringify(indexes.map((at) => [at, terms[at]])), `[${numbers.join(',')}]`],
    )
  }

  /** Reads rows of terms. @throws ChecksumError if one of them is damaged */
  async #readChecked(
    terms: readonly string[],
    text: string,
    values: readonly string[],
  ): Promise<readonly PostingsRead[]> {
    const rows = await this.reader.all<Omit<CheckedRow, 'term'> & { readonly term: number }>(text, values)
    for (const { term, ...row } of rows) requireChecksum({ ...row, term: terms[term] ?? '' })
    return rows
  }

  #countOf(term: string): number {
    return this.marks.get(term)?.count ?? 0
  }

  async rangesOf(filter: DocumentIds): Promise<readonly DocumentRange[]> {
    return this.runs?.rangesOf(filter) ?? (await readRanges(this.reader, filter))
  }

  async chunksOf(numbers: readonly number[]): Promise<ReadonlyMap<number, IndexedChunk>> {
    return this.runs?.chunksOf(numbers) ?? (await readChunks(this.reader, numbers))
  }
}

/** Runs a step between the writes of others; `undefined` if the work must stop. */
export type RunStep = <T>(step: (connection: SqliteConnection) => Promise<T>) => Promise<T | undefined>

/** The last row that a step has checked. */
interface LastRow extends Pick<PostingRow, 'term' | 'first'> {
  readonly isLast: boolean
}

/**
 * Removes the postings of deleted chunks, in steps that are complete in themselves.
 * @param deleted the number of deleted chunks at the start
 */
export async function purgePostings(deleted: number, runStep: RunStep): Promise<void> {
  const runAsOne: RunStep = async (step) =>
    await runStep(async (connection) => await connection.transaction(async () => await step(connection)))
  const gone = new Set<number>()
  for (let last: LastRow | undefined = { term: '', first: -1, isLast: false }; !last.isLast; ) {
    const after: LastRow = last
    last = await runAsOne(async (connection) => await purgeRows(connection, after, gone))
    if (last === undefined) return
  }
  await purgeGrams(gone, runAsOne)
  await runAsOne(async (connection) => await notePurged(connection, deleted))
  for (let isFree: boolean | undefined = true; isFree === true; ) isFree = await runAsOne(returnFreePages)
  for (let tries = 0; tries < LOG_TRIES; tries += 1) {
    if ((await runStep(async (connection) => await connection.emptyLog())) !== false) return
    await setTimeout(LOG_PAUSE_MS)
  }
}

/** @param gone receives the ids of rows that are removed */
async function purgeRows(connection: SqliteConnection, after: LastRow, gone: Set<number>): Promise<LastRow> {
  const rows = await connection.all<CheckedRow & { readonly id: number }>(
    'select id, term, first, before, crc, postings from postings where (term, first) > (?, ?) order by term, first limit ?',
    [after.term, after.first, ROWS_PER_STEP],
  )
  const ranges = await readRanges(connection, { except: [] })
  let currentTerm = after.term
  // Other calls may have added postings to the last checked row.
  let count = await countUpTo(connection, after)
  const turns = new Turns(POSTINGS_PER_TURN)
  /** Terms whose first row may be gone: those that have others get the id of the next one. */
  const removed = new Set<string>()
  for (const row of rows) {
    const { id, term, first, before, postings } = row
    requireChecksum(row)
    if (term !== currentTerm) count = 0
    currentTerm = term
    const kept = keepLiving(postings, ranges)
    if (kept.length === 0) {
      await connection.run('delete from postings where term = ? and first = ?', [term, first])
      gone.add(id)
      removed.add(term)
    } else if (kept.length < postings.length || before !== count) {
      const crc = checksumOf({ term, first, before: count, postings: kept })
      await connection.run('update postings set before = ?, crc = ?, postings = ? where term = ? and first = ?', [
        ...[count, crc, kept, term, first],
      ])
    }
    count += kept.length / POSTING_BYTES
    await turns.yieldAfter(postings.length / POSTING_BYTES)
  }
  await addGrams(connection, [...removed])
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

/** @returns true if there may be more free pages */
async function returnFreePages(connection: SqliteConnection): Promise<boolean> {
  await connection.exec(`pragma incremental_vacuum(${PAGES_PER_STEP})`)
  const [row] = await connection.all<{ readonly freelist_count: number }>('pragma freelist_count')
  return (row?.freelist_count ?? 0) > 0
}

/** Reads the first terms that begin with one of some prefixes. The last character of Unicode ends each range. */
export async function readTerms(connection: SqliteConnection, prefixes: readonly string[]): Promise<readonly string[]> {
  const rows = await connection.all<{ readonly terms: string }>(
    `select (select json_group_array(term) from (
       select distinct term from postings where term >= asked.value and term < asked.value || char(1114111)
       order by term limit ?2
     )) as terms from json_each(?1) as asked`,
    [JSON.stringify(prefixes), MAX_FOUND_TERMS],
  )
  return rows.flatMap(({ terms }) => JSON.parse(terms) as string[])
}

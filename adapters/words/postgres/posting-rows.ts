import type { Knex } from 'knex'
import { MAX_FOUND_TERMS } from '../../../src/ports/index.js'
import type { Rows } from '../../node-kit/index.js'
import type { IsStopped } from '../background-maintenance.js'
import type { CollectionTotals, PostingSource, PostingsRead } from '../posting-source.js'
import { ascendingParts, POSTING_BYTES } from '../postings.js'
import { readChunks, readRanges } from './chunk-runs.js'
import { mergeGrams, purgeGrams } from './similar-rows.js'
import type { WordTable } from './word-tables.js'

/** The number of rows of one term and level that are merged. The merged row belongs to the next level. */
const ROWS_PER_MERGE = 8
/**
 * Rows of this level (from 4,096 postings or 32 kB on) are not merged further: rewriting them would cost more than
 * reading.
 */
const LAST_LEVEL = 4
/** The SQL expression for the level of the column `postings`. */
const LEVEL_SQL: string = `((length(trim(leading '0' from (octet_length(postings) / ${POSTING_BYTES})::bit(32)::text)) - 1) / 3)::smallint`
/** The number of terms that one scan for rows to merge returns. */
const TERMS_PER_SCAN = 20_000
/** The number of terms whose rows one transaction merges: it takes some ten milliseconds. */
const TERMS_PER_MERGE = 1_000
const TERMS_PER_PURGE = 100

/**
 * The level of postings: the integer part of the logarithm of their number to the base 8. Equal to {@link LEVEL_SQL}.
 */
export function levelOf(postings: Buffer): number {
  let level = 0
  for (let rest = postings.length / POSTING_BYTES; rest >= ROWS_PER_MERGE; rest /= ROWS_PER_MERGE) level += 1
  return level
}

interface CountRow {
  readonly at: string
  readonly bytes: string
  readonly rows: string
}

interface PostingRow {
  readonly at: string
  readonly postings: Buffer
}

/**
 * The postings in the tables of a collection. Only reading a row shows which chunks it has.
 * @param onRowsCounted receives the number of rows of postings of the term that has most of them
 */
export function pgPostingSource(
  knex: Knex,
  table: WordTable,
  totals: CollectionTotals,
  onRowsCounted: (mostRows: number) => void,
): PostingSource {
  return {
    totals,
    count: async (terms) => {
      const counted = await knex.raw<Rows<CountRow>>(
        `select at, sum(octet_length(postings)) as bytes, count(*) as rows
         from unnest(?::text[]) with ordinality as asked (word, at) join ?? on term = word group by at`,
        [terms as string[], table.postings],
      )
      onRowsCounted(counted.rows.reduce((most, { rows }) => Math.max(most, Number(rows)), 0))
      const counts = terms.map(() => 0)
      for (const { at, bytes } of counted.rows) counts[Number(at) - 1] = Number(bytes) / POSTING_BYTES
      return counts
    },
    read: async (terms) => {
      const read = await knex.raw<Rows<PostingRow>>(
        `select at, postings from unnest(?::text[]) with ordinality as asked (word, at) join ?? on term = word`,
        [terms as string[], table.postings],
      )
      return read.rows.flatMap(({ at, postings }): PostingsRead[] => {
        return ascendingParts(postings).map((part) => ({ term: Number(at) - 1, postings: part }))
      })
    },
    rangesOf: (filter) => readRanges(knex, table, filter),
    chunksOf: (numbers) => readChunks(knex, table, numbers),
  }
}

interface TermAtLevel {
  readonly term: string
  readonly level: number
}

/**
 * Merges rows of the same term and level, in steps that are complete in themselves. Each level rewrites a posting at
 * most once. Merged rows are joined in the order of their first numbers, so numbers ascend nearly everywhere. The next
 * call merges rows that this one creates in the next level.
 *
 * @returns the number of merged rows; `undefined` if the merge was stopped, or another process merges
 */
export async function mergePostings(knex: Knex, table: WordTable, isStopped: IsStopped): Promise<number | undefined> {
  const { postings } = table
  let merged = 0
  await tryExclusively(knex, postings, (transaction) => mergeGrams(transaction, table))
  for (;;) {
    const due = await knex.raw<Rows<TermAtLevel>>(
      `select term, level from ?? where level < ${LAST_LEVEL} group by term, level
       having count(*) >= ${ROWS_PER_MERGE} limit ${TERMS_PER_SCAN}`,
      [postings],
    )
    for (let at = 0; at < due.rows.length; at += TERMS_PER_MERGE) {
      if (isStopped()) return undefined
      const part = due.rows.slice(at, at + TERMS_PER_MERGE)
      const rows = await tryExclusively(knex, postings, (transaction) => mergeTerms(transaction, postings, part))
      if (rows === undefined) return undefined
      merged += rows
    }
    if (due.rows.length < TERMS_PER_SCAN) return merged
  }
}

async function mergeTerms(transaction: Knex, postings: string, due: readonly TermAtLevel[]): Promise<number> {
  const merged = await transaction.raw<Rows<{ readonly rows: string }>>(
    `with merged as (
       delete from ?? as row using unnest(?::text[], ?::smallint[]) as due (term, level)
       where row.term = due.term and row.level = due.level returning row.term, row.level, postings
     ),
     inserted as (
       insert into ?? (term, level, postings)
       select term, ${LEVEL_SQL}, postings
       from (
         select term, string_agg(postings, ''::bytea order by substring(postings from 1 for 4)) as postings
         from merged group by term, level
       ) as joined
     )
     select count(*) as rows from merged`,
    [postings, due.map(({ term }) => term), due.map(({ level }) => level), postings],
  )
  return Number(merged.rows[0]?.rows)
}

/** Makes the space of merged and purged rows reusable. Does nothing if the database's user does not own the table. */
export async function vacuum(knex: Knex, { postings }: WordTable): Promise<void> {
  // Returning the space to the disk would lock readers out.
  await knex.raw('vacuum (analyze, truncate false) ??', [postings])
}

/**
 * Removes the postings of deleted chunks, in steps that are complete in themselves.
 * @returns true if it has finished
 */
export async function purgePostings(knex: Knex, table: WordTable, isStopped: IsStopped): Promise<boolean> {
  const before = await knex.raw<Rows<{ readonly deleted: string }>>('select deleted from ??', [table.state])
  const deleted = Number(before.rows[0]?.deleted)
  for (let after = ''; ; ) {
    if (isStopped()) return false
    const page = await knex.raw<Rows<{ readonly last: string | null }>>(
      'select max(term) as last from (select distinct term from ?? where term > ? order by term limit ?) as page',
      [table.postings, after, TERMS_PER_PURGE],
    )
    const last = page.rows[0]?.last
    if (typeof last !== 'string') break
    const isDone = await tryExclusively(knex, table.postings, async (transaction) => {
      await purgeTerms(transaction, table, after, last)
      return true
    })
    if (isDone !== true) return false
    after = last
  }
  await tryExclusively(knex, table.postings, (transaction) => purgeGrams(transaction, table))
  // Another process may have purged the same postings: then the count must not fall below 0.
  await knex.raw('update ?? set deleted = greatest(0, deleted - ?)', [table.state, deleted])
  return true
}

/** Purges the rows of terms between two terms; `after` is exclusive, `last` inclusive. */
async function purgeTerms(
  transaction: Knex,
  { postings, runs }: WordTable,
  after: string,
  last: string,
): Promise<void> {
  const byte = (index: number): string => `get_byte(postings, at + ${index})::bigint`
  await transaction.raw(
    `with checked as (
       select ctid as place, postings, (
         select coalesce(string_agg(substring(postings from at + 1 for ${POSTING_BYTES}), ''::bytea), ''::bytea)
         from generate_series(0, octet_length(postings) - 1, ${POSTING_BYTES}) as at
         cross join lateral (
           select (${byte(0)} << 24) + (${byte(1)} << 16) + (${byte(2)} << 8) + ${byte(3)} as number
         ) as numbered
         where number < (select first + chunks from ?? where first <= number order by first desc limit 1)
       ) as kept from ?? where term > ? and term <= ?
     ),
     emptied as (delete from ?? as row using checked where row.ctid = place and octet_length(kept) = 0)
     update ?? as row set postings = kept from checked
     where row.ctid = place and octet_length(kept) between 1 and octet_length(checked.postings) - 1`,
    [runs, postings, after, last, postings, postings],
  )
  await transaction.raw(`update ?? set level = ${LEVEL_SQL} where term > ? and term <= ? and level <> ${LEVEL_SQL}`, [
    postings,
    after,
    last,
  ])
}

/** Runs work in a transaction; `undefined` if another process merges or purges now. */
async function tryExclusively<T>(
  knex: Knex,
  postings: string,
  work: (transaction: Knex.Transaction) => Promise<T>,
): Promise<T | undefined> {
  return await knex.transaction(async (transaction) => {
    // Without this setting, PostgreSQL reads the whole of a table that was never analysed.
    const lock = await transaction.raw<Rows<{ readonly is_held: boolean }>>(
      `select pg_try_advisory_xact_lock(hashtext(?), hashtext('merge')) as is_held,
       set_config('enable_seqscan', 'off', true)`,
      [postings],
    )
    return lock.rows[0]?.is_held === true ? await work(transaction) : undefined
  })
}

/** Reads the first terms that begin with one of some prefixes. The last character of Unicode ends each range. */
export async function readTerms(
  knex: Knex,
  { postings }: WordTable,
  prefixes: readonly string[],
): Promise<readonly string[]> {
  const found = await knex.raw<Rows<{ readonly term: string }>>(
    `select found.term from unnest(?::text[]) as asked (prefix)
     cross join lateral (
       select distinct term from ?? where term >= prefix collate "C" and term < (prefix || chr(1114111)) collate "C"
       order by term limit ?
     ) as found`,
    [prefixes as string[], postings, MAX_FOUND_TERMS],
  )
  return found.rows.map(({ term }) => term)
}

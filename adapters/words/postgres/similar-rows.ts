import type { Knex } from 'knex'
import { canBeSimilar, type Vocabulary } from '../../../src/ports/index.js'
import type { Rows } from '../../node-kit/index.js'
import { byBucket, entriesOf, type NumberedTerm, readShared, withoutTerms } from '../gram-entries.js'
import type { WordTable } from './word-tables.js'

/** Fewer entries wait beside the buckets: each search reads them, and a merge rewrites hundreds of buckets. */
const MAX_WAITING_BYTES = 65_536

/** Adds terms that the collection does not have yet, in the transaction that adds their postings. */
export async function addGrams(
  transaction: Knex,
  { terms, grams }: WordTable,
  added: readonly string[],
): Promise<void> {
  const words = added.filter(canBeSimilar).sort()
  if (words.length === 0) return
  const inserted = await transaction.raw<Rows<NumberedTerm>>(
    // A conflict would use up an id, and each addition has thousands of known terms.
    `insert into ?? (term) select added from unnest(?::text[]) as added
     where not exists (select 1 from ?? as known where known.term = added) on conflict do nothing returning id, term`,
    [terms, words, terms],
  )
  if (inserted.rows.length === 0) return
  await transaction.raw('insert into ?? (entries) values (?)', [grams, entriesOf(inserted.rows)])
}

/** Moves entries that wait to their buckets, if there are many. The caller makes sure that no other process does. */
export async function mergeGrams(transaction: Knex, { grams }: WordTable): Promise<void> {
  const waiting = await transaction.raw<Rows<{ readonly bytes: string }>>(
    'select coalesce(sum(octet_length(entries)), 0) as bytes from ?? where bucket is null',
    [grams],
  )
  if (Number(waiting.rows[0]?.bytes) < MAX_WAITING_BYTES) return
  const taken = await transaction.raw<Rows<{ readonly entries: Buffer }>>(
    'delete from ?? where bucket is null returning entries',
    [grams],
  )
  const parts = byBucket(Buffer.concat(taken.rows.map(({ entries }) => entries)))
  await transaction.raw(
    `insert into ?? as row (bucket, entries) select * from unnest(?::integer[], ?::bytea[])
     on conflict (bucket) do update set entries = row.entries || excluded.entries`,
    [grams, [...parts.keys()], [...parts.values()]],
  )
}

/**
 * Removes terms without postings, and their parts. The lock waits for additions in progress, and holds up further ones for
 * this transaction: an addition takes a known term for one that stays.
 */
export async function purgeGrams(transaction: Knex, { terms, grams, postings }: WordTable): Promise<void> {
  await transaction.raw('lock table ?? in share row exclusive mode', [terms])
  const removed = await transaction.raw<Rows<{ readonly id: number }>>(
    'delete from ?? as known where not exists (select 1 from ?? as row where row.term = known.term) returning id',
    [terms, postings],
  )
  if (removed.rows.length === 0) return
  const gone = new Set(removed.rows.map(({ id }) => id))
  const rows = await transaction.raw<Rows<{ readonly place: string; readonly entries: Buffer }>>(
    'select ctid::text as place, entries from ??',
    [grams],
  )
  const changed = rows.rows
    .map(({ place, entries }) => ({ place, entries, kept: withoutTerms(entries, gone) }))
    .filter(({ entries, kept }) => kept.length < entries.length)
  await transaction.raw(
    `update ?? as row set entries = changed.kept
     from unnest(?::text[], ?::bytea[]) as changed (place, kept) where row.ctid = changed.place::tid`,
    [grams, changed.map(({ place }) => place), changed.map(({ kept }) => kept)],
  )
}

/** The vocabulary in the tables of a collection. */
export function vocabularyOf(knex: Knex, { terms, grams, postings }: WordTable): Vocabulary {
  return {
    readShared: async (words) =>
      await readShared(words, {
        readGrams: async (asked, buckets) => {
          const read = await knex.raw<Rows<{ readonly term: string | null; readonly entries: Buffer | null }>>(
            `select asked as term, null::bytea as entries from unnest(?::text[]) as asked
               where exists (select 1 from ?? as row where row.term = asked)
             union all select null, entries from ?? where bucket = any(?::integer[]) or bucket is null`,
            [asked as string[], postings, grams, buckets as number[]],
          )
          return read.rows
        },
        readTerms: async (ids) => {
          const found = await knex.raw<Rows<NumberedTerm>>('select id, term from ?? where id = any(?::integer[])', [
            terms,
            ids as number[],
          ])
          return found.rows
        },
      }),
    readExisting: async (asked) => {
      const read = await knex.raw<Rows<{ readonly term: string }>>(
        'select asked as term from unnest(?::text[]) as asked where exists (select 1 from ?? as row where row.term = asked)',
        [asked as string[], postings],
      )
      return new Set(read.rows.map(({ term }) => term))
    },
  }
}

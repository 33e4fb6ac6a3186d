import type { PostingsRead } from '../posting-source.js'
import { POSTING_BYTES, type TermPostings } from '../postings.js'
import { type CollectionState, type StateRow, toState } from './chunk-runs.js'
import type { SqliteConnection } from './sqlite-connection.js'

/** A row takes further postings until it has this many bytes of them. */
export const ROW_BYTES = 8_192
/** The number of terms of one statement: preparing its values takes about 5 ms. */
const TERMS_PER_STATEMENT = 8_192

/** Adds postings whose numbers are higher than all existing ones. The caller runs it in a transaction. */
export async function addPostings(connection: SqliteConnection, added: readonly TermPostings[]): Promise<void> {
  for (let from = 0; from < added.length; from += TERMS_PER_STATEMENT) {
    await addTerms(connection, added.slice(from, from + TERMS_PER_STATEMENT))
  }
}

async function addTerms(connection: SqliteConnection, added: readonly TermPostings[]): Promise<void> {
  let offset = 1
  const entries = added.map(({ term, postings }) => {
    const entry = [term, postings.readUInt32BE(0), offset, postings.length]
    offset += postings.length
    return entry
  })
  await connection.run(
    `insert into postings (term, first, before, postings)
     select added.term,
       case when length(last.postings) < ${ROW_BYTES} then last.first else added.first end,
       coalesce(last.before + length(last.postings) / ${POSTING_BYTES}, 0),
       substr(?2, at, bytes)
     from (
       select value ->> 0 as term, value ->> 1 as first, value ->> 2 as at, value ->> 3 as bytes from json_each(?1)
     ) as added
     left join postings as last
       on last.term = added.term and last.first = (select max(first) from postings where term = added.term)
     where true order by added.term
     on conflict (term, first) do update set postings = cast(postings || excluded.postings as blob)`,
    [JSON.stringify(entries), Buffer.concat(added.map(({ postings }) => postings))],
  )
}

/**
 * Reads the number of postings of each term and the state of the collection. One statement reads both, because each
 * statement costs time.
 */
export async function countPostings(
  connection: SqliteConnection,
  terms: readonly string[],
): Promise<{ readonly state: CollectionState; readonly counts: ReadonlyMap<string, number> }> {
  const rows = await connection.all<StateRow & { readonly at: number | null; readonly count: number }>(
    `select id, chunks, length, deleted, at, count from state left join (
       select asked.key as at, before + length(postings) / ${POSTING_BYTES} as count
       from json_each(?) as asked
       join postings on term = asked.value and first = (select max(first) from postings where term = asked.value)
     )`,
    [JSON.stringify(terms)],
  )
  const counts = new Map<string, number>()
  for (const { at, count } of rows) if (at !== null) counts.set(terms[at] ?? '', count)
  return { state: toState(rows[0]), counts }
}

/** Reads all postings of the terms. */
export async function readPostings(
  connection: SqliteConnection,
  terms: readonly string[],
): Promise<readonly PostingsRead[]> {
  return await connection.all<PostingsRead>(
    'select asked.key as term, postings from json_each(?) as asked cross join postings on postings.term = asked.value',
    [JSON.stringify(terms)],
  )
}

/** Reads the rows of the terms that have the postings of chunks with these numbers. */
export async function readPostingsOf(
  connection: SqliteConnection,
  terms: readonly string[],
  numbers: Uint32Array,
): Promise<readonly PostingsRead[]> {
  return await connection.all<PostingsRead>(
    `select asked.key as term, postings from json_each(?) as asked cross join postings on postings.id in (
       select (
         select id from postings where term = asked.value and first <= numbers.value order by first desc limit 1
       ) from json_each(?) as numbers
     )`,
    [JSON.stringify(terms), `[${numbers.join(',')}]`],
  )
}

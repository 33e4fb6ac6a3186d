import type { PostingsRead } from '../posting-source.js'
import { POSTING_BYTES, type TermPostings } from '../postings.js'
import type { SqliteConnection } from './sqlite-connection.js'

/** A row takes further postings until it has so many bytes of them. */
const ROW_BYTES = 8_192

/** Adds postings whose numbers are higher than all that are there. Within a transaction. */
export async function addPostings(connection: SqliteConnection, added: readonly TermPostings[]): Promise<void> {
  let offset = 1
  const entries = added.map(({ term, postings }) => {
    const entry = [term, postings.readUInt32BE(0), offset, postings.length]
    offset += postings.length
    return entry
  })
  await connection.run(
    `insert into postings (term, first, postings)
     select term, coalesce(
       (select case when length(postings) < ${ROW_BYTES} then first end from postings as last
        where last.term = added.term order by last.first desc limit 1),
       added.first
     ), substr(?2, at, bytes)
     from (
       select value ->> 0 as term, value ->> 1 as first, value ->> 2 as at, value ->> 3 as bytes from json_each(?1)
     ) as added
     where true order by term
     on conflict (term, first) do update set postings = cast(postings || excluded.postings as blob)`,
    [JSON.stringify(entries), Buffer.concat(added.map(({ postings }) => postings))],
  )
}

/** How many postings each term has; in the order of the terms. */
export async function countPostings(
  connection: SqliteConnection,
  terms: readonly string[],
): Promise<readonly number[]> {
  const rows = await connection.all<{ readonly at: number; readonly bytes: number }>(
    `select asked.key as at, sum(length(postings)) as bytes
     from json_each(?) as asked cross join postings on term = asked.value group by asked.key`,
    [JSON.stringify(terms)],
  )
  const counts = terms.map(() => 0)
  for (const { at, bytes } of rows) counts[at] = bytes / POSTING_BYTES
  return counts
}

/** All postings of the terms. */
export async function readPostings(
  connection: SqliteConnection,
  terms: readonly string[],
): Promise<readonly PostingsRead[]> {
  return await connection.all<PostingsRead>(
    'select asked.key as term, postings from json_each(?) as asked cross join postings on postings.term = asked.value',
    [JSON.stringify(terms)],
  )
}

import { canBeSimilar, type Vocabulary } from '../../../src/ports/index.js'
import { byBucket, entriesOf, type NumberedTerm, readShared, withoutTerms } from '../gram-entries.js'
import { POSTING_BYTES } from '../postings.js'
import { markOf, type PostingMark } from './posting-cache.js'
import type { SqliteConnection } from './sqlite-connection.js'
import { requireChecksum } from './word-checksums.js'

/** Fewer entries wait beside the buckets: a small addition would otherwise rewrite hundreds of them. */
const MAX_WAITING_BYTES = 262_144
/** The postings of a similar term are read with it up to this size. */
const FEW_BYTES = 2_048
/** The number of buckets that one step of a purge rewrites. */
const BUCKETS_PER_STEP = 512

/**
 * Adds the parts of new terms. The id of a term is that of its first row of postings. The caller runs it in the
 * transaction that adds the postings.
 */
export async function addGrams(connection: SqliteConnection, newTerms: readonly string[]): Promise<void> {
  const words = newTerms.filter(canBeSimilar)
  if (words.length === 0) return
  await addEntries(connection, entriesOf(await numbered(connection, words)))
}

async function numbered(connection: SqliteConnection, words: readonly string[]): Promise<readonly NumberedTerm[]> {
  const [read] = await connection.all<{ readonly ids: string }>(
    `select json_group_array((select min(id) from postings where term = asked.value)) as ids from json_each(?) as asked`,
    [JSON.stringify(words)],
  )
  const ids = JSON.parse(read?.ids ?? '[]') as readonly (number | null)[]
  return words.flatMap((term, at) => {
    const id = ids[at]
    return typeof id === 'number' ? [{ id, term }] : []
  })
}

/** Few entries wait in a row of their own until they are worth the rewriting of buckets. */
async function addEntries(connection: SqliteConnection, entries: Buffer): Promise<void> {
  const [waiting] = await connection.all<{ readonly bytes: number }>(
    'select coalesce(sum(length(entries)), 0) as bytes from new_grams',
  )
  if ((waiting?.bytes ?? 0) + entries.length < MAX_WAITING_BYTES) {
    await connection.run('insert into new_grams (entries) values (?)', [entries])
    return
  }
  const rows = await connection.all<{ readonly entries: Buffer }>('select entries from new_grams')
  const parts = byBucket(Buffer.concat([...rows.map((row) => row.entries), entries]))
  let offset = 1
  const places = [...parts].map(([bucket, part]) => {
    const place = [bucket, offset, part.length]
    offset += part.length
    return place
  })
  await connection.run(
    `insert into grams (bucket, entries)
     select value ->> 0, substr(?2, value ->> 1, value ->> 2) from json_each(?1) where true
     on conflict (bucket) do update set entries = cast(entries || excluded.entries as blob)`,
    [JSON.stringify(places), Buffer.concat([...parts.values()])],
  )
  await connection.run('delete from new_grams')
}

interface TermRow extends NumberedTerm {
  readonly first: number
  readonly crc: number
  /** All postings of the term, if they are few. */
  readonly postings: Buffer | null
  /** The number of postings, and the number of the last one in 4 bytes: of a term with more postings. */
  readonly count: number | null
  readonly last: Buffer | null
}

/**
 * The vocabulary in the file of a collection.
 * @param onTerm receives the similar terms with their marks, and with all postings of those that have few: a search needs
 *   them next
 */
export function vocabularyOf(
  connection: SqliteConnection,
  onTerm: (term: string, mark: PostingMark, postings: Buffer | undefined) => void,
): Vocabulary {
  const hasFew = `last.id = row.id and row.before = 0 and length(row.postings) between 1 and ${FEW_BYTES}`
  return {
    readShared: async (words) =>
      await readShared(words, {
        readGrams: async (asked, buckets) =>
          await connection.all(
            `select value as term, null as entries from json_each(?1)
               where exists (select 1 from postings where term = value)
             union all select null, entries from grams where bucket in (select value from json_each(?2))
             union all select null, entries from new_grams`,
            [JSON.stringify(asked), JSON.stringify(buckets)],
          ),
        readTerms: async (ids) => {
          const rows = await connection.all<TermRow>(
            `select row.id, row.term, row.first, row.crc, iif(${hasFew}, row.postings, null) as postings,
               iif(${hasFew}, null, last.before + length(last.postings) / ${POSTING_BYTES}) as count,
               iif(${hasFew}, null, substr(last.postings, -${POSTING_BYTES}, 4)) as last
             from postings as row join postings as last
               on last.term = row.term and last.first = (select max(first) from postings where term = row.term)
             where row.id in (select value from json_each(?))`,
            [JSON.stringify(ids)],
          )
          for (const { term, first, crc, postings, count, last } of rows) {
            if (postings !== null) {
              requireChecksum({ term, first, before: 0, crc, postings })
              onTerm(term, markOf([postings]), postings)
            } else if (count !== null && last !== null) {
              onTerm(term, { count, last: last.readUInt32BE(0) }, undefined)
            }
          }
          return rows
        },
      }),
    readExisting: async (terms) => {
      const rows = await connection.all<{ readonly value: string }>(
        'select value from json_each(?) where exists (select 1 from postings where term = value)',
        [JSON.stringify(terms)],
      )
      return new Set(rows.map(({ value }) => value))
    },
  }
}

/** Removes the parts of terms that are gone, in steps: `runStep` runs each as a transaction. */
export async function purgeGrams(
  gone: ReadonlySet<number>,
  runStep: (step: (connection: SqliteConnection) => Promise<number>) => Promise<number | undefined>,
): Promise<void> {
  if (gone.size === 0) return
  for (let after: number | undefined = -1; after !== undefined && after < Number.MAX_SAFE_INTEGER; ) {
    const from: number = after
    after = await runStep(async (connection) => {
      const rows = await connection.all<{ readonly bucket: number; readonly entries: Buffer }>(
        'select bucket, entries from grams where bucket > ? order by bucket limit ?',
        [from, BUCKETS_PER_STEP],
      )
      for (const { bucket, entries } of rows) {
        const kept = withoutTerms(entries, gone)
        if (kept.length < entries.length) {
          await connection.run('update grams set entries = ? where bucket = ?', [kept, bucket])
        }
      }
      return rows.length < BUCKETS_PER_STEP ? Number.MAX_SAFE_INTEGER : (rows.at(-1)?.bucket ?? Number.MAX_SAFE_INTEGER)
    })
  }
  await runStep(async (connection) => {
    for (const { id, entries } of await connection.all<{ readonly id: number; readonly entries: Buffer }>(
      'select id, entries from new_grams',
    )) {
      const kept = withoutTerms(entries, gone)
      if (kept.length < entries.length)
        await connection.run('update new_grams set entries = ? where id = ?', [kept, id])
    }
    return 0
  })
}

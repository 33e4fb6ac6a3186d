import { canBeSimilar, type Vocabulary } from '../../../src/ports/index.js'
import { byBucket, entriesOf, type NumberedTerm, readShared, withoutTerms } from '../gram-entries.js'
import { markOf, markOfLast, type PostingMark } from './posting-cache.js'
import type { SqliteConnection } from './sqlite-connection.js'
import { type CheckedGrams, type CheckedRow, checksumOfGrams, requireChecksum, requireGrams } from './word-checksums.js'

/** Fewer entries wait beside the buckets: a small addition would otherwise rewrite hundreds of them. */
const MAX_WAITING_BYTES = 262_144
/** The number of buckets that one step of a purge rewrites. */
const BUCKETS_PER_STEP = 512

/**
 * Adds the parts of new terms. The id of a term is that of its first row of postings. The caller runs it in the
 * transaction that adds the postings.
 */
export async function addGrams(connection: SqliteConnection, newTerms: readonly string[]): Promise<void> {
  const words = newTerms.filter(canBeSimilar)
  if (words.length === 0) return
  const entries = entriesOf(await numbered(connection, words))
  if (entries.length > 0) await addEntries(connection, entries)
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
  const [waiting] = await connection.all<{ readonly bytes: number; readonly key: number }>(
    'select coalesce(sum(length(entries)), 0) as bytes, coalesce(max(id), 0) + 1 as key from new_grams',
  )
  const { bytes, key } = waiting ?? { bytes: 0, key: 1 }
  if (bytes + entries.length < MAX_WAITING_BYTES) {
    const crc = checksumOfGrams({ key, entries })
    await connection.run('insert into new_grams (id, crc, entries) values (?, ?, ?)', [key, crc, entries])
    return
  }
  const rows = await connection.all<CheckedGrams>('select id as key, crc, entries from new_grams')
  for (const row of rows) requireGrams(row)
  await addToBuckets(connection, byBucket(Buffer.concat([...rows.map((row) => row.entries), entries])))
  await connection.run('delete from new_grams')
}

async function addToBuckets(connection: SqliteConnection, parts: ReadonlyMap<number, Buffer>): Promise<void> {
  const known = await connection.all<Pick<CheckedGrams, 'key' | 'crc'>>(
    'select bucket as key, crc from grams where bucket in (select value from json_each(?))',
    [JSON.stringify([...parts.keys()])],
  )
  const crcs = new Map(known.map(({ key, crc }) => [key, crc]))
  let offset = 1
  const places = [...parts].map(([key, entries]) => {
    // The checksum of a damaged bucket stays wrong.
    const place = [key, checksumOfGrams({ key, entries }, crcs.get(key)), offset, entries.length]
    offset += entries.length
    return place
  })
  await connection.run(
    `insert into grams (bucket, crc, entries)
     select value ->> 0, value ->> 1, substr(?2, value ->> 2, value ->> 3) from json_each(?1) where true
     on conflict (bucket) do update
     set crc = excluded.crc, entries = cast(entries || excluded.entries as blob)`,
    [JSON.stringify(places), Buffer.concat([...parts.values()])],
  )
}

/** The first row of a term, and its last one if it has several. */
interface TermRow extends CheckedRow {
  readonly id: number
  readonly isOnly: number | null
  readonly lastFirst: number
  readonly lastBefore: number
  readonly lastCrc: number
  readonly lastPostings: Buffer
}

/**
 * The vocabulary in the file of a collection.
 * @param onTerm receives the similar terms with their marks, and with all postings of those that have one row: a search
 *   needs them next
 */
export function vocabularyOf(
  connection: SqliteConnection,
  onTerm: (term: string, mark: PostingMark, postings: Buffer | undefined) => void,
): Vocabulary {
  return {
    readShared: async (words) =>
      await readShared(words, {
        readGrams: async (asked, buckets) => {
          const rows = await connection.all<{ readonly term: string } | (CheckedGrams & { readonly term: null })>(
            `select value as term, null as key, null as crc, null as entries from json_each(?1)
               where exists (select 1 from postings where term = value)
             union all select null, bucket, crc, entries from grams where bucket in (select value from json_each(?2))
             union all select null, id, crc, entries from new_grams`,
            [JSON.stringify(asked), JSON.stringify(buckets)],
          )
          return rows.map((row) => {
            if (row.term !== null) return { term: row.term, entries: null }
            requireGrams(row)
            return row
          })
        },
        readTerms: async (ids) => {
          const rows = await connection.all<TermRow>(
            `select row.id, row.term, row.first, row.before, row.crc, row.postings, last.id = row.id as isOnly,
               last.first as lastFirst, last.before as lastBefore, last.crc as lastCrc,
               iif(last.id = row.id, null, last.postings) as lastPostings
             from postings as row left join postings as last
               on last.term = row.term and last.first = (select max(first) from postings where term = row.term)
             where row.id in (select value from json_each(?))`,
            [JSON.stringify(ids)],
          )
          for (const row of rows) {
            requireChecksum(row)
            const { term, postings, lastFirst: first, lastBefore: before, lastCrc: crc, lastPostings } = row
            if (row.isOnly === 1 && before === 0) {
              onTerm(term, markOf([postings]), postings)
            } else {
              const last = row.isOnly === 1 ? row : { term, first, before, crc, postings: lastPostings }
              requireChecksum(last)
              onTerm(term, markOfLast(last), undefined)
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
      const rows = await connection.all<CheckedGrams>(
        'select bucket as key, crc, entries from grams where bucket > ? order by bucket limit ?',
        [from, BUCKETS_PER_STEP],
      )
      await purgeEntries(connection, rows, gone, ['grams', 'bucket'])
      return rows.length < BUCKETS_PER_STEP ? Number.MAX_SAFE_INTEGER : (rows.at(-1)?.key ?? Number.MAX_SAFE_INTEGER)
    })
  }
  await runStep(async (connection) => {
    const rows = await connection.all<CheckedGrams>('select id as key, crc, entries from new_grams')
    await purgeEntries(connection, rows, gone, ['new_grams', 'id'])
    return 0
  })
}

async function purgeEntries(
  connection: SqliteConnection,
  rows: readonly CheckedGrams[],
  gone: ReadonlySet<number>,
  [table, keyColumn]: readonly [table: string, keyColumn: string],
): Promise<void> {
  for (const row of rows) {
    requireGrams(row)
    const { key, entries } = row
    const kept = withoutTerms(entries, gone)
    if (kept.length === entries.length) continue
    // The driver would store no bytes as null.
    if (kept.length === 0) await connection.run(`delete from ${table} where ${keyColumn} = ?`, [key])
    else {
      const crc = checksumOfGrams({ key, entries: kept })
      await connection.run(`update ${table} set crc = ?, entries = ? where ${keyColumn} = ?`, [crc, kept, key])
    }
  }
}

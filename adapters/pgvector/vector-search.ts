import type { Knex } from 'knex'
import type { DocumentFilter, VectorHit, VectorSearchOptions } from '../../src/ports/index.js'
import { encodeVector } from './binary-vectors.js'
import type { VectorTable } from './vector-tables.js'

/** Up to this number of rows, an exact comparison is as fast as a search by index. */
const MAX_ROWS_TO_SCAN = 10_000
/** The index has half-precision vectors. So this multiple of the limit is taken from it, and compared exactly. */
const REFINE_FACTOR = 3
/** Smallest number of candidates of a search by index. */
const MIN_CANDIDATES = 400
/** Largest number that pgvector accepts. */
const MAX_CANDIDATES = 1_000
/** The index scan stops after this number of rows. If few rows pass the filter, a full scan is faster. */
const MAX_SCAN_TUPLES = 50_000

interface HitRow {
  readonly document: string
  readonly chunk: number
  readonly window: number
  readonly similarity: number
}

/** A condition in SQL, with its bindings. */
interface Condition {
  readonly sql: string
  readonly bindings: readonly Knex.RawBinding[]
}

/** Finds the rows nearest to a vector, by the index if there is one. Otherwise it scans the table, which is exact. */
export async function findNearest(
  knex: Knex,
  table: VectorTable,
  query: Float32Array,
  { limit, documents }: VectorSearchOptions,
): Promise<VectorHit[]> {
  const vector = encodeVector(query)
  const condition = conditionOf(documents)
  const candidates = limit * REFINE_FACTOR
  if (table.isIndexed && candidates <= MAX_CANDIDATES && (await shouldUseIndex(knex, table, documents))) {
    const hits = await searchByIndex(knex, table, vector, condition, { limit, candidates })
    // With fewer hits, the index scan has stopped before enough rows passed the filter. A full scan is exact.
    if (hits.length >= limit) return hits
  }
  const found = await knex.raw<{ readonly rows: readonly HitRow[] }>(
    `select document, chunk, "window", 1 - (vector <=> ?::vector) as similarity from ??
     where ${condition.sql} order by vector <=> ?::vector limit ?`,
    [vector, table.table, ...condition.bindings, vector, limit],
  )
  return found.rows.map(toHit)
}

/** Searches by the index. The index scan applies the filter, and continues until enough rows have passed. */
async function searchByIndex(
  knex: Knex,
  { table, dimensions }: VectorTable,
  vector: Buffer,
  condition: Condition,
  { limit, candidates }: { readonly limit: number; readonly candidates: number },
): Promise<VectorHit[]> {
  return await knex.transaction(async (transaction) => {
    await transaction.raw(
      `select set_config('hnsw.ef_search', ?, true), set_config('hnsw.iterative_scan', 'relaxed_order', true),
       set_config('hnsw.max_scan_tuples', ?, true), set_config('enable_seqscan', 'off', true)`,
      [String(Math.max(MIN_CANDIDATES, candidates)), String(MAX_SCAN_TUPLES)],
    )
    const half = `halfvec(${dimensions})`
    const found = await transaction.raw<{ readonly rows: readonly HitRow[] }>(
      `select document, chunk, "window", 1 - (vector <=> ?::vector) as similarity from (
         select document, chunk, "window", vector from ?? where ${condition.sql}
         order by vector::${half} <=> (?::vector)::${half} limit ?
       ) as near order by vector <=> ?::vector limit ?`,
      [vector, table, ...condition.bindings, vector, candidates, vector, limit],
    )
    return found.rows.map(toHit)
  })
}

async function shouldUseIndex(
  knex: Knex,
  { table }: VectorTable,
  filter: DocumentFilter | undefined,
): Promise<boolean> {
  if (filter === undefined || ('except' in filter && filter.except.length === 0)) return true
  const condition = conditionOf(filter)
  const passing = await knex.raw<{ readonly rows: readonly { readonly rows: string }[] }>(
    `select count(*) as rows from (select 1 from ?? where ${condition.sql} limit ?) as few`,
    [table, ...condition.bindings, MAX_ROWS_TO_SCAN + 1],
  )
  return Number(passing.rows[0]?.rows) > MAX_ROWS_TO_SCAN
}

function conditionOf(filter: DocumentFilter | undefined): Condition {
  if (filter === undefined) return { sql: 'true', bindings: [] }
  // The driver converts the array to an array of PostgreSQL.
  if ('only' in filter) return { sql: 'document = any(?::bigint[])', bindings: [filter.only as number[]] }
  return { sql: 'document <> all(?::bigint[])', bindings: [filter.except as number[]] }
}

function toHit({ document, chunk, window, similarity }: HitRow): VectorHit {
  return { documentId: Number(document), chunk, window, similarity: Number.isNaN(similarity) ? 0 : similarity }
}

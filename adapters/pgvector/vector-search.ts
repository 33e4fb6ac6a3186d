import type { Knex } from 'knex'
import type { DocumentFilter, VectorHit, VectorSearchOptions } from '../../src/ports/index.js'
import { encodeVector } from './binary-vectors.js'
import type { VectorTable } from './vector-tables.js'

/** So few rows are compared one by one as quickly as an index finds the nearest of them. */
const FEW_ROWS = 10_000
/** The index knows vectors in half precision: so many times the rows asked for are compared exactly. */
const REFINE_FACTOR = 3
/** Rows that a search by index looks at, at least; pgvector takes 1,000 at most. */
const LEAST_CANDIDATES = 400
const MOST_CANDIDATES = 1_000
/** Where few rows pass a filter, the index is left after so many: a scan finds them sooner. */
const MOST_TUPLES = 50_000

interface HitRow {
  readonly document: string
  readonly chunk: number
  readonly window: number
  readonly similarity: number
}

/** A condition in SQL, and its values. */
interface Condition {
  readonly sql: string
  readonly bindings: readonly Knex.RawBinding[]
}

/** Finds the rows nearest to a vector: by the index where there is one, otherwise by a scan, which misses nothing. */
export async function nearest(
  knex: Knex,
  table: VectorTable,
  query: Float32Array,
  { limit, documents }: VectorSearchOptions,
): Promise<VectorHit[]> {
  const vector = encodeVector(query)
  const condition = conditionOf(documents)
  const candidates = limit * REFINE_FACTOR
  if (table.isIndexed && candidates <= MOST_CANDIDATES && (await isWorthIndex(knex, table, documents))) {
    const hits = await byIndex(knex, table, vector, condition, { limit, candidates })
    // Otherwise the index was left before enough rows had passed: a scan knows.
    if (hits.length >= limit) return hits
  }
  const found = await knex.raw<{ readonly rows: readonly HitRow[] }>(
    `select document, chunk, "window", 1 - (vector <=> ?::vector) as similarity from ??
     where ${condition.sql} order by vector <=> ?::vector limit ?`,
    [vector, table.table, ...condition.bindings, vector, limit],
  )
  return found.rows.map(toHit)
}

/** Filtered within the scan of the index, which goes on until enough have passed. */
async function byIndex(
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
      [String(Math.max(LEAST_CANDIDATES, candidates)), String(MOST_TUPLES)],
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

async function isWorthIndex(knex: Knex, { table }: VectorTable, filter: DocumentFilter | undefined): Promise<boolean> {
  if (filter === undefined || ('except' in filter && filter.except.length === 0)) return true
  const condition = conditionOf(filter)
  const passing = await knex.raw<{ readonly rows: readonly { readonly rows: string }[] }>(
    `select count(*) as rows from (select 1 from ?? where ${condition.sql} limit ?) as few`,
    [table, ...condition.bindings, FEW_ROWS + 1],
  )
  return Number(passing.rows[0]?.rows) > FEW_ROWS
}

function conditionOf(filter: DocumentFilter | undefined): Condition {
  if (filter === undefined) return { sql: 'true', bindings: [] }
  // The driver makes an array of it.
  if ('only' in filter) return { sql: 'document = any(?::bigint[])', bindings: [filter.only as number[]] }
  return { sql: 'document <> all(?::bigint[])', bindings: [filter.except as number[]] }
}

function toHit({ document, chunk, window, similarity }: HitRow): VectorHit {
  return { documentId: Number(document), chunk, window, similarity: Number.isNaN(similarity) ? 0 : similarity }
}

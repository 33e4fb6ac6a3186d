import type { Knex } from 'knex'
import {
  type DocumentIds,
  hasDirection,
  type IndexedChunk,
  type NearestWindow,
  type VectorHit,
  type VectorSearchOptions,
} from '../../src/ports/index.js'
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
/** Number of chunks whose windows are compared in one statement. */
const CHUNKS_PER_STATEMENT = 500

/** A window, and its similarity to a query. */
interface WindowRow {
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
  if (!hasDirection(query)) return []
  const vector = encodeVector(query)
  const condition = conditionOf(documents)
  const candidates = limit * REFINE_FACTOR
  if (table.isIndexed && candidates <= MAX_CANDIDATES && (await shouldUseIndex(knex, table, documents))) {
    const hits = await searchByIndex(knex, table, vector, condition, { limit, candidates })
    // With fewer hits, the index scan has stopped before enough rows passed the filter. A full scan is exact.
    if (hits.length >= limit) return hits
  }
  // A vector of zeros has the distance NaN, which PostgreSQL orders behind all numbers.
  const found = await knex.raw<{ readonly rows: readonly WindowRow[] }>(
    `select document, chunk, "window", 1 - (vector <=> ?::vector) as similarity from ??
     where ${condition.sql} order by vector <=> ?::vector limit ?`,
    [vector, table.table, ...condition.bindings, vector, limit],
  )
  return toHits(found.rows)
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
    const found = await transaction.raw<{ readonly rows: readonly WindowRow[] }>(
      `select document, chunk, "window", 1 - (vector <=> ?::vector) as similarity from (
         select document, chunk, "window", vector from ?? where ${condition.sql}
         order by vector::${half} <=> (?::vector)::${half} limit ?
       ) as near order by vector <=> ?::vector limit ?`,
      [vector, table, ...condition.bindings, vector, candidates, vector, limit],
    )
    return toHits(found.rows)
  })
}

async function shouldUseIndex(knex: Knex, { table }: VectorTable, filter: DocumentIds | undefined): Promise<boolean> {
  if (filter === undefined || ('except' in filter && filter.except.length === 0)) return true
  const condition = conditionOf(filter)
  const passing = await knex.raw<{ readonly rows: readonly { readonly rows: string }[] }>(
    `select count(*) as rows from (select 1 from ?? where ${condition.sql} limit ?) as few`,
    [table, ...condition.bindings, MAX_ROWS_TO_SCAN + 1],
  )
  return Number(passing.rows[0]?.rows) > MAX_ROWS_TO_SCAN
}

function conditionOf(filter: DocumentIds | undefined): Condition {
  if (filter === undefined) return { sql: 'true', bindings: [] }
  // The driver converts the array to an array of PostgreSQL.
  if ('only' in filter) return { sql: 'document = any(?::bigint[])', bindings: [filter.only as number[]] }
  return { sql: 'document <> all(?::bigint[])', bindings: [filter.except as number[]] }
}

function toHits(rows: readonly WindowRow[]): VectorHit[] {
  return rows
    .filter(({ similarity }) => !Number.isNaN(similarity))
    .map(({ document, chunk, window, similarity }) => ({ documentId: Number(document), chunk, window, similarity }))
}

/** The vectors to compare with: at least one, with the dimensions of the table. */
interface NearestQueries {
  readonly queries: readonly Float32Array[]
  /** The oid of the type `vector` in the database. */
  readonly type: number
}

/**
 * Finds the window of each chunk that is nearest to one of the queries. All windows of the chunks are compared exactly;
 * the index on (document, chunk) finds them.
 * @returns one entry for each chunk; undefined for a chunk without vectors
 */
export async function findNearestWindows(
  knex: Knex,
  { table, dimensions }: VectorTable,
  { queries, type }: NearestQueries,
  chunks: readonly IndexedChunk[],
): Promise<(NearestWindow | undefined)[]> {
  const vectors = new Float32Array(queries.length * dimensions)
  for (const [at, query] of queries.entries()) vectors.set(query, at * dimensions)
  const encoded = encodeVectors(vectors, dimensions, type)
  const keyOf = (documentId: number | string, chunk: number): string => `${documentId}:${chunk}`
  const distinctChunks = [...new Map(chunks.map((chunk) => [keyOf(chunk.documentId, chunk.chunk), chunk])).values()]
  const nearest = new Map<string, NearestWindow>()
  for (let at = 0; at < distinctChunks.length; at += CHUNKS_PER_STATEMENT) {
    const part = distinctChunks.slice(at, at + CHUNKS_PER_STATEMENT)
    // A zero vector has no angle, and counts as orthogonal.
    const found = await knex.raw<{ readonly rows: readonly WindowRow[] }>(
      `select distinct on (document, chunk) document, chunk, "window", 1 - distance as similarity
       from (
         select document, chunk, "window", coalesce(nullif(vector <=> query, 'NaN'::float8), 1) as distance
         from ?? join unnest(?::bigint[], ?::integer[]) as asked (document, chunk) using (document, chunk)
         cross join unnest(?::vector[]) as queries (query)
       ) as compared order by document, chunk, distance, "window"`,
      [table, part.map(({ documentId }) => documentId), part.map(({ chunk }) => chunk), encoded],
    )
    for (const { document, chunk, window, similarity } of found.rows) {
      nearest.set(keyOf(document, chunk), { window, similarity })
    }
  }
  return chunks.map(({ documentId, chunk }) => nearest.get(keyOf(documentId, chunk)))
}

/** A vector of pgvector begins with its dimensions (2 bytes) and two unused bytes. */
const VECTOR_HEADER_BYTES = 4
/**
 * The header of an array: dimensions, a flag for nulls, the element type, the length and the first index, 4 bytes each.
 */
const ARRAY_HEADER_BYTES = 20
const LENGTH_BYTES = 4
const FLOAT_BYTES = 4

/**
 * Encodes vectors as an array in the binary form of PostgreSQL's protocol. Text would block the event loop for a tenth
 * of a second for each thousand vectors. Source: `vector_recv` of pgvector, `array_recv` of PostgreSQL.
 *
 * @param vectors the vectors, one after the other
 * @param type the oid of the type `vector` in the database
 */
export function encodeVectors(vectors: Float32Array, dimensions: number, type: number): Buffer {
  const rows = vectors.length / dimensions
  const vectorBytes = VECTOR_HEADER_BYTES + dimensions * FLOAT_BYTES
  const bytes = Buffer.allocUnsafe(ARRAY_HEADER_BYTES + rows * (LENGTH_BYTES + vectorBytes))
  const header = [1, 0, type, rows, 1]
  for (const [index, value] of header.entries()) bytes.writeInt32BE(value, index * 4)
  let offset = ARRAY_HEADER_BYTES
  for (let row = 0; row < rows; row += 1) {
    bytes.writeInt32BE(vectorBytes, offset)
    writeVector(bytes, offset + LENGTH_BYTES, vectors.subarray(row * dimensions, (row + 1) * dimensions))
    offset += LENGTH_BYTES + vectorBytes
  }
  return bytes
}

/** Encodes one vector in the same binary form. */
function encodeVector(vector: Float32Array): Buffer {
  const bytes = Buffer.allocUnsafe(VECTOR_HEADER_BYTES + vector.length * FLOAT_BYTES)
  writeVector(bytes, 0, vector)
  return bytes
}

function writeVector(bytes: Buffer, start: number, vector: Float32Array): void {
  bytes.writeInt16BE(vector.length, start)
  bytes.writeInt16BE(0, start + 2)
  let offset = start + VECTOR_HEADER_BYTES
  for (const component of vector) offset = bytes.writeFloatBE(component, offset)
}

/** Parses a vector in the text form, such as `[1,2.5,3]`. */
export function parseVector(text: string): Float32Array {
  return Float32Array.from(JSON.parse(text) as number[])
}

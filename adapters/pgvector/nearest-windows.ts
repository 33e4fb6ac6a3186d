import type { Knex } from 'knex'
import type { IndexedChunk, NearestWindow } from '../../src/ports/index.js'
import { encodeVectors } from './binary-vectors.js'
import type { VectorTable } from './vector-tables.js'

/** Number of chunks whose windows are compared in one statement. */
const CHUNKS_PER_STATEMENT = 500

/** The vectors to compare with: at least one, with the dimensions of the table. */
export interface NearestQueries {
  readonly queries: readonly Float32Array[]
  /** The oid of the type `vector` in the database. */
  readonly type: number
}

interface NearestRow {
  readonly document: string
  readonly chunk: number
  readonly window: number
  readonly similarity: number
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
    const found = await knex.raw<{ readonly rows: readonly NearestRow[] }>(
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

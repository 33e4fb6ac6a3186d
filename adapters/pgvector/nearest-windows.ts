import type { Knex } from 'knex'
import type { IndexedChunk, NearestWindow } from '../../src/ports/index.js'
import { encodeVectors } from './binary-vectors.js'
import type { VectorTable } from './vector-tables.js'

/** Chunks whose windows are compared in one statement. */
const CHUNKS_PER_STATEMENT = 500

/** Vectors to compare with, each as long as those of the table; at least one. */
export interface NearestQueries {
  readonly queries: readonly Float32Array[]
  /** The number by which the database knows the type `vector`. */
  readonly type: number
}

interface NearestRow {
  readonly document: string
  readonly chunk: number
  readonly window: number
  readonly similarity: number
}

/** Compares the windows of chunks with vectors, one by one: the index of (document, chunk) finds them. */
export async function nearestOfChunks(
  knex: Knex,
  { table, dimensions }: VectorTable,
  { queries, type }: NearestQueries,
  chunks: readonly IndexedChunk[],
): Promise<(NearestWindow | undefined)[]> {
  const vectors = new Float32Array(queries.length * dimensions)
  for (const [at, query] of queries.entries()) vectors.set(query, at * dimensions)
  const encoded = encodeVectors(vectors, dimensions, type)
  const keyOf = (documentId: number | string, chunk: number): string => `${documentId}:${chunk}`
  const asked = [...new Map(chunks.map((each) => [keyOf(each.documentId, each.chunk), each])).values()]
  const nearest = new Map<string, NearestWindow>()
  for (let at = 0; at < asked.length; at += CHUNKS_PER_STATEMENT) {
    const part = asked.slice(at, at + CHUNKS_PER_STATEMENT)
    // A vector of zeros has no angle: it counts as orthogonal.
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

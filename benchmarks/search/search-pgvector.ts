import { openPostgres } from '../../dist/adapters/knex/index.js'
import { MemoryVectorIndex } from '../../dist/adapters/memory/index.js'
import { PgVectorIndex } from '../../dist/adapters/pgvector/index.js'
import type { VectorIndex, VectorRows } from '../../dist/src/ports/index.js'
import { startPglite } from '../../test/servers/pglite-server.js'
import { ClusteredVectors } from '../harness/clustered-vectors.js'
import { atOnce, hundredths, inTurn, quantile, type Spread, timesOf } from '../harness/measure.js'
import { COLLECTION, documentsOf, LIMIT } from './search-collection.js'
import { recallOf } from './search-recall.js'

const TABLE_PREFIX = 'bench_'
/** Concurrent additions. */
const WRITERS = 4

/** The collection in PostgreSQL, and the amount of work on it. */
export interface PgVectorTask {
  readonly spread: number
  readonly windows: number
  /** Default: the adapter's own limit. */
  readonly indexFromRows?: number
  readonly rounds: number
  readonly queries: number
}

export interface PgVectorFigures {
  readonly server: string
  readonly fillMs: number
  readonly maintenanceMs: number
  readonly recallAt10: number
  readonly p50Ms: Spread
}

/**
 * Searches by the HNSW index of the pgvector adapter, beside a comparison with every vector. `ALCOVE_TEST_PGVECTOR_URL`
 * names the server. Without it the benchmark uses PGlite, a slower PostgreSQL within this process.
 */
export async function searchPgVector(task: PgVectorTask): Promise<PgVectorFigures> {
  const url = process.env['ALCOVE_TEST_PGVECTOR_URL']
  const pglite = url === undefined ? await startPglite() : undefined
  const knex = openPostgres(url ?? pglite?.url ?? '', { maxConnections: url === undefined ? 1 : WRITERS })
  const options = { knex, tablePrefix: TABLE_PREFIX, keepKnex: true }
  const vectors = new ClusteredVectors(task.spread, 1)
  const documents = documentsOf(task).map((documentId) => vectors.rows(documentId))
  const { indexFromRows } = task
  const index = new PgVectorIndex({ ...options, ...(indexFromRows !== undefined && { indexFromRows }) })
  try {
    // Building an index blocks the one connection of PGlite for longer than an addition waits. So the index is built
    // later.
    const writer = new PgVectorIndex({ ...options, indexFromRows: Number.MAX_SAFE_INTEGER })
    const fillMs = await filledIn(writer, documents)
    await writer.close()
    const figures = await measured(index, documents, task)
    if (index.maintenanceError !== undefined) throw index.maintenanceError
    if (!(await hasHnsw(knex))) throw new Error('no index was built: what was measured is a scan')
    return { server: url === undefined ? 'PGlite' : 'PostgreSQL', fillMs, ...figures }
  } finally {
    await index.drop(COLLECTION.name)
    await index.close()
    await knex.destroy()
    await pglite?.dispose()
  }
}

async function hasHnsw(knex: ReturnType<typeof openPostgres>): Promise<boolean> {
  const found = await knex('pg_indexes')
    .whereLike('tablename', `${TABLE_PREFIX}%`)
    .whereILike('indexdef', '%using hnsw%')
  return found.length > 0
}

async function filledIn(index: VectorIndex, documents: readonly VectorRows[]): Promise<number> {
  const began = performance.now()
  await atOnce(WRITERS, documents.length, async (at) => {
    const rows = documents[at]
    if (rows !== undefined) await index.add(COLLECTION, rows)
  })
  return hundredths(performance.now() - began)
}

async function measured(
  index: PgVectorIndex,
  documents: readonly VectorRows[],
  { spread, rounds, queries: count }: PgVectorTask,
): Promise<Omit<PgVectorFigures, 'server' | 'fillMs'>> {
  const exact = new MemoryVectorIndex()
  for (const rows of documents) await exact.add(COLLECTION, rows)
  const queryVectors = new ClusteredVectors(spread, 2)
  const queries = Array.from({ length: count }, () => queryVectors.next())
  const searchIn = (where: VectorIndex) => async (query: Float32Array) =>
    await where.search(COLLECTION, query, { limit: LIMIT })
  const find = searchIn(index)
  const began = performance.now()
  // The first search reads the number of rows.
  await find(queryVectors.next())
  await index.whenMaintained()
  const maintenanceMs = hundredths(performance.now() - began)
  const { recallAt10 } = await recallOf(
    queries.map((query) => ({ query })),
    { find, scan: searchIn(exact) },
  )
  const call = async (at: number): Promise<unknown> => await find(queries[at] ?? new Float32Array())
  const figures = await inTurn(rounds, [
    { name: 'p50Ms', run: async () => quantile(await timesOf(queries.length, call), 0.5) },
  ])
  const [p50Ms] = figures.values()
  if (p50Ms === undefined) throw new Error('nothing was searched')
  return { maintenanceMs, recallAt10, p50Ms }
}

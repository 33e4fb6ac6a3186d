import { connect, Index, type Table } from '@lancedb/lancedb'
import { ClusteredVectors } from '../harness/clustered-vectors.js'
import { atOnce, figureOf, inTurn, quantile, type Spread, timesOf } from '../harness/measure.js'
import { CALLERS } from './search-calls.js'
import { COLLECTION, type CollectionTask, type Found, foundBy, LIMIT } from './search-collection.js'
import { shareFound } from './search-recall.js'

const TABLE = 'kinds'
const CALLS_TOGETHER = 2 * CALLERS

/** A kind of index of LanceDB with its defaults, and the settings of its searches. */
interface Kind {
  readonly kind: string
  readonly index: () => Index
  readonly searches: readonly { readonly settings: string; readonly probes?: number; readonly refine?: number }[]
}

const KINDS: readonly Kind[] = [
  {
    kind: 'IVF_FLAT',
    index: () => Index.ivfFlat({ distanceType: 'cosine' }),
    searches: [{ settings: 'as it comes' }, { settings: '200 probes', probes: 200 }],
  },
  {
    kind: 'IVF_PQ',
    index: () => Index.ivfPq({ distanceType: 'cosine' }),
    searches: [{ settings: 'as it comes' }, { settings: '200 probes, refine 50', probes: 200, refine: 50 }],
  },
  {
    kind: 'IVF_RQ, 4 bits',
    index: () => Index.ivfRq({ distanceType: 'cosine', numBits: 4 }),
    searches: [
      { settings: 'refine 3', refine: 3 },
      { settings: '200 probes, refine 3', probes: 200, refine: 3 },
    ],
  },
  {
    kind: 'HNSW_SQ',
    index: () => Index.hnswSq({ distanceType: 'cosine' }),
    searches: [{ settings: 'as it comes' }, { settings: 'refine 3', refine: 3 }],
  },
]

export interface KindRow {
  readonly kind: string
  readonly settings: string
  readonly buildSeconds: number
  readonly recallAt10: number
  readonly p50Ms: Spread
  readonly perSecondWith64: Spread
}

/**
 * Searches each kind of index of LanceDB over the vectors of a collection, and compares the hits with the exact answer.
 */
export async function searchKinds({ collection, extent }: CollectionTask): Promise<readonly KindRow[]> {
  const { rounds, kindQueries } = extent
  const connection = await connect(collection.folder)
  const source = await connection.openTable(COLLECTION.name)
  const table = await connection.createTable(
    TABLE,
    await source.query().select(['document', 'chunk', 'vector']).toArrow(),
  )
  const vectors = new ClusteredVectors(collection.spread, 3)
  const queries = Array.from({ length: kindQueries }, () => vectors.next())
  const truth: (readonly Found[])[] = []
  // The scans run one after the other, because they would take gigabytes together.
  for (const query of queries) truth.push(await found(table, query, { isExact: true }))
  const rows: KindRow[] = []
  // A smoke test measures one kind.
  for (const { kind, index, searches } of rounds === 1 ? KINDS.slice(0, 1) : KINDS) {
    const began = performance.now()
    await table.createIndex('vector', { config: index(), replace: true, waitTimeoutSeconds: 900 })
    const buildSeconds = Math.round((performance.now() - began) / 100) / 10
    for (const { settings, ...search } of searches) {
      const answers: (readonly Found[])[] = []
      for (const query of queries) answers.push(await found(table, query, search))
      const recallAt10 = shareFound(answers, truth)
      const call = (number: number): Promise<unknown> =>
        found(table, queries[number % queries.length] ?? new Float32Array(), search)
      const figures = await inTurn(rounds, [
        { name: 'p50Ms', run: async () => quantile(await timesOf(queries.length, call), 0.5) },
        { name: 'perSecondWith64', run: async () => (await atOnce(CALLERS, CALLS_TOGETHER, call)).perSecond },
      ])
      const [p50Ms, perSecondWith64] = [figureOf(figures, 'p50Ms'), figureOf(figures, 'perSecondWith64')]
      rows.push({ kind, settings, buildSeconds, recallAt10, p50Ms, perSecondWith64 })
    }
  }
  await connection.dropTable(TABLE)
  return rows
}

async function found(
  table: Table,
  query: Float32Array,
  { probes, refine, isExact }: { readonly probes?: number; readonly refine?: number; readonly isExact?: boolean },
): Promise<readonly Found[]> {
  let nearest = table.query().nearestTo(query).distanceType('cosine').limit(LIMIT)
  if (isExact === true) nearest = nearest.bypassVectorIndex()
  if (probes !== undefined) nearest = nearest.nprobes(probes)
  if (refine !== undefined) nearest = nearest.refineFactor(refine)
  return await foundBy(nearest)
}

import type { LanceDbVectorIndex } from '../../dist/adapters/lancedb/index.js'
import { ClusteredVectors } from '../harness/clustered-vectors.js'
import { atOnce, type Contestant, inTurn, quantile, type Spread, timesOf } from '../harness/measure.js'
import { CALLERS, callContestants, peakMb, type SearchExtent } from './search-calls.js'
import {
  COLLECTION,
  type CollectionTask,
  documentsOf,
  type Found,
  LIMIT,
  openCollection,
  PlainSearch,
  type SyntheticCollection,
} from './search-collection.js'
import { documentsIn, type FilterRow, searchFilters } from './search-filters.js'
import { recallOf, type SearchAndScan } from './search-recall.js'

const WARM_UP_CALLS = 10
const SHARE_DELETED = 0.02
const LEAST_DELETED = 10

/** Figures of searches at the index port, beside the plain scan of LanceDB. */
export interface PortFigures {
  readonly figures: Readonly<Record<string, number | Spread>>
  readonly filters: readonly FilterRow[]
}

/** Measures a collection. Deletes some of its documents. */
export async function searchPort({ collection, extent }: CollectionTask): Promise<PortFigures> {
  const vectors = new ClusteredVectors(collection.spread, 2)
  const queries = Array.from({ length: extent.queries }, () => vectors.next())
  const index = openCollection(collection)
  const called = await calls(index, queries, extent)
  // The peak is read before the plain scans, which take more memory than the engine's searches.
  const peak = peakMb()
  const plain = await PlainSearch.open(collection)
  const compared = await compare(index, plain, queries, extent)
  const { filters, ...recalls } = await measureRecalls({ collection, index, plain }, queries, extent.filterQueries)
  plain.close()
  await index.close()
  const figures = {
    ...recalls,
    ...Object.fromEntries(called),
    peakMb: peak,
    ...Object.fromEntries(compared),
    scanCallers: extent.scanCallers,
  }
  return { figures, filters }
}

async function calls(
  index: LanceDbVectorIndex,
  queries: readonly Float32Array[],
  extent: SearchExtent,
): Promise<ReadonlyMap<string, Spread>> {
  const call = (number: number): Promise<unknown> =>
    index.search(COLLECTION, queryAt(queries, number), { limit: LIMIT })
  await timesOf(WARM_UP_CALLS, call)
  return await inTurn(extent.rounds, callContestants(extent, call))
}

/**
 * Compares the engine's searches with plain LanceDB, round by round: with a scan, and with the index and the engine's
 * settings.
 */
async function compare(
  index: LanceDbVectorIndex,
  plain: PlainSearch,
  queries: readonly Float32Array[],
  { rounds, callsAlone, callsTogether, scansAlone, scansTogether, scanCallers }: SearchExtent,
): Promise<ReadonlyMap<string, Spread>> {
  const call = (number: number): Promise<unknown> =>
    index.search(COLLECTION, queryAt(queries, number), { limit: LIMIT })
  const scan = (number: number): Promise<unknown> => plain.nearest(queryAt(queries, number))
  const lookUp = (number: number): Promise<unknown> => plain.byIndex(queryAt(queries, number), LIMIT)
  await scan(0)
  let [plainMs, scanRate] = [Number.NaN, Number.NaN]
  const scans: Contestant[] = [
    { name: 'plainScanP50Ms', run: async () => quantile(await timesOf(scansAlone, scan), 0.5) },
    { name: 'plainScansPerSecond', run: async () => (scanRate = await perSecond(scanCallers, scansTogether, scan)) },
    {
      name: 'timesTheScan',
      run: async () => (await perSecond(CALLERS, callsTogether, call)) / scanRate,
    },
  ]
  const lookUps: Contestant[] = [
    { name: 'plainIndexP50Ms', run: async () => (plainMs = quantile(await timesOf(callsAlone, lookUp), 0.5)) },
    {
      name: 'overPlainIndexMs',
      run: async () => quantile(await timesOf(callsAlone, call), 0.5) - plainMs,
    },
  ]
  if (plain.hasIndex) await lookUp(0)
  return await inTurn(rounds, plain.hasIndex ? [...scans, ...lookUps] : scans)
}

/** Searches a second, not rounded: a million windows get about one scan a second. */
async function perSecond(callers: number, calls: number, call: (number: number) => Promise<unknown>): Promise<number> {
  return calls / (await atOnce(callers, calls, call)).seconds
}

/** The recall of the full collection, then after deletions, then with filters. */
interface Recalls {
  readonly recallAt10: number
  readonly recallAfterDeletions: number
  /** The lowest recall of all filters. */
  readonly recallWithFilters: number
  readonly deletionMs: number
  readonly filters: readonly FilterRow[]
}

/** A collection that the engine's index and plain LanceDB have open. */
interface Opened {
  readonly collection: SyntheticCollection
  readonly index: LanceDbVectorIndex
  readonly plain: PlainSearch
}

async function measureRecalls(
  { collection, index, plain }: Opened,
  queries: readonly Float32Array[],
  filterQueries: number,
): Promise<Recalls> {
  const both: SearchAndScan = {
    find: (query, documents) => index.search(COLLECTION, query, { limit: LIMIT, ...(documents && { documents }) }),
    scan: async (query, documents) => {
      // Deletions and maintenance have changed the table.
      await plain.takeUpWrites()
      return await plain.nearest(query, documents)
    },
  }
  const questions = queries.map((query) => ({ query }))
  const { recallAt10, exact } = await recallOf(questions, both)

  const documents = documentsOf(collection)
  const deleted = nearestOf(exact, Math.max(LEAST_DELETED, documents.length * SHARE_DELETED))
  const deletionTimes: number[] = []
  for (const document of deleted) {
    deletionTimes.push(...(await timesOf(1, () => index.deleteDocument(COLLECTION.name, document, 0))))
  }
  const afterDeletions = await recallOf(questions, both)

  const filters = await searchFilters(
    {
      queries: queries.slice(0, filterQueries),
      documents: documents.filter((document) => !deleted.includes(document)),
      exact: afterDeletions.exact,
    },
    both,
  )
  return {
    recallAt10,
    recallAfterDeletions: afterDeletions.recallAt10,
    recallWithFilters: Math.min(...filters.map((row) => row.recallAt10)),
    deletionMs: quantile(deletionTimes, 0.5),
    filters,
  }
}

/** Documents of the nearest windows in the exact answers. A search would find all of them. */
function nearestOf(found: readonly (readonly Found[])[], count: number): readonly number[] {
  const byRank = Array.from({ length: LIMIT }, (_, rank) => found.flatMap((windows) => windows.slice(rank, rank + 1)))
  return documentsIn(byRank.flat()).slice(0, count)
}

function queryAt(queries: readonly Float32Array[], number: number): Float32Array {
  const query = queries[number % queries.length]
  if (query === undefined) throw new Error('there are no queries')
  return query
}

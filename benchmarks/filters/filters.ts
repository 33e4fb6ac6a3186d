/**
 * How much slower is a search with a filter by metadata, and does it find the same? Each document has ten windows. The
 * filter selects 0.01% to 100% of the documents, which are spread over the context. Three steps are measured, one caller
 * at a time: the storage finds the documents, the vector index and the word index search them. The vector index is
 * compared with an exact scan, the word index with its own answer without a filter. One number is the size of a run:
 * `tsx benchmarks/filters/filters.ts 1000000`.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KnexStorage, openSqlite } from '../../dist/adapters/knex/index.js'
import { LanceDbVectorIndex } from '../../dist/adapters/lancedb/index.js'
import { SqliteLexicalIndex } from '../../dist/adapters/words/index.js'
import type { DocumentFilter, LexicalQuery, Storage } from '../../dist/src/ports/index.js'
import { ClusteredVectors, DIMENSIONS } from '../harness/clustered-vectors.js'
import { quantile } from '../harness/measure.js'
import { fillStorage, fillWords, wordQuery } from './filter-data.js'

const isQuick = process.argv.includes('--quick')
const [given] = process.argv.slice(2).filter((argument) => /^\d+$/.test(argument))
const SIZES = given === undefined ? (isQuick ? [1_000] : [1_000, 100_000]) : [Number(given)]
const PERCENTS = [0.01, 0.1, 1, 10, 50, 90, 100]
const QUERIES = isQuick ? 5 : 40
const WINDOWS_PER_DOCUMENT = 10
const LIMIT = 40
const COLLECTION = { name: 'windows', dimensions: DIMENSIONS }
/** Similarities that differ by less count as equal: the index computes with fewer digits. */
const SAME_SIMILARITY = 1e-5
/** Vectors that lie between round clusters and overlapping ones, as embeddings do. */
const SPREAD = 0.85

for (const windows of SIZES) {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-filters-'))
  try {
    await measure(folder, windows)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function measure(folder: string, windows: number): Promise<void> {
  const documents = Array.from({ length: windows / WINDOWS_PER_DOCUMENT }, (_, at) => at + 1)
  const storage = new KnexStorage({ knex: openSqlite(join(folder, 'filters.sqlite')) })
  const vectors = new LanceDbVectorIndex(join(folder, 'vectors'))
  const words = new SqliteLexicalIndex(join(folder, 'words'))
  await storage.open()
  const contextId = await fillStorage(storage, documents, PERCENTS)
  const queries = drawQueries()
  const exact = await fillVectors(vectors, documents, queries)
  await fillWords(words, COLLECTION.name, documents, WINDOWS_PER_DOCUMENT)
  console.log(`${windows} windows of ${documents.length} documents`)
  const unfiltered = await measureFilter({ vectors, words }, queries, undefined)
  const rows = [{ selected: 'no filter', documents: documents.length, findMs: 0, ...unfiltered, recall: 1 }]
  for (const percent of PERCENTS) {
    const { ids, ms } = await timeMatching(storage, contextId, percent)
    if (ids.length === 0) continue
    const filter = { only: ids }
    const measured = await measureFilter({ vectors, words }, queries, filter)
    const recall = await recallOf(vectors, queries, exact, ids)
    rows.push({ selected: `${percent}%`, documents: ids.length, findMs: ms, ...measured, recall })
  }
  console.table(rows)
  await Promise.all([storage.close(), vectors.close(), words.close()])
}

function drawQueries(): readonly Float32Array[] {
  const vectors = new ClusteredVectors(SPREAD, 7)
  return Array.from({ length: QUERIES }, () => vectors.next())
}

/** @returns for each query, its similarity to each window in the order of the documents */
async function fillVectors(
  index: LanceDbVectorIndex,
  documents: readonly number[],
  queries: readonly Float32Array[],
): Promise<readonly Float32Array[]> {
  const vectors = new ClusteredVectors(SPREAD, 1)
  const exact = queries.map(() => new Float32Array(documents.length * WINDOWS_PER_DOCUMENT))
  for (let at = 0; at < documents.length; at += 100) {
    const rows = documents.slice(at, at + 100).map((document) => vectors.rows(document, WINDOWS_PER_DOCUMENT))
    for (const [row, { vectors: all }] of rows.entries()) {
      for (let window = 0; window < WINDOWS_PER_DOCUMENT; window += 1) {
        const vector = all.subarray(window * DIMENSIONS, (window + 1) * DIMENSIONS)
        for (const [query, similarities] of exact.entries())
          similarities[(at + row) * WINDOWS_PER_DOCUMENT + window] = dot(vector, queries[query] ?? vector)
      }
    }
    await Promise.all(rows.map((each) => index.add(COLLECTION, each)))
  }
  await index.whenMaintained()
  if (index.maintenanceError !== undefined) throw index.maintenanceError
  return exact
}

/** The vectors have the length 1, so this is the cosine. */
function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let at = 0; at < one.length; at += 1) sum += (one[at] ?? 0) * (other[at] ?? 0)
  return sum
}

interface Indexes {
  readonly vectors: LanceDbVectorIndex
  readonly words: SqliteLexicalIndex
}

async function measureFilter(
  { vectors, words }: Indexes,
  queries: readonly Float32Array[],
  filter: DocumentFilter | undefined,
): Promise<{ readonly vectorsMs: number; readonly wordsMs: number }> {
  const options = { limit: LIMIT, ...(filter && { documents: filter }) }
  const wordQueries = queries.map((_, at): LexicalQuery => wordQuery(at))
  const vectorsMs = await p50(queries, async (query) => await vectors.search(COLLECTION, query, options))
  const wordsMs = await p50(wordQueries, async (query) => await words.search(COLLECTION.name, query, options))
  return { vectorsMs, wordsMs }
}

async function p50<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<number> {
  for (const item of items.slice(0, 3)) await work(item)
  const times: number[] = []
  for (const item of items) {
    const began = performance.now()
    await work(item)
    times.push(performance.now() - began)
  }
  return Math.round(quantile(times, 0.5) * 100) / 100
}

async function timeMatching(
  storage: Storage,
  contextId: number,
  percent: number,
): Promise<{ readonly ids: readonly number[]; readonly ms: number }> {
  const conditions = { metadata: { [`p${percent}`]: 1 } }
  const find = async () => await storage.read(({ documents }) => documents.matching(contextId, conditions))
  const ids = await find()
  return { ids, ms: await p50(Array.from({ length: 10 }), find) }
}

/** The share of the exact answers that the searches find. */
async function recallOf(
  index: LanceDbVectorIndex,
  queries: readonly Float32Array[],
  exact: readonly Float32Array[],
  ids: readonly number[],
): Promise<number> {
  let [found, wanted] = [0, 0]
  for (const [at, query] of queries.entries()) {
    const hits = await index.search(COLLECTION, query, { limit: LIMIT, documents: { only: ids } })
    const similarities = ids.flatMap((id) => {
      return [...(exact[at] ?? new Float32Array()).subarray((id - 1) * WINDOWS_PER_DOCUMENT, id * WINDOWS_PER_DOCUMENT)]
    })
    const nearest = similarities.sort((one, other) => other - one).slice(0, LIMIT)
    const least = (nearest.at(-1) ?? 0) - SAME_SIMILARITY
    found += hits.filter(({ similarity }) => similarity >= least).length
    wanted += nearest.length
  }
  return Math.round((found / wanted) * 1_000) / 1_000
}

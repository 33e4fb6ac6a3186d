/**
 * One step of the filters benchmark, in a process of its own: `filters-step.ts STEP TASK`, with the task as JSON. Prints
 * its figures as JSON.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { KnexStorage, openSqlite } from '../../dist/adapters/knex/index.js'
import { LanceDbVectorIndex } from '../../dist/adapters/lancedb/index.js'
import { SqliteLexicalIndex } from '../../dist/adapters/words/index.js'
import type { DocumentIds, LexicalAnswer, LexicalHit, Storage, VectorHit } from '../../dist/src/ports/index.js'
import { ClusteredVectors, DIMENSIONS } from '../harness/clustered-vectors.js'
import { bothInTurn, hundredths, quantile, timesOf } from '../harness/measure.js'
import { fillStorage, fillWords, PERCENTS, wordQuery } from './filter-data.js'

export interface FilterSteps {
  readonly fillIndexes: (task: FilterTask) => Promise<{ readonly fillSeconds: number }>
  readonly searchFiltered: (task: FilterTask) => Promise<readonly FilterFigures[]>
}

interface FilterTask {
  readonly dataDir: string
  readonly windows: number
  readonly isQuick: boolean
}

/** Times are medians in ms. */
export interface FilterFigures {
  /** The share of the documents. */
  readonly selected: string
  readonly documents: number
  /** The time in which the storage finds the documents. */
  readonly findMs: number
  readonly vectorsMs: number
  /** The time of the vector index without a filter, measured in turn. */
  readonly unfilteredMs: number
  /** The time of the vector index beside a search without a filter. */
  readonly vectorsRatio: number
  /** The share of the exact answers that the vector index finds. */
  readonly recall: number
  readonly wordsMs: number
  readonly wordsRatio: number
  /** The share of the best hits by words that the word index finds. */
  readonly wordsRecall: number
}

const WINDOWS_PER_DOCUMENT = 10
const LIMIT = 40
/** The folder of the vector index. */
const VECTORS = 'vectors'
const COLLECTION = { name: 'windows', dimensions: DIMENSIONS }
/** The number of documents that are added at once. */
const DOCUMENTS_AT_ONCE = 800
/** Similarities that differ by less count as equal: the index computes with fewer digits. */
const SAME_SIMILARITY = 1e-5
/** Vectors that lie between round clusters and overlapping ones, as embeddings do. */
const SPREAD = 0.85
const QUERIES = 30
/** The first searches read what later ones find in memory. */
const WARM_UPS = 5
/** The number of queries whose answers by words are compared. Each reads all hits without a filter. */
const COMPARED_BY_WORDS = 3

const STEPS: FilterSteps = { fillIndexes, searchFiltered }

interface Indexes {
  readonly storage: Storage
  readonly vectors: LanceDbVectorIndex
  readonly words: SqliteLexicalIndex
}

async function openIndexes(dataDir: string): Promise<Indexes> {
  const storage = new KnexStorage({ knex: openSqlite(join(dataDir, 'filters.sqlite')) })
  await storage.open()
  return {
    storage,
    vectors: new LanceDbVectorIndex(join(dataDir, VECTORS)),
    words: new SqliteLexicalIndex(join(dataDir, 'words')),
  }
}

async function closeIndexes({ storage, vectors, words }: Indexes): Promise<void> {
  await Promise.all([storage.close(), vectors.close(), words.close()])
}

async function fillIndexes({ dataDir, windows }: FilterTask): Promise<{ readonly fillSeconds: number }> {
  const began = performance.now()
  const documents = Array.from({ length: windows / WINDOWS_PER_DOCUMENT }, (_, at) => at + 1)
  const indexes = await openIndexes(dataDir)
  await fillStorage(indexes.storage, documents)
  const exact = await fillVectors(dataDir, documents, drawQueries(QUERIES))
  await Promise.all(exact.map(async (similarities, query) => await writeFile(exactPath(dataDir, query), similarities)))
  await fillWords(indexes.words, COLLECTION.name, documents, WINDOWS_PER_DOCUMENT)
  await closeIndexes(indexes)
  return { fillSeconds: hundredths((performance.now() - began) / 1_000) }
}

/** The file with the similarity of a query to each window, in the order of the documents. */
function exactPath(dataDir: string, query: number): string {
  return join(dataDir, `similarities-${query}.bin`)
}

function drawQueries(count: number): readonly Float32Array[] {
  const vectors = new ClusteredVectors(SPREAD, 7)
  return Array.from({ length: count }, () => vectors.next())
}

/** @returns for each query, its similarity to each window in the order of the documents */
async function fillVectors(
  dataDir: string,
  documents: readonly number[],
  queries: readonly Float32Array[],
): Promise<readonly Float32Array[]> {
  const vectors = new ClusteredVectors(SPREAD, 1)
  // The index is built once, at the end.
  const writer = new LanceDbVectorIndex(join(dataDir, VECTORS), { maintains: false })
  const exact = queries.map(() => new Float32Array(documents.length * WINDOWS_PER_DOCUMENT))
  for (let at = 0; at < documents.length; at += DOCUMENTS_AT_ONCE) {
    const rows = documents
      .slice(at, at + DOCUMENTS_AT_ONCE)
      .map((document) => vectors.rows(document, WINDOWS_PER_DOCUMENT))
    for (const [row, { vectors: all }] of rows.entries()) {
      for (let window = 0; window < WINDOWS_PER_DOCUMENT; window += 1) {
        const vector = all.subarray(window * DIMENSIONS, (window + 1) * DIMENSIONS)
        for (const [query, similarities] of exact.entries())
          similarities[(at + row) * WINDOWS_PER_DOCUMENT + window] = dot(vector, queries[query] ?? vector)
      }
    }
    await Promise.all(rows.map((each) => writer.add(COLLECTION, each)))
  }
  await writer.close()
  const index = new LanceDbVectorIndex(join(dataDir, VECTORS))
  // The index maintains only collections that are open, so this opens it.
  await index.count(COLLECTION.name, 1)
  await index.whenMaintained()
  if (index.maintenanceError !== undefined) throw index.maintenanceError
  await index.close()
  return exact
}

/** The vectors have the length 1, so this is the cosine. */
function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let at = 0; at < one.length; at += 1) sum += (one[at] ?? 0) * (other[at] ?? 0)
  return sum
}

async function searchFiltered({ dataDir, windows, isQuick }: FilterTask): Promise<readonly FilterFigures[]> {
  const indexes = await openIndexes(dataDir)
  const asked = isQuick ? 5 : QUERIES
  const exact = await Promise.all(
    Array.from({ length: asked }, async (_, query) => {
      const { buffer, byteOffset, length } = await readFile(exactPath(dataDir, query))
      return new Float32Array(buffer.slice(byteOffset, byteOffset + length))
    }),
  )
  const allWords = await searchAllWords(indexes, windows)
  const rows: FilterFigures[] = []
  for (const percent of PERCENTS) {
    const { ids, findMs } = await findFiltered(indexes.storage, percent)
    if (ids.length === 0) continue
    const found = await searchBoth(indexes, asked, { only: ids })
    const recalls = { recall: recallOf(found, exact, ids), wordsRecall: wordsRecallOf(found, allWords, ids) }
    rows.push(figuresOf({ selected: `${percent}%`, documents: ids.length, findMs }, found, recalls))
  }
  await closeIndexes(indexes)
  return rows
}

/** Both indexes' answers with a filter, and their times with and without it. */
interface Found {
  readonly vectors: Timed<readonly VectorHit[]>
  readonly words: Timed<LexicalAnswer>
}

async function searchBoth({ vectors, words }: Indexes, asked: number, documents: DocumentIds): Promise<Found> {
  const queries = drawQueries(asked)
  const wordQueries = queries.map((_, at) => wordQuery(at))
  return {
    vectors: await timed(
      queries,
      documents,
      async (query, options) => await vectors.search(COLLECTION, query, options),
    ),
    words: await timed(wordQueries, documents, async (query, options) => {
      return await words.search(COLLECTION.name, query, options)
    }),
  }
}

interface Timed<Answer> {
  readonly filteredMs: number
  readonly unfilteredMs: number
  /** The answers with the filter. */
  readonly answers: readonly Answer[]
}

/** Searches with a filter and without it in turn, because the load of the machine changes. */
async function timed<Query, Answer>(
  queries: readonly Query[],
  documents: DocumentIds,
  search: (query: Query, options: { readonly limit: number; readonly documents?: DocumentIds }) => Promise<Answer>,
): Promise<Timed<Answer>> {
  const answers: Answer[] = []
  const filtered = async (at: number): Promise<unknown> => {
    const query = queries[at] ?? queries[0]
    return query === undefined ? undefined : (answers[at] = await search(query, { limit: LIMIT, documents }))
  }
  const unfiltered = async (at: number): Promise<unknown> => {
    const query = queries[at] ?? queries[0]
    return query === undefined ? undefined : await search(query, { limit: LIMIT })
  }
  for (let at = 0; at < Math.min(WARM_UPS, queries.length); at += 1) {
    await filtered(at)
    await unfiltered(at)
  }
  const [filteredMs, unfilteredMs] = await bothInTurn(queries.length, filtered, unfiltered)
  return { filteredMs: hundredths(filteredMs), unfilteredMs: hundredths(unfilteredMs), answers }
}

function figuresOf(
  row: Pick<FilterFigures, 'selected' | 'documents' | 'findMs'>,
  { vectors, words }: Found,
  { recall, wordsRecall }: Pick<FilterFigures, 'recall' | 'wordsRecall'>,
): FilterFigures {
  return {
    ...row,
    vectorsMs: vectors.filteredMs,
    unfilteredMs: vectors.unfilteredMs,
    vectorsRatio: hundredths(vectors.filteredMs / vectors.unfilteredMs),
    recall,
    wordsMs: words.filteredMs,
    wordsRatio: hundredths(words.filteredMs / words.unfilteredMs),
    wordsRecall,
  }
}

async function findFiltered(
  storage: Storage,
  percent: number,
): Promise<{ readonly ids: readonly number[]; readonly findMs: number }> {
  const filter = { metadata: { [`p${percent}`]: 1 } }
  const find = async (): Promise<readonly number[]> =>
    await storage.read(({ documents }) => documents.filtered(1, filter))
  const ids = await find()
  return { ids, findMs: hundredths(quantile(await timesOf(10, find), 0.5)) }
}

/** The share of the exact answers that the searches find. */
function recallOf({ vectors }: Found, exact: readonly Float32Array[], ids: readonly number[]): number {
  let [found, wanted] = [0, 0]
  for (const [query, answer] of vectors.answers.entries()) {
    const passing = similaritiesOf(exact[query] ?? new Float32Array(), ids).sort()
    const count = Math.min(LIMIT, passing.length)
    const least = (passing[passing.length - count] ?? 0) - SAME_SIMILARITY
    found += answer.filter(({ similarity }) => similarity >= least).length
    wanted += count
  }
  return thousandths(found / wanted)
}

/** The similarities of the windows of documents. */
function similaritiesOf(all: Float32Array, ids: readonly number[]): Float32Array {
  const chosen = new Float32Array(ids.length * WINDOWS_PER_DOCUMENT)
  for (const [at, id] of ids.entries()) {
    const from = (id - 1) * WINDOWS_PER_DOCUMENT
    chosen.set(all.subarray(from, from + WINDOWS_PER_DOCUMENT), at * WINDOWS_PER_DOCUMENT)
  }
  return chosen
}

/** Finds all hits of the first queries. */
async function searchAllWords({ words }: Indexes, windows: number): Promise<readonly (readonly LexicalHit[])[]> {
  const all: (readonly LexicalHit[])[] = []
  for (let query = 0; query < COMPARED_BY_WORDS; query += 1)
    all.push((await words.search(COLLECTION.name, wordQuery(query), { limit: windows })).hits)
  return all
}

/** The share of the best hits among all hits that pass the filter. */
function wordsRecallOf({ words }: Found, all: readonly (readonly LexicalHit[])[], ids: readonly number[]): number {
  const passing = new Set(ids)
  let [found, wanted] = [0, 0]
  for (const [query, hits] of all.entries()) {
    const best = hits.filter(({ documentId }) => passing.has(documentId)).slice(0, LIMIT)
    const names = new Set(best.map(nameOf))
    found += (words.answers[query]?.hits ?? []).filter((hit) => names.has(nameOf(hit))).length
    wanted += best.length
  }
  return wanted === 0 ? 1 : thousandths(found / wanted)
}

function nameOf({ documentId, chunk }: LexicalHit): string {
  return `${documentId}:${chunk}`
}

function thousandths(value: number): number {
  return Math.round(value * 1_000) / 1_000
}

const [step = '', task = ''] = process.argv.slice(2)
const work = STEPS[step as keyof FilterSteps] as (task: unknown) => Promise<unknown>
console.log(JSON.stringify(await work(JSON.parse(task))))

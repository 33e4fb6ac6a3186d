import type { Table, VectorQuery } from '@lancedb/lancedb'
import type { Table as ArrowTable, Vector } from 'apache-arrow'
import pLimit from 'p-limit'
import {
  type DocumentFilter,
  type IndexedChunk,
  type NearestWindow,
  passesOf,
  type VectorHit,
  type VectorSearchOptions,
} from '../../src/ports/index.js'
import { loadArrowRows, type OpenTable } from './open-table.js'
import { type LookUp, probesFor, type SearchPlan } from './search-plan.js'
import {
  CHUNK_KEY,
  chunkKey,
  chunkKeysPredicate,
  documentPredicate,
  keysPredicate,
  NO_DOCUMENT,
  readIndexBuildTime,
  VECTOR_INDEX,
} from './table-schema.js'

/** The number of concurrent scans: each may use some hundreds of megabytes. */
const MAX_SCANS = 3
/** The number of concurrent searches by index: more are not finished sooner. */
const MAX_LOOKUPS = 16
/** So few rows are compared one by one about as quickly as an index finds the nearest of them. */
const FEW_ROWS = 5_000
/**
 * A factor for the number of exact comparisons if a filter hides rows. The remaining rows are about equally far away,
 * and 4 bits do not tell them apart. Recall at 10 of 10,000 rows was 0.991 without this factor. It was 0.9986 with a
 * factor of two (0.987 for 30 queries once), and 1 with four, which takes a quarter longer.
 */
const REFINE_FACTOR_IF_FILTERED = 4
/** A longer list of documents takes the table longer to look up than a wider search without a filter. */
const MAX_SHORT_LIST = 400
/** Factor by which the first search without a filter exceeds the limit: enough if a third of the rows pass. */
const FIRST_EXCESS = 3
/** Reserve of the further searches without a filter: rows that pass are not spread evenly. */
const EXCESS_RESERVE = 1.5
/** Reading and comparing one row of a wider search takes as long as looking up this many documents of a filter. */
const LISTED_PER_ROW = 5
/** More than any index has. */
const ALL_PARTITIONS = 65_536

/** Finds the rows nearest to a vector: by the index if the index is known to find them, otherwise by a scan. */
export class TableSearch {
  readonly #scanSlots = pLimit(MAX_SCANS)
  readonly #lookUpSlots = pLimit(MAX_LOOKUPS)

  async nearest(open: OpenTable, vector: Float32Array, options: VectorSearchOptions): Promise<readonly VectorHit[]> {
    const { limit, documents } = options
    const isLong = documents !== undefined && listedBy(documents) > MAX_SHORT_LIST
    if (isLong) {
      const hits = await this.#nearestThatPass(open, vector, limit, documents)
      if (hits !== undefined) return hits
    }
    const predicate = documentPredicate(documents)
    if (predicate === NO_DOCUMENT) return []
    const query = (): VectorQuery => {
      const nearest = open.table.query().nearestTo(vector).distanceType('cosine').limit(limit)
      // The filter applies before distances are compared, so a scan misses nothing.
      return predicate === undefined ? nearest : nearest.where(predicate)
    }
    const lookUp = isLong ? await lookUpInAll(open, limit) : await chooseLookUp(open, limit, documents)
    if (lookUp !== undefined) {
      prewarm(open)
      const hits = await this.#lookUpSlots(() =>
        readHits(query().nprobes(lookUp.probes).refineFactor(lookUp.refineFactor)),
      )
      // With fewer hits, the partitions have too few rows that pass, or no more exist. A scan decides.
      if (hits.length >= limit) return hits
    }
    return await this.#scanSlots(() => readHits(query().bypassVectorIndex()))
  }

  /**
   * Searches without a filter, and selects the hits that pass. Widens the search until enough of them do. All nearest
   * rows are among the hits, so the recall is that of a search without a filter.
   *
   * @returns `undefined` if there is no index, or if a filter in the table is faster
   */
  async #nearestThatPass(
    open: OpenTable,
    vector: Float32Array,
    limit: number,
    documents: DocumentFilter,
  ): Promise<readonly VectorHit[] | undefined> {
    const plan = await currentPlan(open)
    const most = plan?.probes.at(-1)?.rank ?? 0
    const passes = passesOf(documents)
    for (let [wanted, last] = [Math.min(most, limit * FIRST_EXCESS), limit - 1]; wanted > last; ) {
      const lookUp = plan && probesFor(plan, wanted)
      if (lookUp === undefined) return undefined
      prewarm(open)
      const { probes, refineFactor } = lookUp
      const search = () => open.table.query().nearestTo(vector).distanceType('cosine').limit(wanted)
      const hits = await this.#lookUpSlots(() => readHits(search().nprobes(probes).refineFactor(refineFactor)))
      const passing = hits.filter(({ documentId }) => passes(documentId))
      if (passing.length >= limit) return passing.slice(0, limit)
      last = wanted
      // The share of the nearest rows that pass tells how many must be read for enough of them.
      const needed = Math.ceil((limit / Math.max(1, passing.length)) * wanted)
      if (needed > most || listedBy(documents) < needed * LISTED_PER_ROW) return undefined
      wanted = Math.min(most, Math.ceil(needed * EXCESS_RESERVE))
    }
    return undefined
  }
}

function listedBy(documents: DocumentFilter): number {
  return ('only' in documents ? documents.only : documents.except).length
}

/**
 * Loads the whole index into memory at the first search: a process that only writes does not need it. A search in the
 * meantime waits only for the parts that it reads.
 */
function prewarm(open: OpenTable): void {
  if (open.isWarm) return
  open.isWarm = true
  open.table.prewarmIndex(VECTOR_INDEX).catch(() => undefined)
}

/** Chooses how to search the index; `undefined` if a scan is necessary. */
async function chooseLookUp(
  open: OpenTable,
  limit: number,
  filter: DocumentFilter | undefined,
): Promise<LookUp | undefined> {
  const { table } = open
  const plan = await currentPlan(open)
  if (plan === undefined) return undefined
  const hidden = await countHiddenRows(table, filter)
  if (hidden === undefined) return undefined
  // In the worst case, all hidden rows are nearer than the rows that pass.
  const [near, deep] = [probesFor(plan, limit), probesFor(plan, limit + hidden)]
  if (near === undefined || deep === undefined) return undefined
  return { probes: deep.probes, refineFactor: near.refineFactor * (hidden > 0 ? REFINE_FACTOR_IF_FILTERED : 1) }
}

/**
 * Chooses to search the whole index for the rows that pass a filter: no row is missed because its partition is not read.
 *
 * @returns `undefined` if a scan is necessary
 */
async function lookUpInAll(open: OpenTable, limit: number): Promise<LookUp | undefined> {
  const plan = await currentPlan(open)
  const near = plan && probesFor(plan, limit)
  return near && { probes: ALL_PARTITIONS, refineFactor: near.refineFactor * REFINE_FACTOR_IF_FILTERED }
}

/** Reads the plan of the table's index; `undefined` if the table has no index, or one that is not measured yet. */
async function currentPlan(open: OpenTable): Promise<SearchPlan | undefined> {
  if (open.plan === undefined || open.plan.probes.length === 0) await open.reloadPlan()
  if (open.plan === undefined || open.plan.probes.length === 0) return undefined
  // A write may load an index that was built in the meantime and is not measured yet.
  const builtAt = await readIndexBuildTime(open.table)
  if (builtAt !== open.plan.builtAt) await open.reloadPlan()
  return builtAt === open.plan.builtAt ? open.plan : undefined
}

/** Counts the rows that do not pass; `undefined` if so few pass that the index is useless. */
async function countHiddenRows(table: Table, filter: DocumentFilter | undefined): Promise<number | undefined> {
  if (filter === undefined) return 0
  const rows = await table.countRows()
  const ids = 'only' in filter ? filter.only : filter.except
  const listed = ids.length === 0 ? 0 : await table.countRows(`document IN (${ids.join(',')})`)
  const passing = 'only' in filter ? listed : rows - listed
  return passing <= FEW_ROWS ? undefined : rows - passing
}

async function readHits(query: VectorQuery): Promise<VectorHit[]> {
  const { KEY_COLUMNS, toHits } = await loadArrowRows()
  return toHits(await query.select([...KEY_COLUMNS, '_distance']).toArrow())
}

type WindowsByChunk = Map<bigint, NearestWindow>

/** Finds the window of each chunk that is nearest to any of the queries; `undefined` for a chunk without windows. */
export async function findNearestWindows(
  table: Table,
  queries: readonly Float32Array[],
  chunks: readonly IndexedChunk[],
): Promise<readonly (NearestWindow | undefined)[]> {
  const units = queries.map(toUnitVector)
  const nearest: WindowsByChunk = new Map()
  for (const rows of await readRowsOfChunks(table, chunks, ['window', 'vector'])) collectNearest(rows, units, nearest)
  return chunks.map((chunk) => nearest.get(chunkKey(chunk)))
}

function collectNearest(rows: ArrowTable, units: readonly Float64Array[], nearest: WindowsByChunk): void {
  for (const batch of rows.batches) {
    const keyOf = chunkKeyReader(batch)
    const windows = columnNumbers(batch.getChild('window'))
    const values = batch.getChild('vector')?.data[0]?.children[0]?.values as Float32Array | undefined
    if (values === undefined) continue
    const dimensions = values.length / batch.numRows
    for (let row = 0; row < batch.numRows; row += 1) {
      const vector = values.subarray(row * dimensions, (row + 1) * dimensions)
      const similarity = greatestCosine(vector, units)
      const window = windows[row] ?? 0
      const key = keyOf(row)
      const best = nearest.get(key)
      const isNearer =
        best === undefined || similarity > best.similarity || (similarity === best.similarity && window < best.window)
      if (isNearer) nearest.set(key, { window, similarity })
    }
  }
}

/** Returns 0 for a vector of zeros. */
function greatestCosine(vector: Float32Array, units: readonly Float64Array[]): number {
  let squares = 0
  for (const value of vector) squares += value * value
  const length = Math.sqrt(squares) || 1
  let greatest = Number.NEGATIVE_INFINITY
  for (const unit of units) greatest = Math.max(greatest, dot(vector, unit) / length)
  return greatest
}

/** Four separate sums are twice as fast as one. */
function dot(vector: Float32Array, unit: Float64Array): number {
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  for (let at = 0; at < vector.length; at += 4) {
    a += (vector[at] ?? 0) * (unit[at] ?? 0)
    b += (vector[at + 1] ?? 0) * (unit[at + 1] ?? 0)
    c += (vector[at + 2] ?? 0) * (unit[at + 2] ?? 0)
    d += (vector[at + 3] ?? 0) * (unit[at + 3] ?? 0)
  }
  return a + b + c + d
}

function toUnitVector(query: Float32Array): Float64Array {
  let squares = 0
  for (const value of query) squares += value * value
  const length = Math.sqrt(squares) || 1
  return Float64Array.from(query, (value) => value / length)
}

interface Columns {
  getChild(name: string): Vector | null
}

/**
 * Reads columns of the rows of chunks, in any order, as one or two tables. {@link chunkKeyReader} gives the chunk of a
 * row. One read of the index on {@link CHUNK_KEY} takes 3 ms for 300 rows with vectors in 100,000. A predicate on
 * documents and ordinals takes 18 ms.
 */
async function readRowsOfChunks(
  table: Table,
  chunks: readonly IndexedChunk[],
  columns: readonly string[],
): Promise<readonly ArrowTable[]> {
  const byKey = new Map(chunks.map((chunk) => [chunkKey(chunk), chunk]))
  if (byKey.size === 0) return []
  const hasKey = (await table.schema()).fields.some(({ name }) => name === CHUNK_KEY)
  const read = async (predicate: string, key: readonly string[]): Promise<ArrowTable> =>
    await table
      .query()
      .where(predicate)
      .select([...key, ...columns])
      .toArrow()
  if (!hasKey) return [await read(keysPredicate([...byKey.values()]), ['document', 'chunk'])]
  const found = await read(chunkKeysPredicate([...byKey.values()]), [CHUNK_KEY])
  for (const batch of found.batches) {
    const keyOf = chunkKeyReader(batch)
    for (let row = 0; row < batch.numRows; row += 1) byKey.delete(keyOf(row))
  }
  if (byKey.size === 0) return [found]
  // Rows that an earlier version wrote have no key until maintenance adds it.
  const withoutKey = `${CHUNK_KEY} IS NULL AND (${keysPredicate([...byKey.values()])})`
  return [found, await read(withoutKey, ['document', 'chunk'])]
}

/** Returns a function that gives the {@link chunkKey} of the chunk of a row. */
function chunkKeyReader(batch: Columns): (row: number) => bigint {
  const keys = batch.getChild(CHUNK_KEY)?.toArray() as BigInt64Array | undefined
  if (keys !== undefined) return (row) => keys[row] ?? 0n
  const documents = columnNumbers(batch.getChild('document'))
  const chunks = columnNumbers(batch.getChild('chunk'))
  return (row) => chunkKey({ documentId: documents[row] ?? 0, chunk: chunks[row] ?? 0 })
}

function columnNumbers(column: Vector | null): ArrayLike<number> {
  return (column?.toArray() ?? []) as ArrayLike<number>
}

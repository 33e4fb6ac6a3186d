import type { Table, VectorQuery } from '@lancedb/lancedb'
import pLimit from 'p-limit'
import {
  type DocumentIds,
  hasDirection,
  type IndexedChunk,
  type NearestWindow,
  passesOf,
  type VectorHit,
  type VectorSearchOptions,
} from '../../../src/ports/index.js'
import { SmallTables } from '../copies/small-tables.js'
import { loadArrowRows, type OpenTable } from '../open-table.js'
import { type LookUp, probesFor, type SearchPlan } from '../search-plan.js'
import {
  CHUNK_KEY,
  chunkOf,
  documentPredicate,
  NO_DOCUMENT,
  readIndexBuildTime,
  VECTOR_INDEX,
} from '../table-schema.js'
import { findNearestOf, findNearestWindows, type RowOfChunk } from './nearest-windows.js'

/** The number of concurrent scans: each may use some hundreds of megabytes. */
const MAX_SCANS = 3
/** The number of concurrent searches by index: more are not finished sooner. */
const MAX_LOOKUPS = 16
/** So few rows are compared one by one about as quickly as an index finds the nearest of them. */
const FEW_ROWS = 5_000
/**
 * So few rows of a long list of documents are compared one by one sooner than the whole index is searched for them. In a
 * million rows, 10,000 of them take a fifth less.
 */
const FEW_ROWS_OF_LONG_LIST = 12_000
/** The rows of more documents are not counted: counting those of 1,000 takes 3 ms. */
const MAX_COUNTED_LIST = 2_000
/**
 * A factor for the number of exact comparisons if a filter hides rows. The remaining rows are about equally far away,
 * and 4 bits do not tell them apart. Recall at 10 of 10,000 rows was 0.991 without this factor. It was 0.9986 with a
 * factor of two (0.987 for 30 queries once), and 1 with four, which takes a quarter longer.
 */
const REFINE_FACTOR_IF_FILTERED = 4
/** A longer list of documents takes the table longer to look up than a wider search without a filter. */
const MAX_SHORT_LIST = 400
/**
 * Factor by which the first search without a filter exceeds the limit if the number of documents is not known: enough
 * if a third of the rows pass.
 */
const FIRST_EXCESS = 3
/** Reserve of the searches without a filter: rows that pass are not spread evenly. */
const EXCESS_RESERVE = 1.5
/** The column in which Lance gives the address of a row. */
const ROW_ID = '_rowid'
/** More than any index has. */
const ALL_PARTITIONS = 65_536

/**
 * Finds the rows nearest to a vector: in memory if the table is small, by the index if the index is known to find them,
 * otherwise by a scan.
 */
export class TableSearch {
  readonly #scanSlots = pLimit(MAX_SCANS)
  readonly #lookUpSlots = pLimit(MAX_LOOKUPS)

  constructor(private readonly small: SmallTables) {}

  async nearest(open: OpenTable, vector: Float32Array, options: VectorSearchOptions): Promise<readonly VectorHit[]> {
    if (!hasDirection(vector)) return []
    const copy = await this.small.copyOf(open, vector.length)
    if (copy !== undefined) return copy.nearest(vector, options)
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
    const lookUp = isLong ? await lookUpForLongList(open, limit, documents) : await chooseLookUp(open, limit, documents)
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

  /** Finds the window of each chunk that is nearest to any of the queries; `undefined` for a chunk without windows. */
  async nearestWindows(
    open: OpenTable,
    queries: readonly Float32Array[],
    chunks: readonly IndexedChunk[],
  ): Promise<readonly (NearestWindow | undefined)[]> {
    const copy = await this.small.copyOf(open, queries[0]?.length ?? 0)
    return copy?.nearestWindows(queries, chunks) ?? (await findNearestWindows(open.table, queries, chunks))
  }

  /**
   * Searches without a filter, selects the rows that pass, and compares the nearest of them exactly. Widens the search
   * until enough rows pass. All nearest rows are among the candidates, so the recall is that of a search without a
   * filter.
   *
   * @returns `undefined` if there is no index, or if a filter in the table is faster
   */
  async #nearestThatPass(
    open: OpenTable,
    vector: Float32Array,
    limit: number,
    documents: DocumentIds,
  ): Promise<readonly VectorHit[] | undefined> {
    const plan = await currentPlan(open)
    if (plan === undefined) return undefined
    const most = plan.probes.at(-1)?.rank ?? 0
    const passes = passesOf(documents)
    const expected = limit * excessFor(documents, open.estimatedDocuments)
    // Only the first search does not know the number of documents. A later one would search in vain.
    if (expected > most && open.estimatedDocuments !== undefined) return undefined
    const first = expected > most ? limit * FIRST_EXCESS : expected
    for (let [rank, last] = [Math.min(most, first), limit - 1]; rank > last; ) {
      const lookUp = probesFor(plan, rank)
      if (lookUp === undefined) return undefined
      prewarm(open)
      const { probes, refineFactor } = lookUp
      const candidates = await this.#lookUpSlots(() => readCandidates(open.table, vector, rank * refineFactor, probes))
      const passing = candidates.filter(({ chunk: { documentId } }) => passes(documentId))
      if ('only' in documents) {
        open.estimatedDocuments = (documents.only.length * candidates.length) / Math.max(1, passing.length)
      }
      const wanted = limit * refineFactor
      if (passing.length >= wanted) {
        const nearest = passing.slice(0, wanted)
        const hits = await this.#lookUpSlots(() => findNearestOf(open.table, vector, nearest, limit))
        // With fewer hits, rows were deleted in the meantime.
        return hits.length >= limit ? hits : undefined
      }
      last = rank
      // The share of the candidates that pass tells how many must be read for enough of them.
      const needed = Math.ceil((wanted / Math.max(1, passing.length)) * rank)
      if (needed > most) return undefined
      rank = Math.min(most, Math.ceil(needed * EXCESS_RESERVE))
    }
    return undefined
  }
}

/** Factor by which the first search without a filter exceeds the limit. */
function excessFor(documents: DocumentIds, estimatedDocuments: number | undefined): number {
  if (estimatedDocuments === undefined || !('only' in documents)) return FIRST_EXCESS
  return Math.ceil(EXCESS_RESERVE * Math.max(1, estimatedDocuments / documents.only.length))
}

function listedBy(documents: DocumentIds): number {
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
  filter: DocumentIds | undefined,
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
 * Corrects the estimated number of documents if the rows can be counted.
 *
 * @returns `undefined` if a scan is necessary, or faster
 */
async function lookUpForLongList(open: OpenTable, limit: number, documents: DocumentIds): Promise<LookUp | undefined> {
  const plan = await currentPlan(open)
  const near = plan && probesFor(plan, limit)
  if (near !== undefined && listedBy(documents) <= MAX_COUNTED_LIST) {
    const { rows, passing } = await countPassingRows(open.table, documents)
    if ('only' in documents) open.estimatedDocuments = (documents.only.length * rows) / Math.max(1, passing)
    if (passing <= FEW_ROWS_OF_LONG_LIST) return undefined
  }
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
async function countHiddenRows(table: Table, filter: DocumentIds | undefined): Promise<number | undefined> {
  if (filter === undefined) return 0
  const { rows, passing } = await countPassingRows(table, filter)
  return passing <= FEW_ROWS ? undefined : rows - passing
}

async function countPassingRows(
  table: Table,
  filter: DocumentIds,
): Promise<{ readonly rows: number; readonly passing: number }> {
  const rows = await table.countRows()
  const ids = 'only' in filter ? filter.only : filter.except
  const listed = ids.length === 0 ? 0 : await table.countRows(`document IN (${ids.join(',')})`)
  return { rows, passing: 'only' in filter ? listed : rows - listed }
}

async function readHits(query: VectorQuery): Promise<VectorHit[]> {
  const { KEY_COLUMNS, toHits } = await loadArrowRows()
  return toHits(await query.select([...KEY_COLUMNS, '_distance']).toArrow())
}

/**
 * Finds the rows that are nearest by the distances of the index, the nearest first. Does not read their vectors: to
 * compare a row exactly takes several times as long as to find it.
 */
async function readCandidates(
  table: Table,
  vector: Float32Array,
  count: number,
  probes: number,
): Promise<readonly RowOfChunk[]> {
  const nearest = table.query().nearestTo(vector).distanceType('cosine').limit(count).nprobes(probes)
  const rows = await nearest.withRowId().select([CHUNK_KEY, '_distance']).toArrow()
  const keys = rows.getChild(CHUNK_KEY)?.toArray() as BigInt64Array
  const rowIds = rows.getChild(ROW_ID)?.toArray() as BigUint64Array
  return Array.from(keys, (key, row) => ({ chunk: chunkOf(key), rowId: rowIds[row] ?? 0n }))
}

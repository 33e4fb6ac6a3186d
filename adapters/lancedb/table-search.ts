import type { Table, VectorQuery } from '@lancedb/lancedb'
import pLimit from 'p-limit'
import type { DocumentFilter, VectorHit, VectorSearchOptions } from '../../src/ports/index.js'
import { documentPredicate, NO_DOCUMENT } from './document-predicates.js'
import { loadArrowRows } from './load-arrow-rows.js'
import type { OpenTable } from './open-table.js'
import { type LookUp, probesFor } from './search-plan.js'
import { readIndexBuildTime, VECTOR_INDEX } from './table-facts.js'

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

/** Finds the rows nearest to a vector: by the index if the index is known to find them, otherwise by a scan. */
export class TableSearch {
  readonly #scanSlots = pLimit(MAX_SCANS)
  readonly #lookUpSlots = pLimit(MAX_LOOKUPS)

  async nearest(open: OpenTable, vector: Float32Array, options: VectorSearchOptions): Promise<readonly VectorHit[]> {
    const { limit, documents } = options
    const predicate = documentPredicate(documents)
    if (predicate === NO_DOCUMENT) return []
    const query = (): VectorQuery => {
      const nearest = open.table.query().nearestTo(vector).distanceType('cosine').limit(limit)
      // The filter applies before distances are compared, so a scan misses nothing.
      return predicate === undefined ? nearest : nearest.where(predicate)
    }
    const lookUp = await chooseLookUp(open, limit, documents)
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
  if (open.plan === undefined || open.plan.probes.length === 0) await open.reloadPlan()
  if (open.plan === undefined || open.plan.probes.length === 0) return undefined
  // A write may load an index that was built in the meantime and is not measured yet.
  const builtAt = await readIndexBuildTime(table)
  if (builtAt !== open.plan.builtAt) await open.reloadPlan()
  const { plan } = open
  if (builtAt !== plan.builtAt) return undefined
  const hidden = await countHiddenRows(table, filter)
  if (hidden === undefined) return undefined
  // In the worst case, all hidden rows are nearer than the rows that pass.
  const [near, deep] = [probesFor(plan, limit), probesFor(plan, limit + hidden)]
  if (near === undefined || deep === undefined) return undefined
  return { probes: deep.probes, refineFactor: near.refineFactor * (hidden > 0 ? REFINE_FACTOR_IF_FILTERED : 1) }
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

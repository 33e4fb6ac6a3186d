import type { Table, VectorQuery } from '@lancedb/lancedb'
import { exactNeighbours } from './exact-neighbours.js'
import type { Probes } from './search-plan.js'
import { REFINE_FACTOR } from './table-search.js'

/** Ranks up to which searches are measured: those beyond are scans. */
const RANKS = [10, 40, 160, 640, 2_560]
/** What must be found of the nearest rows, on average; above what is promised, for a sample is one. */
const TARGET_RECALL = 0.995
/** Rows of the table that are searched for. Fewer where many of their neighbours are looked at. */
const SAMPLE = 80
const SMALL_SAMPLE = 20
/** Up to this rank all of them. */
const SAMPLE_RANK = 40
const FIRST_PROBES = 4
/** More partitions cost little; a sample may have missed the queries that need them. */
const MARGIN = 2
/** More partitions than Lance makes by default, one for each 4,096 rows. */
const ROWS_PER_PARTITION = 2_048

/**
 * Measures how many partitions of the vector index must be searched, for rising ranks, so that the
 * rows nearest to rows of the table are found. Ends where no number of them is enough.
 */
export async function measureProbes(table: Table): Promise<Probes[]> {
  const rows = await table.countRows()
  const samples = await sampleVectors(table, rows)
  const most = Math.ceil(rows / ROWS_PER_PARTITION) + FIRST_PROBES
  const measured: Probes[] = []
  const exact = await samplesOf(table, samples, rows)
  let probes = FIRST_PROBES
  for (const rank of RANKS) {
    if (rank > rows / 4) break
    const chosen = exact.slice(0, rank > SAMPLE_RANK ? SMALL_SAMPLE : SAMPLE)
    while ((await recallOf(table, chosen, rank, probes)) < TARGET_RECALL) {
      if (probes >= most) return measured
      probes *= 2
    }
    measured.push({ rank, probes: probes * MARGIN })
  }
  return measured
}

/** A vector that is searched for, and the rows nearest to it, nearest first. */
interface Sample {
  readonly vector: Float32Array
  readonly nearest: readonly bigint[]
}

async function sampleVectors(table: Table, rows: number): Promise<Float32Array[]> {
  const offsets = Array.from({ length: Math.min(SAMPLE, rows) }, () => Math.floor(Math.random() * rows))
  const found = await table
    .takeOffsets([...new Set(offsets)])
    .select(['vector'])
    .toArrow()
  return Array.from(found.getChild('vector') ?? [], (vector) => (vector as { toArray(): Float32Array }).toArray())
}

async function samplesOf(table: Table, vectors: readonly Float32Array[], rows: number): Promise<Sample[]> {
  const most = RANKS.filter((rank) => rank <= rows / 4).at(-1) ?? 0
  const ranks = vectors.map((_, at) => (at < SMALL_SAMPLE ? most : Math.min(most, SAMPLE_RANK)))
  // The nearest of all is the row itself.
  const wanted = vectors.map((vector, at) => ({ vector, count: (ranks[at] ?? 0) + 1 }))
  const nearest = await exactNeighbours(table, wanted)
  return vectors.map((vector, at) => ({ vector, nearest: nearest[at] ?? [] }))
}

async function recallOf(table: Table, samples: readonly Sample[], rank: number, probes: number): Promise<number> {
  let found = 0
  for (const { vector, nearest } of samples) {
    const query = table.query().nearestTo(vector).distanceType('cosine').nprobes(probes).refineFactor(REFINE_FACTOR)
    const ids = new Set(await idsOf(query.limit(rank + 1)))
    // The nearest of all is the row itself, which is always found.
    found += nearest.slice(1, rank + 1).filter((id) => ids.has(id)).length
  }
  return found / (samples.length * rank)
}

/** Addresses of rows: they do not change while only this process works on the version it has opened. */
async function idsOf(query: VectorQuery): Promise<bigint[]> {
  const found = await query.withRowId().select(['_distance']).toArrow()
  return Array.from((found.getChild('_rowid')?.toArray() ?? []) as BigUint64Array)
}

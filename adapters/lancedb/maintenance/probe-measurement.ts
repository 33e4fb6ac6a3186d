import type { Table } from '@lancedb/lancedb'
import type { LookUp, Probes } from '../search-plan.js'
import { exactDistances } from './exact-distances.js'

/** Ranks up to which searches are measured. A search beyond the last one is a scan. */
const RANKS = [10, 40, 160, 640, 2_560]
/**
 * The share of the nearest rows that a search must find on average. It is above the promised recall because a sample is
 * not exact. Also, if the nearest rows are deleted later, the remaining ones are harder to tell apart (0.992 of a
 * million became 0.974).
 */
const TARGET_RECALL = 0.998
/** The target for ranks beyond {@link SAMPLE_RANK}, where each thousandth takes minutes. */
const TARGET_RECALL_OF_MANY = 0.995
/** The promised recall. It is enough if a wider search does not find more. */
const PROMISED_RECALL = 0.99
/** The number of sample rows. Ranks with many neighbours use fewer samples. */
const SAMPLE = 80
const SMALL_SAMPLE = 20
/** Up to this rank, all samples are used. */
const SAMPLE_RANK = 40
const FIRST_PROBES = 4
/** Similar rows have the same 4 bits, so many rows must be compared exactly. */
const MIN_REFINE_FACTOR = 3
const MAX_REFINE_FACTOR = 192
/** Reading one row by its address takes as long as scanning this many rows. */
const SCANNED_ROWS_PER_READ = 32
/** More partitions cost little, and the sample may lack the queries that need them. */
const PROBES_MARGIN = 2
/** More partitions than Lance makes by default, which is one for each 4,096 rows. */
const ROWS_PER_PARTITION = 2_048
/** Lance computes distances with 24 bits. Distances that differ by less than this count as equal. */
const SAME_DISTANCE = 1e-5

/**
 * Measures, for rising ranks, how many partitions a search must read and how many of the rows found it must compare
 * exactly. The target is to find the rows nearest to sample rows of the table. Stops at the first rank that no setting
 * satisfies.
 */
export async function measureProbes(table: Table): Promise<Probes[]> {
  const rows = await table.countRows()
  const maxProbes = Math.ceil(rows / ROWS_PER_PARTITION) + FIRST_PROBES
  const measured: Probes[] = []
  const samples = await takeSamples(table, rows)
  let probes = FIRST_PROBES
  for (const rank of RANKS) {
    if (rank > rows / 4) break
    const rankSamples = samples.slice(0, rank > SAMPLE_RANK ? SMALL_SAMPLE : SAMPLE)
    const measure = async (lookUp: LookUp): Promise<Measured> => ({
      ...lookUp,
      recall: await measureRecall(table, rankSamples, rank, lookUp),
    })
    let best = await measure({ probes, refineFactor: MIN_REFINE_FACTOR })
    const limits = { probes: maxProbes, refineFactor: maxRefineFactor(rank, rows) }
    const target = rank > SAMPLE_RANK ? TARGET_RECALL_OF_MANY : TARGET_RECALL
    while (best.recall < target) {
      const next = await findBetter(best, limits, measure)
      if (next === undefined || (next.recall <= best.recall && best.recall >= PROMISED_RECALL)) break
      best = next
    }
    if (best.recall < PROMISED_RECALL) return measured
    probes = best.probes
    measured.push({ rank, probes: probes * PROBES_MARGIN, refineFactor: best.refineFactor })
  }
  return measured
}

type Measured = LookUp & { readonly recall: number }

/** With a larger factor, a scan is as fast. */
function maxRefineFactor(rank: number, rows: number): number {
  return Math.min(MAX_REFINE_FACTOR, rows / SCANNED_ROWS_PER_READ / rank)
}

/** Tries twice the partitions and twice the exact comparisons, and returns the one that finds more. */
async function findBetter(
  { probes, refineFactor }: LookUp,
  limits: LookUp,
  measure: (lookUp: LookUp) => Promise<Measured>,
): Promise<Measured | undefined> {
  const wider = probes < limits.probes ? await measure({ probes: probes * 2, refineFactor }) : undefined
  const finer =
    refineFactor < limits.refineFactor ? await measure({ probes, refineFactor: refineFactor * 2 }) : undefined
  return wider !== undefined && wider.recall >= (finer?.recall ?? 0) ? wider : finer
}

/** A vector to search for, and the rising distances of the rows nearest to it. */
interface Sample {
  readonly vector: Float32Array
  readonly distances: readonly number[]
}

async function takeSamples(table: Table, rows: number): Promise<Sample[]> {
  const vectors = await takeSampleVectors(table, rows)
  const highestRank = RANKS.filter((rank) => rank <= rows / 4).at(-1) ?? 0
  const ranks = vectors.map((_, at) => (at < SMALL_SAMPLE ? highestRank : Math.min(highestRank, SAMPLE_RANK)))
  // The nearest row is always the sample row itself.
  const wanted = vectors.map((vector, at) => ({ vector, count: (ranks[at] ?? 0) + 1 }))
  const distances = await exactDistances(table, wanted)
  return vectors.map((vector, at) => ({ vector, distances: distances[at] ?? [] }))
}

/**
 * Takes sample vectors in random order: neither the order of the table nor that of the answer, which may be the same.
 */
async function takeSampleVectors(table: Table, rows: number): Promise<Float32Array[]> {
  const offsets = Array.from({ length: Math.min(SAMPLE, rows) }, () => Math.floor(Math.random() * rows))
  const found = await table
    .takeOffsets([...new Set(offsets)])
    .select(['vector'])
    .toArrow()
  const vectors = Array.from(found.getChild('vector') ?? [], (vector) =>
    (vector as { toArray(): Float32Array }).toArray(),
  )
  return vectors
    .filter((vector) => vector.some((value) => value !== 0))
    .map((vector) => ({ vector, sortKey: Math.random() }))
    .sort((one, other) => one.sortKey - other.sortKey)
    .map(({ vector }) => vector)
}

/**
 * Measures the share of the nearest rows that a search finds. Rows at the same distance are interchangeable, such as
 * the copies of a text that exists a hundred times.
 */
async function measureRecall(
  table: Table,
  samples: readonly Sample[],
  rank: number,
  { probes, refineFactor }: LookUp,
): Promise<number> {
  let found = 0
  for (const { vector, distances } of samples) {
    const farthest = (distances[rank] ?? Number.POSITIVE_INFINITY) + SAME_DISTANCE
    const query = table.query().nearestTo(vector).distanceType('cosine').nprobes(probes).refineFactor(refineFactor)
    const answer = await query
      .limit(rank + 1)
      .select(['_distance'])
      .toArrow()
    const nearDistances = Array.from((answer.getChild('_distance')?.toArray() ?? []) as Float32Array).filter(
      (distance) => distance <= farthest,
    )
    // One of them is the sample row itself, which is always found.
    found += Math.max(nearDistances.length - 1, 0)
  }
  return samples.length === 0 ? 0 : found / (samples.length * rank)
}

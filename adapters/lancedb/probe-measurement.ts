import type { Table } from '@lancedb/lancedb'
import { exactDistances } from './exact-distances.js'
import type { LookUp, Probes } from './search-plan.js'

/** Ranks up to which searches are measured: those beyond are scans. */
const RANKS = [10, 40, 160, 640, 2_560]
/**
 * What must be found of the nearest rows, on average: above what is promised, for a sample is one, and where the nearest
 * are deleted afterwards, those that are left are harder to tell apart (0.992 of a million became 0.974).
 */
const TARGET_RECALL = 0.998
/** Of ranks beyond {@link SAMPLE_RANK}, where each thousandth takes minutes. */
const TARGET_RECALL_OF_MANY = 0.995
/** What is promised: where to look at more does not find more of them, it is enough. */
const LEAST_RECALL = 0.99
/** Rows of the table that are searched for. Fewer where many of their neighbours are looked at. */
const SAMPLE = 80
const SMALL_SAMPLE = 20
/** Up to this rank all of them. */
const SAMPLE_RANK = 40
const FIRST_PROBES = 4
/** Rows that are alike have the same 4 bits: many must be compared exactly. */
const LEAST_REFINE_FACTOR = 3
const MOST_REFINE_FACTOR = 192
/** To look a row up takes as long as so many of a scan. */
const SCANNED_PER_LOOK_UP = 32
/** More partitions cost little; a sample may have missed the queries that need them. */
const MARGIN = 2
/** More partitions than Lance makes by default, one for each 4,096 rows. */
const ROWS_PER_PARTITION = 2_048
/** Lance computes distances with 24 bits: so far from each other, two are the same. */
const SAME_DISTANCE = 1e-5

/**
 * Measures how many partitions of the vector index must be searched, and how many of the rows found there be compared
 * exactly, for rising ranks, so that the rows nearest to rows of the table are found. Ends where nothing is enough.
 */
export async function measureProbes(table: Table): Promise<Probes[]> {
  const rows = await table.countRows()
  const mostProbes = Math.ceil(rows / ROWS_PER_PARTITION) + FIRST_PROBES
  const measured: Probes[] = []
  const samples = await samplesOf(table, rows)
  let probes = FIRST_PROBES
  for (const rank of RANKS) {
    if (rank > rows / 4) break
    const chosen = samples.slice(0, rank > SAMPLE_RANK ? SMALL_SAMPLE : SAMPLE)
    const recallWith = async (lookUp: LookUp): Promise<Measured> => ({
      ...lookUp,
      recall: await recallOf(table, chosen, rank, lookUp),
    })
    let best = await recallWith({ probes, refineFactor: LEAST_REFINE_FACTOR })
    const most = { probes: mostProbes, refineFactor: mostRefined(rank, rows) }
    const target = rank > SAMPLE_RANK ? TARGET_RECALL_OF_MANY : TARGET_RECALL
    while (best.recall < target) {
      const next = await better(best, most, recallWith)
      if (next === undefined || (next.recall <= best.recall && best.recall >= LEAST_RECALL)) break
      best = next
    }
    if (best.recall < LEAST_RECALL) return measured
    probes = best.probes
    measured.push({ rank, probes: probes * MARGIN, refineFactor: best.refineFactor })
  }
  return measured
}

type Measured = LookUp & { readonly recall: number }

/** Beyond, a scan is as fast. */
function mostRefined(rank: number, rows: number): number {
  return Math.min(MOST_REFINE_FACTOR, rows / SCANNED_PER_LOOK_UP / rank)
}

/** What finds more: twice the partitions, or twice the rows compared exactly. */
async function better(
  { probes, refineFactor }: LookUp,
  most: LookUp,
  recallWith: (lookUp: LookUp) => Promise<Measured>,
): Promise<Measured | undefined> {
  const wider = probes < most.probes ? await recallWith({ probes: probes * 2, refineFactor }) : undefined
  const finer =
    refineFactor < most.refineFactor ? await recallWith({ probes, refineFactor: refineFactor * 2 }) : undefined
  return wider !== undefined && wider.recall >= (finer?.recall ?? 0) ? wider : finer
}

/** A vector that is searched for, and how far away the rows nearest to it are, rising. */
interface Sample {
  readonly vector: Float32Array
  readonly distances: readonly number[]
}

async function samplesOf(table: Table, rows: number): Promise<Sample[]> {
  const vectors = await sampleVectors(table, rows)
  const most = RANKS.filter((rank) => rank <= rows / 4).at(-1) ?? 0
  const ranks = vectors.map((_, at) => (at < SMALL_SAMPLE ? most : Math.min(most, SAMPLE_RANK)))
  // The nearest of all is the row itself.
  const wanted = vectors.map((vector, at) => ({ vector, count: (ranks[at] ?? 0) + 1 }))
  const distances = await exactDistances(table, wanted)
  return vectors.map((vector, at) => ({ vector, distances: distances[at] ?? [] }))
}

/** In no order: neither that of the table nor that of the answer, which may be the same. */
async function sampleVectors(table: Table, rows: number): Promise<Float32Array[]> {
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
    .map((vector) => ({ vector, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ vector }) => vector)
}

/**
 * The share of the nearest rows that a search finds. Which of those it finds that are equally far away, such as those of
 * a text that is there a hundred times, does not matter.
 */
async function recallOf(
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
    const near = Array.from((answer.getChild('_distance')?.toArray() ?? []) as Float32Array).filter(
      (distance) => distance <= farthest,
    )
    // One of them is the row itself, which is always found.
    found += Math.max(near.length - 1, 0)
  }
  return samples.length === 0 ? 0 : found / (samples.length * rank)
}

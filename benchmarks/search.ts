/**
 * Search at the index port, for collections of 1,000 to 100,000 windows (with `--full` 1,000,000) of two sets of
 * vectors: time of one caller and of 64, recall@10 against the exact answer, memory; beside the plain exact scan of
 * LanceDB on the same table. Each measurement runs in a process of its own.
 */
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@lancedb/lancedb'
import { LanceDbVectorIndex } from '../dist/adapters/lancedb/index.js'
import type { VectorHit } from '../dist/src/ports/index.js'
import { ClusteredVectors, DIMENSIONS } from './clustered-vectors.js'
import { measure, quantile } from './measure.js'
import { writeReport } from './report.js'

const SETS = { easy: 0.5, hard: 1.2 }
type SetName = keyof typeof SETS
const COLLECTION = { name: 'windows', dimensions: DIMENSIONS }
const LIMIT = 10
const CALLERS = 64
/** One addition for so many windows, as the engine writes them. */
const WINDOWS_PER_WRITE = 1_000
const RECALL_TO_REACH = 0.99
const isQuick = process.argv.includes('--quick')
const SIZES = isQuick
  ? [1_000, 6_000]
  : [1_000, 10_000, 100_000, ...(process.argv.includes('--full') ? [1_000_000] : [])]
const CHOSEN = isQuick ? (['hard'] as const) : (Object.keys(SETS) as SetName[])
const QUERIES = isQuick ? 20 : 100
const INDEX_FROM_ROWS = isQuick ? 5_000 : 20_000

const [step, folder = '', set = '', size = ''] = process.argv.slice(2)
if (step === 'fill') await fill(folder, set as SetName, Number(size))
else if (step === 'search') await search(folder, set as SetName, Number(size))
else await main()

async function main(): Promise<void> {
  const rows: Record<string, unknown>[] = []
  for (const set of CHOSEN) {
    for (const size of SIZES) {
      const folder = await mkdtemp(join(tmpdir(), 'alcove-search-'))
      rows.push({
        set,
        windows: size,
        ...inProcess('fill', folder, set, size),
        ...inProcess('search', folder, set, size),
      })
      console.table(rows.slice(-1))
      await rm(folder, { recursive: true })
    }
  }
  if (!isQuick) writeReport('search', rows)
  if (rows.some((row) => Number(row['recallAt10']) < RECALL_TO_REACH)) {
    console.error(`a recall is below ${RECALL_TO_REACH}`)
    process.exitCode = 1
  }
}

function inProcess(step: string, folder: string, set: string, size: number): Record<string, unknown> {
  const program = ['--import', 'tsx', join(import.meta.dirname, 'search.ts')]
  const flags = isQuick ? ['--quick'] : []
  const { status, stdout } = spawnSync(process.execPath, [...program, step, folder, set, String(size), ...flags], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status !== 0) throw new Error(`${step} of ${size} ended with ${String(status)}`)
  return JSON.parse(stdout) as Record<string, unknown>
}

async function fill(folder: string, set: SetName, size: number): Promise<void> {
  const index = new LanceDbVectorIndex(folder, { indexFromRows: INDEX_FROM_ROWS })
  const vectors = new ClusteredVectors(SETS[set], 1)
  const began = performance.now()
  for (let at = 0; at < size; at += WINDOWS_PER_WRITE) {
    // Documents of 50 windows: so many of them in one write.
    const documents = Array.from({ length: WINDOWS_PER_WRITE / 50 }, (_, number) => at / 50 + number + 1)
    await Promise.all(documents.map((documentId) => index.add(COLLECTION, vectors.rows(documentId))))
  }
  const filled = performance.now()
  await index.whenMaintained()
  if (index.maintenanceError !== undefined) throw index.maintenanceError
  await index.close()
  console.log(JSON.stringify({ fillMs: round(filled - began), maintenanceMs: round(performance.now() - filled) }))
}

async function search(folder: string, set: SetName, size: number): Promise<void> {
  const vectors = new ClusteredVectors(SETS[set], 2)
  const queries = Array.from({ length: QUERIES }, () => vectors.next())
  const plain = await (await connect(folder)).openTable(COLLECTION.name)
  const scan = async (query: Float32Array): Promise<string[]> => {
    const nearest = plain.query().nearestTo(query).distanceType('cosine').bypassVectorIndex().limit(LIMIT)
    const found = await nearest.select(['document', 'chunk', '_distance']).toArrow()
    return found.toArray().map((row: { document: number; chunk: number }) => `${row.document}:${row.chunk}`)
  }
  const index = new LanceDbVectorIndex(folder, { indexFromRows: INDEX_FROM_ROWS })
  const find = async (query: Float32Array): Promise<string[]> =>
    (await index.search(COLLECTION, query, { limit: LIMIT })).map(nameOf)
  let next = 0
  const query = (): Float32Array => queries[next++ % QUERIES] ?? new Float32Array(DIMENSIONS)

  for (let run = 0; run < 10; run += 1) await find(query())
  let peakBytes = 0
  const watch = setInterval(() => {
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
  }, 10)
  const alone = await measure('alone', QUERIES, () => find(query()))
  const together = await atOnce(CALLERS, QUERIES * 4, () => find(query()))
  const peakMb = Math.round(peakBytes / 1e6)
  clearInterval(watch)
  const scanRuns = Math.min(QUERIES, 30)
  const scanned = await measure('scan', scanRuns, () => scan(query()))
  let found = 0
  for (const query of queries) {
    const exact = new Set(await scan(query))
    found += (await find(query)).filter((name) => exact.has(name)).length
  }
  const recallAt10 = found / (QUERIES * LIMIT)
  const deletion = await deletionMs(index, size)
  await index.close()
  const figures = {
    p50Ms: alone.medianMs,
    p95Ms: alone.p95Ms,
    perSecondWith64: Math.round(together.perSecond),
    p99MsWith64: together.p99Ms,
    peakMb,
    recallAt10: Math.round(recallAt10 * 1_000) / 1_000,
    deletionMs: deletion,
    plainScanP50Ms: scanned.medianMs,
    plainScanPerSecond: round(1_000 / scanned.medianMs),
  }
  console.log(JSON.stringify(figures))
}

async function atOnce(callers: number, runs: number, work: () => Promise<unknown>) {
  const times: number[] = []
  let begun = 0
  const start = performance.now()
  const call = async (): Promise<void> => {
    while (begun++ < runs) {
      const began = performance.now()
      await work()
      times.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: callers }, call))
  return { perSecond: (runs / (performance.now() - start)) * 1_000, p99Ms: quantile(times, 0.99) }
}

async function deletionMs(index: LanceDbVectorIndex, size: number): Promise<number> {
  let documentId = 0
  const deletions = Math.min(10, size / 50)
  const { medianMs } = await measure('deletion', deletions, () =>
    index.deleteDocument(COLLECTION.name, ++documentId, 0),
  )
  return medianMs
}

function nameOf({ documentId, chunk }: VectorHit): string {
  return `${documentId}:${chunk}`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

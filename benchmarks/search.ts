/**
 * P5: search at the index port, for collections of 1,000 to 1,000,000 windows of two sets of vectors: time of one caller
 * and of 64, recall@10 against the exact answer, memory; beside the plain exact scan of LanceDB on the same table, and,
 * for 100,000, its kinds of index as they come; then through the engine. Each measurement runs in a process of its own.
 */
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@lancedb/lancedb'
import { LanceDbVectorIndex } from '../dist/adapters/lancedb/index.js'
import type { VectorHit } from '../dist/src/ports/index.js'
import { ClusteredVectors, DIMENSIONS } from './clustered-vectors.js'
import { atOnce, inTurn, quantile, type Spread, timesOf } from './measure.js'
import { writeReport } from './report.js'
import { searchEngine } from './search-engine.js'
import { searchKinds } from './search-kinds.js'

const SETS = { easy: 0.5, hard: 1.2 }
type SetName = keyof typeof SETS
const COLLECTION = { name: 'windows', dimensions: DIMENSIONS }
const LIMIT = 10
const CALLERS = 64
/** One addition for so many windows, as the engine writes them. */
const WINDOWS_PER_WRITE = 1_000
const RECALL_TO_REACH = 0.99
const isQuick = process.argv.includes('--quick')
const SIZES = isQuick ? [6_000] : [1_000, 10_000, 100_000, 1_000_000]
const CHOSEN = isQuick ? (['hard'] as const) : (Object.keys(SETS) as SetName[])
const KINDS_SIZE = isQuick ? 6_000 : 100_000
const ENGINE_SIZES = isQuick ? [200] : [1_000, 10_000, 100_000]
const QUERIES = isQuick ? 20 : 100
const ROUNDS = isQuick ? 1 : 5
const SCANS = isQuick ? 5 : 20
const INDEX_FROM_ROWS = isQuick ? 5_000 : 20_000

const [step, folder = '', set = '', size = ''] = process.argv.slice(2)
if (step === 'fill') await fill(folder, set as SetName, Number(size))
else if (step === 'search') await search(folder, set as SetName, Number(size))
else if (step === 'kinds') print(await searchKinds(folder, COLLECTION.name, SETS[set as SetName], ROUNDS))
else if (step === 'engine') print(await searchEngine(Number(size), ROUNDS))
else await main()

async function main(): Promise<void> {
  const [rows, kinds, engine]: [Row[], Row[], Row[]] = [[], [], []]
  for (const set of CHOSEN) {
    for (const size of SIZES) {
      const folder = await mkdtemp(join(tmpdir(), 'alcove-search-'))
      const filled = inProcess('fill', folder, set, size) as Row
      rows.push({ set, windows: size, ...filled, ...(inProcess('search', folder, set, size) as Row) })
      show(rows.slice(-1))
      if (size === KINDS_SIZE) {
        const measured = inProcess('kinds', folder, set, size) as Row[]
        kinds.push(...measured.map((row) => ({ set, windows: size, ...row })))
        show(kinds)
      }
      await rm(folder, { recursive: true })
    }
  }
  for (const size of ENGINE_SIZES) engine.push(inProcess('engine', '-', '-', size) as Row)
  show(engine)
  if (!isQuick)
    writeReport('search', { 'at the index port': rows, 'kinds of index': kinds, 'through the engine': engine })
  if (rows.some((row) => Number(row['recallAt10']) < RECALL_TO_REACH)) {
    console.error(`a recall is below ${RECALL_TO_REACH}`)
    process.exitCode = 1
  }
}

type Row = Readonly<Record<string, unknown>>

function show(rows: readonly Row[]): void {
  const told = (value: unknown): unknown => (value as Partial<Spread> | undefined)?.median ?? value
  console.table(rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, told(value)]))))
}

function print(result: unknown): void {
  console.log(JSON.stringify(result))
}

function inProcess(step: string, folder: string, set: string, size: number): unknown {
  const program = ['--import', 'tsx', join(import.meta.dirname, 'search.ts')]
  const flags = isQuick ? ['--quick'] : []
  const { status, stdout } = spawnSync(process.execPath, [...program, step, folder, set, String(size), ...flags], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 2 ** 20,
  })
  if (status !== 0) throw new Error(`${step} of ${size} ended with ${String(status)}`)
  return JSON.parse(stdout)
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
  print({ fillMs: round(filled - began), maintenanceMs: round(performance.now() - filled) })
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
  let alone: number[] = []
  let together: number[] = []
  const measured = await inTurn(ROUNDS, [
    { name: 'p50Ms', run: async () => quantile((alone = await timesOf(QUERIES, () => find(query()))), 0.5) },
    { name: 'p99Ms', run: () => quantile(alone, 0.99) },
    {
      name: 'perSecondWith64',
      run: async () => {
        const { times, perSecond } = await atOnce(CALLERS, QUERIES * 4, () => find(query()))
        together = times
        return perSecond
      },
    },
    { name: 'p99MsWith64', run: () => quantile(together, 0.99) },
  ])
  // Plain scans take more memory than the engine's searches.
  const peakMb = Math.round(peakBytes / 1e6)
  clearInterval(watch)
  const scans = async (): Promise<number> => quantile(await timesOf(SCANS, () => scan(query())), 0.5)
  const scanned = await inTurn(ROUNDS, [{ name: 'plainScanP50Ms', run: scans }])
  let found = 0
  for (const query of queries) {
    const exact = new Set(await scan(query))
    found += (await find(query)).filter((name) => exact.has(name)).length
  }
  const recallAt10 = Math.round((found / (QUERIES * LIMIT)) * 1_000) / 1_000
  const deletion = await deletionMs(index, size)
  await index.close()
  const plainScanPerSecond = round(1_000 / (scanned.get('plainScanP50Ms')?.median ?? Number.NaN))
  print({
    recallAt10,
    ...Object.fromEntries(measured),
    peakMb,
    deletionMs: deletion,
    ...Object.fromEntries(scanned),
    plainScanPerSecond,
  })
}

async function deletionMs(index: LanceDbVectorIndex, size: number): Promise<number> {
  let documentId = 0
  const deletions = Math.min(10, size / 50)
  return quantile(await timesOf(deletions, () => index.deleteDocument(COLLECTION.name, ++documentId, 0)), 0.5)
}

function nameOf({ documentId, chunk }: VectorHit): string {
  return `${documentId}:${chunk}`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

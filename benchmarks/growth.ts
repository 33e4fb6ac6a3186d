/**
 * What 10,000 small uploads and deletions leave behind, at the index port: disk and search time, beside the same
 * windows written at one go. Both get their maintenance, and the minutes that old versions are kept.
 */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { LanceDbVectorIndex } from '../dist/adapters/lancedb/index.js'
import { ClusteredVectors, DIMENSIONS } from './clustered-vectors.js'
import { measure, quantile } from './measure.js'
import { writeReport } from './report.js'

const DISK_TO_REACH = 1.5
const SEARCH_TO_REACH = 1.1
/** Old versions are kept for a minute. */
const PAUSE_MS = 62_000
const isQuick = process.argv.includes('--quick')
const UPLOADS = isQuick ? 200 : 10_000
const QUERIES = isQuick ? 100 : 500
const CALLERS = 4
const OPTIONS = isQuick ? { indexFromRows: 320 } : {}
const COLLECTION = { name: 'windows', dimensions: DIMENSIONS }

const folder = await mkdtemp(join(tmpdir(), 'alcove-growth-'))
const vectors = new ClusteredVectors(0.8, 1)
const uploads = Array.from({ length: UPLOADS }, (_, number) => vectors.rows(number + 1, 1 + (number % 5)))
const isDeleted = (documentId: number): boolean => documentId % 4 === 0

const grown = new LanceDbVectorIndex(join(folder, 'grown'), OPTIONS)
const uploadTimes: number[] = []
const deletionTimes: number[] = []
const timed = async (times: number[], work: () => Promise<void>): Promise<void> => {
  const began = performance.now()
  await work()
  times.push(performance.now() - began)
}
let next = 0
const upload = async (): Promise<void> => {
  for (let rows = uploads[next++]; rows !== undefined; rows = uploads[next++]) {
    const added = rows
    await timed(uploadTimes, () => grown.add(COLLECTION, added))
    if (isDeleted(rows.documentId)) {
      await timed(deletionTimes, () => grown.deleteDocument(COLLECTION.name, added.documentId, 0))
    }
  }
}
const began = performance.now()
await Promise.all(Array.from({ length: CALLERS }, upload))
const seconds = (performance.now() - began) / 1_000
const diskMbAtOnce = await diskMb('grown')

const fresh = new LanceDbVectorIndex(join(folder, 'fresh'), OPTIONS)
const kept = uploads.filter(({ documentId }) => !isDeleted(documentId))
for (let at = 0; at < kept.length; at += 500) {
  await Promise.all(kept.slice(at, at + 500).map((rows) => fresh.add(COLLECTION, rows)))
}
// What the first look merges and rebuilds has its old versions removed a minute later.
for (const pauseMs of isQuick ? [0] : [0, PAUSE_MS, PAUSE_MS]) {
  await setTimeout(pauseMs)
  for (const index of [grown, fresh]) {
    await index.whenMaintained()
    if (index.maintenanceError !== undefined) throw index.maintenanceError
  }
}

const queries = Array.from({ length: QUERIES }, () => vectors.next())
// In turns: the machine may be busier at one time than at another.
const times = { grown: [] as number[], fresh: [] as number[] }
for (const query of queries) {
  for (const [name, index] of [['grown', grown] as const, ['fresh', fresh] as const]) {
    const { medianMs } = await measure(name, 3, () => index.search(COLLECTION, query, { limit: 20 }))
    times[name].push(medianMs)
  }
}
const countOf = async (index: LanceDbVectorIndex): Promise<number> =>
  [...(await index.countByDocument(COLLECTION.name)).values()].reduce((sum, count) => sum + count, 0)
const windows = await countOf(fresh)
if ((await countOf(grown)) !== windows) throw new Error('windows were lost, or are there twice')
const row = {
  uploads: UPLOADS,
  deletions: deletionTimes.length,
  windows,
  uploadsPerSecond: Math.round(UPLOADS / seconds),
  uploadP50Ms: quantile(uploadTimes, 0.5),
  uploadP99Ms: quantile(uploadTimes, 0.99),
  deletionP50Ms: quantile(deletionTimes, 0.5),
  deletionP99Ms: quantile(deletionTimes, 0.99),
  diskMbAtOnce,
  diskMb: await diskMb('grown'),
  freshDiskMb: await diskMb('fresh'),
  searchP50Ms: quantile(times.grown, 0.5),
  freshSearchP50Ms: quantile(times.fresh, 0.5),
}
await grown.close()
await fresh.close()
await rm(folder, { recursive: true })
console.table([row])
if (!isQuick) writeReport('growth', row)
// A smoke test does not wait for old versions to go, and judges no speed.
if (!isQuick && row.diskMb > row.freshDiskMb * DISK_TO_REACH)
  fail(`the disk is more than ${DISK_TO_REACH} times a fresh build's`)
if (!isQuick && row.searchP50Ms > row.freshSearchP50Ms * SEARCH_TO_REACH) fail('a search takes 10% longer')

async function diskMb(name: string): Promise<number> {
  const root = join(folder, name)
  const files = await readdir(root, { recursive: true, withFileTypes: true })
  const sizes = files
    .filter((file) => file.isFile())
    .map(async (file) => (await stat(join(file.parentPath, file.name))).size)
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  return Math.round(bytes / 1e5) / 10
}

function fail(message: string): void {
  console.error(message)
  process.exitCode = 1
}

/**
 * P9: disk use and search time after 10,000 small writes and 2,500 deletions at the index port. Beside them the same
 * windows are written at once. Both get maintenance, and the time after which old versions are removed. A write is what
 * the port gets for an upload of 1 to 5 windows. Then 2,000 small uploads and 500 deletions run through the engine,
 * beside the uploads that stay.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { LanceDbVectorIndex } from '../../dist/adapters/lancedb/index.js'
import { ClusteredVectors, DIMENSIONS } from '../harness/clustered-vectors.js'
import { megabytesIn } from '../harness/files-of.js'
import { atOnce, bothInTurn, mediansOf, quantile, type Spread, spreadOf, timesOf } from '../harness/measure.js'
import { writeReport } from '../harness/report.js'
import { growThroughEngine } from './growth-engine.js'

/** The index keeps old versions for a minute. */
const PAUSE_MS = 62_000
const isQuick = process.argv.includes('--quick')
const ROUNDS = isQuick ? 1 : 5
const WRITES = isQuick ? 80 : 10_000
const QUERIES = isQuick ? 20 : 200
/** A fifth of the writes, because the engine does far more for an upload than the port for a write. */
const UPLOADS = isQuick ? 8 : 2_000
const ENGINE_QUERIES = isQuick ? 2 : 100
const CALLERS = 4
const OPTIONS = isQuick ? { indexFromRows: 120 } : {}
const COLLECTION = { name: 'windows', dimensions: DIMENSIONS }

const folder = await mkdtemp(join(tmpdir(), 'alcove-growth-'))
const vectors = new ClusteredVectors(0.8, 1)
const writes = Array.from({ length: WRITES }, (_, number) => vectors.rows(number + 1, 1 + (number % 5)))
const isDeleted = (documentId: number): boolean => documentId % 4 === 0
const kept = writes.filter(({ documentId }) => !isDeleted(documentId))
const windows = kept.reduce((sum, { chunks }) => sum + chunks.length, 0)
const opened: LanceDbVectorIndex[] = []
const measured = await measureBoth()

const [atThePort, throughTheEngine] = [spreadsOf(measured.port), spreadsOf(measured.engine)]
console.table([mediansOf(atThePort)])
console.table([mediansOf(throughTheEngine)])
const deletions = WRITES - kept.length
// A smoke test does not wait until old versions are removed, and does not judge speed.
if (!isQuick) {
  writeReport('growth', {
    'at the index port': { writes: WRITES, deletions, windows, ...atThePort },
    'through the engine': { uploads: UPLOADS, deletions: UPLOADS / 4, ...throughTheEngine },
  })
}

async function measureBoth() {
  try {
    const port = await allRounds()
    const pauseMs = isQuick ? 0 : PAUSE_MS
    const amounts = { rounds: ROUNDS, uploads: UPLOADS, queries: ENGINE_QUERIES }
    return { port, engine: await growThroughEngine({ folder, ...amounts, pauseMs }) }
  } finally {
    // After a failure some indexes are still open.
    await Promise.allSettled(opened.map((index) => index.close()))
    await rm(folder, { recursive: true })
  }
}

function spreadsOf(rounds: readonly Readonly<Record<string, number>>[]): Readonly<Record<string, Spread>> {
  const names = Object.keys(rounds[0] ?? {})
  return Object.fromEntries(names.map((name) => [name, spreadOf(rounds.map((figures) => figures[name] ?? Number.NaN))]))
}

/** Fills one index after the other, so that nothing disturbs the times. The waiting is shared. */
async function allRounds(): Promise<Readonly<Record<string, number>>[]> {
  const filling: Readonly<Record<string, number>>[] = []
  for (let round = 0; round < ROUNDS; round += 1) filling.push(await fill(round))
  const pairs = filling.map((_, round) => ({ grown: open('grown', round), fresh: open('fresh', round) }))
  const all = pairs.flatMap(({ grown, fresh }) => [grown, fresh])
  for (const index of all) await checkWindows(index)
  // The first maintenance merges and rebuilds. A minute later, maintenance removes the old versions.
  for (const pauseMs of isQuick ? [0] : [0, PAUSE_MS, PAUSE_MS]) {
    await setTimeout(pauseMs)
    for (const index of all) {
      await index.whenMaintained()
      if (index.maintenanceError !== undefined) throw index.maintenanceError
    }
  }
  const figures: Readonly<Record<string, number>>[] = []
  for (const [round, { grown, fresh }] of pairs.entries()) {
    const [diskMb, freshDiskMb] = [await diskMbOf('grown', round), await diskMbOf('fresh', round)]
    const diskTimes = diskMb / freshDiskMb
    figures.push({ ...filling[round], diskMb, freshDiskMb, diskTimes, ...(await searched(grown, fresh)) })
    for (const index of [grown, fresh]) await checkWindows(index)
    await grown.close()
    await fresh.close()
  }
  return figures
}

function open(name: string, round: number): LanceDbVectorIndex {
  const index = new LanceDbVectorIndex(join(folder, `${name}${round}`), OPTIONS)
  opened.push(index)
  return index
}

async function fill(round: number): Promise<Readonly<Record<string, number>>> {
  const grown = open('grown', round)
  const [writeTimes, deletionTimes]: [number[], number[]] = [[], []]
  const { perSecond } = await atOnce(CALLERS, WRITES, async (number) => {
    const rows = writes[number]
    if (rows === undefined) throw new Error(`there is no write ${number}`)
    writeTimes.push(...(await timesOf(1, () => grown.add(COLLECTION, rows))))
    if (!isDeleted(rows.documentId)) return
    deletionTimes.push(...(await timesOf(1, () => grown.deleteDocument(COLLECTION.name, rows.documentId, 0))))
  })
  // Closing abandons the build of an index; maintenance builds it later.
  await grown.close()
  const diskMbAtOnce = await diskMbOf('grown', round)
  const fresh = open('fresh', round)
  for (let at = 0; at < kept.length; at += 500) {
    await Promise.all(kept.slice(at, at + 500).map((rows) => fresh.add(COLLECTION, rows)))
  }
  await fresh.close()
  return {
    writesPerSecond: perSecond,
    writeP50Ms: quantile(writeTimes, 0.5),
    writeP99Ms: quantile(writeTimes, 0.99),
    deletionP50Ms: quantile(deletionTimes, 0.5),
    deletionP99Ms: quantile(deletionTimes, 0.99),
    diskMbAtOnce,
  }
}

async function searched(grown: LanceDbVectorIndex, fresh: LanceDbVectorIndex) {
  const queries = Array.from({ length: QUERIES }, () => vectors.next())
  const find = (index: LanceDbVectorIndex) => async (query: number) =>
    await index.search(COLLECTION, queries[query] ?? new Float32Array(), { limit: 20 })
  const [searchP50Ms, freshSearchP50Ms] = await bothInTurn(QUERIES, find(grown), find(fresh))
  return { searchP50Ms, freshSearchP50Ms, searchTimes: searchP50Ms / freshSearchP50Ms }
}

async function checkWindows(index: LanceDbVectorIndex): Promise<void> {
  const counts = await index.countByDocument(COLLECTION.name)
  const found = [...counts.values()].reduce((sum, count) => sum + count, 0)
  if (found !== windows) throw new Error(`${found} windows instead of ${windows}: some were lost, or are there twice`)
}

async function diskMbOf(name: string, round: number): Promise<number> {
  return await megabytesIn(join(folder, `${name}${round}`))
}

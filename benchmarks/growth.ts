/**
 * P9: what 10,000 small writes and 2,500 deletions leave behind, at the index port: disk and search time, beside the same
 * windows written at one go. Both get their maintenance, and the minutes that old versions are kept. A write is what the
 * port gets of an upload of 1 to 5 windows.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { LanceDbVectorIndex } from '../dist/adapters/lancedb/index.js'
import { ClusteredVectors, DIMENSIONS } from './clustered-vectors.js'
import { filesOf } from './files-of.js'
import { atOnce, figureOf, hundredths, mediansOf, quantile, spreadOf, timesOf } from './measure.js'
import { fail, writeReport } from './report.js'

const MOST_DISK_TIMES = 1.5
const MOST_SEARCH_TIMES = 1.1
/** Old versions are kept for a minute. */
const PAUSE_MS = 62_000
const isQuick = process.argv.includes('--quick')
const ROUNDS = isQuick ? 1 : 5
const WRITES = isQuick ? 200 : 10_000
const QUERIES = isQuick ? 100 : 200
const CALLERS = 4
const OPTIONS = isQuick ? { indexFromRows: 320 } : {}
const COLLECTION = { name: 'windows', dimensions: DIMENSIONS }

const folder = await mkdtemp(join(tmpdir(), 'alcove-growth-'))
const vectors = new ClusteredVectors(0.8, 1)
const writes = Array.from({ length: WRITES }, (_, number) => vectors.rows(number + 1, 1 + (number % 5)))
const isDeleted = (documentId: number): boolean => documentId % 4 === 0
const kept = writes.filter(({ documentId }) => !isDeleted(documentId))
const windows = kept.reduce((sum, { chunks }) => sum + chunks.length, 0)
const opened: LanceDbVectorIndex[] = []
const measured = await allRounds().finally(async () => {
  // Where it fails, some are open still.
  await Promise.allSettled(opened.map((index) => index.close()))
  await rm(folder, { recursive: true })
})

const names = Object.keys(measured[0] ?? {})
const spreads = new Map(names.map((name) => [name, spreadOf(measured.map((figures) => figures[name] ?? Number.NaN))]))
console.table([mediansOf(Object.fromEntries(spreads))])
const deletions = WRITES - kept.length
// A smoke test does not wait for old versions to go, and judges no speed.
if (!isQuick) {
  writeReport('growth', { writes: WRITES, deletions, windows, ...Object.fromEntries(spreads) })
  if (figureOf(spreads, 'diskTimes').median > MOST_DISK_TIMES) fail(`more than ${MOST_DISK_TIMES} times a fresh disk`)
  if (figureOf(spreads, 'searchTimes').median > MOST_SEARCH_TIMES)
    fail(`a search takes more than ${MOST_SEARCH_TIMES} times as long as after a fresh build`)
}

/** One is filled after the other, with nothing beside it; what they wait for, they wait for together. */
async function allRounds(): Promise<Readonly<Record<string, number>>[]> {
  const filling: Readonly<Record<string, number>>[] = []
  for (let round = 0; round < ROUNDS; round += 1) filling.push(await fill(round))
  const pairs = filling.map((_, round) => ({ grown: open('grown', round), fresh: open('fresh', round) }))
  const all = pairs.flatMap(({ grown, fresh }) => [grown, fresh])
  for (const index of all) await checkWindows(index)
  // What the first look merges and rebuilds has its old versions removed a minute later.
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
  // An index of vectors that is being built is given up, and is built later.
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

/** In turns, as the machine may be busier at one time than at another; each is as often the first to be asked. */
async function searched(grown: LanceDbVectorIndex, fresh: LanceDbVectorIndex) {
  const [grownTimes, freshTimes]: [number[], number[]] = [[], []]
  for (let query = 0; query < QUERIES; query += 1) {
    const vector = vectors.next()
    const find = (index: LanceDbVectorIndex): Promise<number[]> =>
      timesOf(3, () => index.search(COLLECTION, vector, { limit: 20 }))
    const both = [
      { index: grown, times: grownTimes },
      { index: fresh, times: freshTimes },
    ]
    for (const { index, times } of query % 2 === 0 ? both : both.toReversed()) {
      times.push(quantile(await find(index), 0.5))
    }
  }
  const [searchP50Ms, freshSearchP50Ms] = [quantile(grownTimes, 0.5), quantile(freshTimes, 0.5)]
  return { searchP50Ms, freshSearchP50Ms, searchTimes: searchP50Ms / freshSearchP50Ms }
}

async function checkWindows(index: LanceDbVectorIndex): Promise<void> {
  const counts = await index.countByDocument(COLLECTION.name)
  const found = [...counts.values()].reduce((sum, count) => sum + count, 0)
  if (found !== windows) throw new Error(`${found} windows instead of ${windows}: some were lost, or are there twice`)
}

async function diskMbOf(name: string, round: number): Promise<number> {
  const files = await filesOf(join(folder, `${name}${round}`))
  return hundredths(files.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6)
}

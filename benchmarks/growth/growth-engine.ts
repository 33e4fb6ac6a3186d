import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Engine } from '../../dist/src/index.js'
import { putIndexesInOrder } from '../harness/engine-indexes.js'
import { megabytesIn } from '../harness/files-of.js'
import { atOnce, bothInTurn } from '../harness/measure.js'
import { openStubEngine } from '../harness/stub-engine.js'

const WORDS = ['lamp', 'harbour', 'letter', 'winter', 'engine', 'garden', 'river', 'window', 'copper', 'bridge']
const WORDS_PER_DOCUMENT = 150
const CALLERS = 4

/** The work that runs through the engine. */
export interface EngineGrowth {
  /** Each round has its own folders in this one. */
  readonly folder: string
  readonly rounds: number
  readonly uploads: number
  readonly queries: number
  /** The time after which old versions can be removed. */
  readonly pauseMs: number
}

/** The data folder of an engine, and its context. */
interface Filled {
  readonly dataDir: string
  readonly contextId: number
}

/**
 * Small uploads, of which every fourth is deleted as soon as it is processed. Beside them a fresh engine has only the
 * uploads that stay. Compares disk use and searches. A stub stands for the model.
 *
 * @returns the figures of each round
 */
export async function growThroughEngine(growth: EngineGrowth): Promise<readonly Readonly<Record<string, number>>[]> {
  const { folder, rounds, queries, pauseMs } = growth
  const filled: { readonly grown: Filled; readonly fresh: Filled; readonly uploadsPerSecond: number }[] = []
  for (let round = 0; round < rounds; round += 1) {
    const { uploadsPerSecond, ...grown } = await fill(join(folder, `engine-grown${round}`), growth, true)
    filled.push({ grown, fresh: await fill(join(folder, `engine-fresh${round}`), growth, false), uploadsPerSecond })
  }
  for (const pause of pauseMs === 0 ? [0] : [0, pauseMs, pauseMs]) {
    await setTimeout(pause)
    for (const { grown, fresh } of filled) for (const { dataDir } of [grown, fresh]) await putIndexesInOrder(dataDir)
  }
  const figures: Readonly<Record<string, number>>[] = []
  for (const { grown, fresh, uploadsPerSecond } of filled) {
    const [diskMb, freshDiskMb] = [await megabytesIn(grown.dataDir), await megabytesIn(fresh.dataDir)]
    const searched = await search(grown, fresh, queries)
    figures.push({ uploadsPerSecond, diskMb, freshDiskMb, diskTimes: diskMb / freshDiskMb, ...searched })
  }
  return figures
}

async function fill(
  dataDir: string,
  { uploads }: EngineGrowth,
  isGrown: boolean,
): Promise<Filled & { readonly uploadsPerSecond: number }> {
  const engine = await openStubEngine(dataDir)
  const session = engine.as(engine.owner)
  const texts = { name: 'A', description: '', caption: '', toolsJson: '[]' }
  const { id: contextId } = await session.contexts.create(texts)
  const numbers = Array.from({ length: uploads }, (_, number) => number)
  const written = isGrown ? numbers : numbers.filter((number) => !isDeleted(number))
  const { perSecond } = await atOnce(CALLERS, written.length, async (at) => {
    const number = written[at] ?? 0
    const content = Buffer.from(textOf(number))
    const uuid = await session.documents.upload(contextId, { fileName: `${number}.txt`, content })
    await session.documents.whenProcessed(uuid)
    if (isDeleted(number)) await session.documents.delete(uuid)
  })
  await engine.close()
  return { dataDir, contextId, uploadsPerSecond: perSecond }
}

function isDeleted(number: number): boolean {
  return number % 4 === 3
}

/** A different text for each number, the same in every run. */
function textOf(number: number): string {
  const word = (at: number): string => WORDS[(at * 7 + number * (1 + (at % 3))) % WORDS.length] ?? ''
  const words = Array.from({ length: WORDS_PER_DOCUMENT }, (_, at) => (at % 12 === 11 ? `${word(at)}.` : word(at)))
  return `Number ${number}. ${words.join(' ')}`
}

async function search(grown: Filled, fresh: Filled, queries: number) {
  const engines = [await openStubEngine(grown.dataDir), await openStubEngine(fresh.dataDir)] as const
  const find =
    (engine: Engine, { contextId }: Filled) =>
    async (query: number) =>
      await engine.as(engine.owner).search(contextId, textOf(query))
  const both = [find(engines[0], grown), find(engines[1], fresh)] as const
  try {
    // The first searches open the tables, so they are not measured.
    await bothInTurn(2, ...both)
    const [searchP50Ms, freshSearchP50Ms] = await bothInTurn(queries, ...both)
    return { searchP50Ms, freshSearchP50Ms, searchTimes: searchP50Ms / freshSearchP50Ms }
  } finally {
    for (const engine of engines) await engine.close()
  }
}

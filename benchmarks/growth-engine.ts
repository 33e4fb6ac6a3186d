import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Engine } from '../dist/src/index.js'
import { putIndexesInOrder } from './engine-indexes.js'
import { megabytesIn } from './files-of.js'
import { atOnce, bothInTurn } from './measure.js'
import { openStubEngine } from './stub-engine.js'

const WORDS = ['lamp', 'harbour', 'letter', 'winter', 'engine', 'garden', 'river', 'window', 'copper', 'bridge']
const WORDS_PER_DOCUMENT = 150
const CALLERS = 4

/** What is done through the engine. */
export interface EngineGrowth {
  /** In which each round has folders of its own. */
  readonly folder: string
  readonly rounds: number
  readonly uploads: number
  readonly queries: number
  /** Until old versions may go. */
  readonly pauseMs: number
}

/** An engine's folder and its context. */
interface Filled {
  readonly dataDir: string
  readonly contextId: number
}

/**
 * Small uploads, of which each fourth is deleted as soon as it is there, beside the uploads that stay alone: all that is on
 * the disk, and searches. A stub stands for the model.
 *
 * @returns of each round its figures
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

/** Another text for each number, always the same. */
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
    // The first ones open what there is.
    await bothInTurn(2, ...both)
    const [searchP50Ms, freshSearchP50Ms] = await bothInTurn(queries, ...both)
    return { searchP50Ms, freshSearchP50Ms, searchTimes: searchP50Ms / freshSearchP50Ms }
  } finally {
    for (const engine of engines) await engine.close()
  }
}

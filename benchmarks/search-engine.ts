import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { openLocalEngine } from '../dist/adapters/local/index.js'
import { QuickModel } from '../test/ingestion/quick-model.js'
import { openDefaultModel } from './default-model.js'
import { atOnce, inTurn, quantile, type Spread, timesOf } from './measure.js'
import { longText } from './sample-texts.js'

const CALLS = 200
const CALLERS = 64
/** Of the real text, about. */
const CHARACTERS_PER_WINDOW = 1_100
const PROMPTS = ['who is the chairman of the committee?', 'how did profits change?', 'what did they say of the law?']

export interface EngineRow {
  readonly windows: number
  /** `session.search`, with a stub in place of the model. */
  readonly p50Ms: Spread
  readonly p99Ms: Spread
  readonly perSecondWith64: Spread
  /** What the model needs for a prompt, alone. */
  readonly embedP50Ms: Spread
}

/** Searches through the engine, checks and texts of the hits included. A stub embeds; the model is measured apart. */
export async function searchEngine(size: number, rounds: number): Promise<EngineRow> {
  const dataDir = await mkdtemp(join(tmpdir(), 'alcove-search-'))
  const engine = await openLocalEngine({ dataDir, embeddingModels: [await QuickModel.open({ dimensions: 384 })] })
  const session = engine.as(engine.owner)
  const settings = { maxSizeBytes: 1_000_000_000 }
  const { id } = await session.contexts.create({ name: 'A', description: '', caption: '', toolsJson: '[]', settings })
  const uuid = await session.documents.upload(id, {
    fileName: 'a.txt',
    content: Readable.from(longText(size * CHARACTERS_PER_WINDOW)),
  })
  await session.documents.whenProcessed(uuid)
  const windows = (await session.documents.get(uuid)).receipt?.windows ?? 0
  await engine.close()

  // What was built in the background after the upload is there, as after any later start.
  const again = await openLocalEngine({ dataDir, embeddingModels: [await QuickModel.open({ dimensions: 384 })] })
  const model = await openDefaultModel()
  const prompt = (call: number): string => `${PROMPTS[call % PROMPTS.length] ?? ''} ${call}`
  const search = async (call: number): Promise<unknown> => await again.as(again.owner).search(id, prompt(call))
  for (let call = 0; call < 20; call += 1) await search(call)
  await model.embed([prompt(0)], { kind: 'query' })
  let times: number[] = []
  const figures = await inTurn(rounds, [
    { name: 'p50Ms', run: async () => quantile((times = await timesOf(CALLS, search)), 0.5) },
    { name: 'p99Ms', run: () => quantile(times, 0.99) },
    { name: 'perSecondWith64', run: async () => (await atOnce(CALLERS, CALLS * 2, search)).perSecond },
    {
      name: 'embedP50Ms',
      run: async () => quantile(await timesOf(CALLS, (call) => model.embed([prompt(call)], { kind: 'query' })), 0.5),
    },
  ])
  await model.close()
  await again.close()
  await rm(dataDir, { recursive: true })
  return { windows, ...(Object.fromEntries(figures) as unknown as Omit<EngineRow, 'windows'>) }
}

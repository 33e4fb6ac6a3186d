import { Readable } from 'node:stream'
import { openDefaultModel } from '../harness/default-model.js'
import { putIndexesInOrder } from '../harness/engine-indexes.js'
import { inTurn, quantile, type Spread, timesOf } from '../harness/measure.js'
import { longText } from '../harness/sample-texts.js'
import { openStubEngine } from '../harness/stub-engine.js'
import { callContestants, peakMb, type SearchExtent } from './search-calls.js'

/** The measured mean of the text. */
const CHARACTERS_PER_WINDOW = 701
const WARM_UP_CALLS = 20
const PROMPTS = ['who is the chairman of the committee?', 'how did profits change?', 'what did they say of the law?']

/** The engine to fill, and the approximate number of windows. */
export interface FillTask {
  readonly dataDir: string
  readonly windows: number
}

/** A context with documents. */
export interface FilledContext {
  readonly contextId: number
  /** Windows in the index. */
  readonly windows: number
}

/** A context, with the amount of work on it. */
export interface EngineTask {
  readonly dataDir: string
  readonly contextId: number
  readonly extent: SearchExtent
}

export type EngineFigures = Readonly<Record<string, number | Spread>>

/** Ingests one document with about this number of windows. A stub embeds it, so the vectors are synthetic too. */
export async function fillEngine({ dataDir, windows }: FillTask): Promise<FilledContext> {
  const engine = await openStubEngine(dataDir)
  const session = engine.as(engine.owner)
  const settings = { maxSizeBytes: 1_000_000_000 }
  const { id } = await session.contexts.create({ name: 'A', description: '', caption: '', toolsJson: '[]', settings })
  const content = Readable.from(longText(windows * CHARACTERS_PER_WINDOW))
  await session.documents.whenProcessed(await session.documents.upload(id, { fileName: 'a.txt', content }))
  await engine.close()
  return { contextId: id, windows: await putIndexesInOrder(dataDir) }
}

/**
 * Measures `session.search`, with its checks and the texts of the hits. A stub stands for the model, which is measured
 * separately.
 */
export async function searchEngine({ dataDir, contextId, extent }: EngineTask): Promise<EngineFigures> {
  const engine = await openStubEngine(dataDir)
  const prompt = (call: number): string => `${PROMPTS[call % PROMPTS.length] ?? ''} ${call}`
  const search = async (call: number): Promise<unknown> => await engine.as(engine.owner).search(contextId, prompt(call))
  await timesOf(WARM_UP_CALLS, search)
  const called = await inTurn(extent.rounds, callContestants(extent, search))
  // The peak is read before the real model is loaded.
  const peak = peakMb()
  await engine.close()
  const model = await openDefaultModel()
  const embed = (call: number): Promise<unknown> => model.embed([prompt(call)], { kind: 'query' })
  await embed(0)
  const embedded = await inTurn(extent.rounds, [
    { name: 'embedP50Ms', run: async () => quantile(await timesOf(extent.callsAlone, embed), 0.5) },
  ])
  await model.close()
  return { ...Object.fromEntries(called), peakMb: peak, ...Object.fromEntries(embedded) }
}

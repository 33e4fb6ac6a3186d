/**
 * One step of the words benchmark, in a process of its own: `words-step.ts STEP TASK`, with the task as JSON. Prints
 * its figures as JSON.
 */
import { Readable } from 'node:stream'
import { openLocalEngine } from '../../dist/adapters/local/index.js'
import type { SearchMode, Session } from '../../dist/src/index.js'
import { putIndexesInOrder } from '../harness/engine-indexes.js'
import { atOnce, hundredths, inTurn, quantile, type Spread, timesOf } from '../harness/measure.js'
import { longText, variedText } from '../harness/sample-texts.js'
import { openAskedEngine, openRareWordsEngine } from '../harness/stub-engine.js'
import { CALLERS, peakMb } from '../search/search-calls.js'

export interface WordSteps {
  readonly timeToFindable: (task: { dataDir: string; megabytes: number }) => Promise<FindableFigures>
  readonly fillWithChunks: (task: { dataDir: string; chunks: number }) => Promise<FilledWithChunks>
  readonly searchByModes: (task: ModeTask) => Promise<Readonly<Record<string, number | Spread>>>
}

/** Times in ms from the start of the upload. */
export interface FindableFigures {
  readonly uploadedMs: number
  readonly findableMs: number
}

export interface FilledWithChunks {
  readonly contextId: number
  readonly chunks: number
  readonly fillSeconds: number
}

interface ModeTask {
  readonly dataDir: string
  readonly contextId: number
  readonly isQuick: boolean
}

/** The measured mean of the text at 200 tokens. */
const CHARACTERS_PER_CHUNK = 790
const MARK = 'zanzibarium'
const PROMPTS = [
  'who is the chairman of the committee?',
  'how did profits change in the last year?',
  'what did they say of the law on border security?',
  'which album was released first, and what did critics say of it?',
  'why does the president speak of Ukraine?',
]
const TEXTS = { name: 'A', description: '', caption: '', toolsJson: '[]' }

const STEPS: WordSteps = { timeToFindable, fillWithChunks, searchByModes }

/** Measures with the real model. The model has started to embed, and the figure does not wait for it. */
async function timeToFindable({
  dataDir,
  megabytes,
}: {
  dataDir: string
  megabytes: number
}): Promise<FindableFigures> {
  const engine = await openLocalEngine({ dataDir })
  const session = engine.as(engine.owner)
  const { id } = await session.contexts.create({ ...TEXTS, settings: { maxSizeBytes: 1_000_000_000 } })
  await session.documents.whenProcessed(await upload(session, id, 'first.txt', [Buffer.from('What comes first.')]))
  const pieces = [...longText(megabytes * 1e6), Buffer.from(` The last word is ${MARK}.`)]
  const findable = new Promise<void>((resolve) => engine.on('document.findable', () => resolve()))
  const began = performance.now()
  await upload(session, id, 'long.txt', pieces)
  const uploadedMs = performance.now() - began
  await findable
  if (!(await isFound(session, id))) throw new Error('document.findable was reported, but no search finds the document')
  const findableMs = performance.now() - began
  await engine.close()
  return { uploadedMs: hundredths(uploadedMs), findableMs: hundredths(findableMs) }
}

async function isFound(session: Session, contextId: number): Promise<boolean> {
  const [first] = await session.search(contextId, MARK, { mode: 'keyword', topN: 1 })
  return first?.content.includes(MARK) === true
}

async function upload(session: Session, id: number, fileName: string, pieces: Uint8Array[]): Promise<string> {
  return await session.documents.upload(id, { fileName, content: Readable.from(pieces) })
}

async function fillWithChunks({ dataDir, chunks }: { dataDir: string; chunks: number }): Promise<FilledWithChunks> {
  const began = performance.now()
  const engine = await openRareWordsEngine(dataDir)
  const session = engine.as(engine.owner)
  const settings = { maxSizeBytes: 2_000_000_000, chunkSizeTokens: 200, overlap: 0 }
  const { id } = await session.contexts.create({ ...TEXTS, settings })
  const content = Readable.from(variedText(chunks * CHARACTERS_PER_CHUNK))
  const uuid = await session.documents.upload(id, { fileName: 'a.txt', content })
  const { chunks: made } = await session.documents.whenProcessed(uuid)
  await engine.close()
  await putIndexesInOrder(dataDir)
  return { contextId: id, chunks: made, fillSeconds: hundredths((performance.now() - began) / 1_000) }
}

/**
 * Asks the same questions in each mode, in turn. The chunks have vectors of a stub. A question takes as long as with
 * the default model.
 */
async function searchByModes({ dataDir, contextId, isQuick }: ModeTask): Promise<Record<string, number | Spread>> {
  const [rounds, alone, together] = isQuick ? [1, 5, 64] : [5, 200, 640]
  const engine = await openAskedEngine(dataDir)
  const session = engine.as(engine.owner)
  const search = (mode: SearchMode) => async (call: number) =>
    await session.search(contextId, PROMPTS[call % PROMPTS.length] ?? '', { mode })
  for (const mode of ['semantic', 'hybrid', 'keyword'] as const) await timesOf(isQuick ? 2 : 20, search(mode))
  const figures = await inTurn(
    rounds,
    (['semantic', 'hybrid', 'keyword'] as const).flatMap((mode) => {
      let perSecond = 0
      return [
        { name: `${mode}P50Ms`, run: async () => quantile(await timesOf(alone, search(mode)), 0.5) },
        {
          name: `${mode}P50MsWith64`,
          run: async () => {
            const called = await atOnce(CALLERS, together, search(mode))
            perSecond = called.perSecond
            return quantile(called.times, 0.5)
          },
        },
        { name: `${mode}PerSecondWith64`, run: () => perSecond },
      ]
    }),
  )
  const added =
    (figures.get('hybridP50Ms')?.median ?? Number.NaN) - (figures.get('semanticP50Ms')?.median ?? Number.NaN)
  const peak = peakMb()
  await engine.close()
  return { addedMs: hundredths(added), ...Object.fromEntries(figures), peakMb: peak }
}

const [step = '', task = ''] = process.argv.slice(2)
const work = STEPS[step as keyof WordSteps] as (task: unknown) => Promise<unknown>
console.log(JSON.stringify(await work(JSON.parse(task))))

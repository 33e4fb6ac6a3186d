/**
 * One step of the benchmark of re-indexes, in a process of its own: `reindex-step.ts STEP TASK`, with the task as JSON.
 * Prints its figures as JSON.
 */
import { setTimeout } from 'node:timers/promises'
import { openLocalEngine } from '../../dist/adapters/local/index.js'
import type { Engine, Session } from '../../dist/src/index.js'
import { inTurn, quantile, type Spread } from '../harness/measure.js'
import { longText } from '../harness/sample-texts.js'
import { openStubEngine } from '../harness/stub-engine.js'

export interface ReindexSteps {
  readonly besideIngestion: (task: BesideTask) => Promise<Figures>
  readonly reuse: (task: { dataDir: string; documents: number; bytes: number }) => Promise<readonly Figures[]>
  readonly searchMeanwhile: (task: SearchTask) => Promise<Figures>
}

type Figures = Readonly<Record<string, number | string | Spread>>

interface BesideTask {
  readonly dataDir: string
  readonly model: 'stub' | 'default'
  readonly documents: number
  /** Size of each document. */
  readonly bytes: number
  readonly rounds: number
}

interface SearchTask {
  readonly dataDir: string
  readonly documents: number
  readonly bytes: number
  readonly rounds: number
}

interface ChunkSettings {
  readonly chunkSizeTokens: number
  readonly overlap: number
}

const BEFORE: ChunkSettings = { chunkSizeTokens: 1_000, overlap: 0.2 }
const AFTER: ChunkSettings = { chunkSizeTokens: 400, overlap: 0.2 }
const TEXTS = { name: 'A', description: '', caption: '', toolsJson: '[]' }
const SEARCH_EVERY_MS = 50
/** A job removes the former generation, in less than this time. */
const REMOVAL_MS = 1_000
const PROMPTS = [
  'who is the chairman of the committee?',
  'how did profits change in the last year?',
  'what did they say of the law on border security?',
  'which album was released first, and what did critics say of it?',
  'why does the president speak of Ukraine?',
]

const STEPS: ReindexSteps = { besideIngestion, reuse, searchMeanwhile }

/**
 * The time from an update of the settings until the switch, beside the time from the first upload of the same documents
 * until all are completed with the same settings. The rounds change the order.
 */
async function besideIngestion({ dataDir, model, documents, bytes, rounds }: BesideTask): Promise<Figures> {
  const engine = model === 'stub' ? await openStubEngine(dataDir) : await openLocalEngine({ dataDir })
  const session = engine.as(engine.owner)
  await ingest(session, await newContext(session, BEFORE), textsOf(1, 4_000))
  const texts = textsOf(documents, bytes)
  let [round, reindexMs, freshMs] = [0, Number.NaN, Number.NaN]
  const both = async (): Promise<void> => {
    const contextId = await newContext(session, BEFORE)
    await ingest(session, contextId, texts)
    const fresh = async (): Promise<void> => {
      const freshId = await newContext(session, AFTER)
      freshMs = await timed(async () => await ingest(session, freshId, texts))
    }
    const again = async (): Promise<void> => {
      reindexMs = await timed(async () => await reindex(engine, contextId, AFTER))
    }
    const inOrder = round % 2 === 0 ? [fresh, again] : [again, fresh]
    for (const work of inOrder) {
      await whenQuiet(engine)
      await work()
    }
    await session.contexts.delete(contextId)
    await engine.whenCleared()
    round += 1
  }
  const figures = await inTurn(rounds, [
    {
      name: 'reindexMs',
      run: async () => {
        await both()
        return reindexMs
      },
    },
    { name: 'freshMs', run: () => freshMs },
    { name: 'timesAsLong', run: () => reindexMs / freshMs },
  ])
  await engine.close()
  return { model, documents, kilobytes: Math.round((documents * bytes) / 1_000), ...Object.fromEntries(figures) }
}

/** Windows of an unchanged model that a re-index does not embed a second time, after several changes. */
async function reuse({
  dataDir,
  documents,
  bytes,
}: {
  dataDir: string
  documents: number
  bytes: number
}): Promise<readonly Figures[]> {
  const engine = await openLocalEngine({ dataDir })
  const session = engine.as(engine.owner)
  await ingest(session, await newContext(session, BEFORE), textsOf(1, 4_000))
  const rows: Figures[] = []
  const changes = [
    { change: 'overlap, documents of one chunk', after: { ...BEFORE, overlap: 0.1 }, size: 1_000 },
    { change: 'overlap, long documents', after: { ...BEFORE, overlap: 0.1 }, size: bytes },
    { change: 'size of chunks, long documents', after: AFTER, size: bytes },
  ]
  for (const { change, after, size } of changes) {
    const texts = textsOf(Math.round((documents * bytes) / size), size)
    const contextId = await newContext(session, BEFORE)
    const freshMs = await timed(async () => await ingest(session, contextId, texts))
    const reindexMs = await timed(async () => await reindex(engine, contextId, after))
    let [windows, windowsReused] = [0, 0]
    for (const { uuid } of await session.documents.list(contextId)) {
      const { receipt } = await session.documents.get(uuid)
      windows += receipt?.windows ?? 0
      windowsReused += receipt?.windowsReused ?? 0
    }
    const row = { change, documents: texts.length, windows, windowsReused }
    rows.push({ ...row, reusedShare: windowsReused / windows, firstIngestionMs: freshMs, reindexMs })
  }
  await engine.close()
  return rows
}

/**
 * One caller begins a search every 50 ms, by words and meaning: for as long as a re-index takes, and during a re-index of
 * the same context. The default model embeds the questions and the windows, on the same cores.
 */
async function searchMeanwhile({ dataDir, documents, bytes, rounds }: SearchTask): Promise<Figures> {
  const engine = await openLocalEngine({ dataDir })
  const session = engine.as(engine.owner)
  const contextId = await newContext(session, BEFORE)
  const texts = textsOf(documents, bytes)
  let durationMs = await timed(async () => await ingest(session, contextId, texts))
  const search = async (number: number): Promise<unknown> =>
    await session.search(contextId, PROMPTS[number % PROMPTS.length] ?? '')
  await timesUntil(setTimeout(1_000), search)
  let [quiet, meanwhile]: [number[], number[]] = [[], []]
  let round = 0
  const figures = await inTurn(rounds, [
    {
      name: 'p50MsBefore',
      run: async () => {
        await whenQuiet(engine)
        quiet = await timesUntil(setTimeout(durationMs), search)
        return quantile(quiet, 0.5)
      },
    },
    { name: 'p99MsBefore', run: () => quantile(quiet, 0.99) },
    {
      name: 'p50Ms',
      run: async () => {
        const again = timed(async () => await reindex(engine, contextId, round % 2 === 0 ? AFTER : BEFORE))
        meanwhile = await timesUntil(again, search)
        durationMs = await again
        round += 1
        return quantile(meanwhile, 0.5)
      },
    },
    { name: 'p99Ms', run: () => quantile(meanwhile, 0.99) },
    { name: 'longestMs', run: () => Math.max(...meanwhile) },
    { name: 'searches', run: () => meanwhile.length },
    { name: 'reindexMs', run: () => durationMs },
    { name: 'p50Times', run: () => quantile(meanwhile, 0.5) / quantile(quiet, 0.5) },
    { name: 'p99Times', run: () => quantile(meanwhile, 0.99) / quantile(quiet, 0.99) },
  ])
  await engine.close()
  return { documents, kilobytes: Math.round((documents * bytes) / 1_000), ...Object.fromEntries(figures) }
}

/** Begins some work every 50 ms, even if earlier work has not ended. @returns the times of all, in ms */
async function timesUntil(end: Promise<unknown>, work: (number: number) => Promise<unknown>): Promise<number[]> {
  const ended = new AbortController()
  const ending = end.finally(() => ended.abort())
  const times: number[] = []
  const begun: Promise<unknown>[] = []
  for (let number = 0; !ended.signal.aborted; number += 1) {
    begun.push(timed(async () => await work(number)).then((ms) => times.push(ms)))
    await setTimeout(SEARCH_EVERY_MS)
  }
  await Promise.all([ending, ...begun])
  return times
}

/** The removal of former data is not measured. */
async function whenQuiet(engine: Engine): Promise<void> {
  await setTimeout(REMOVAL_MS)
  await engine.whenCleared()
}

async function newContext(session: Session, settings: ChunkSettings): Promise<number> {
  return (await session.contexts.create({ ...TEXTS, settings: { ...settings, maxSizeBytes: 1_000_000_000 } })).id
}

/** Texts without a window in common. */
function textsOf(documents: number, bytes: number): readonly Buffer[] {
  const all = Buffer.concat([...longText(documents * bytes)])
  return Array.from({ length: documents }, (_, number) => all.subarray(number * bytes, (number + 1) * bytes))
}

async function ingest(session: Session, contextId: number, texts: readonly Buffer[]): Promise<void> {
  const uploads = texts.map(async (content, number) => {
    const uuid = await session.documents.upload(contextId, { fileName: `${number}.txt`, content })
    await session.documents.whenProcessed(uuid)
  })
  await Promise.all(uploads)
}

/** Ends with the switch. */
async function reindex(engine: Engine, contextId: number, settings: ChunkSettings): Promise<void> {
  const switched = new Promise<void>((resolve) => {
    const stop = engine.on('context.reindexed', () => {
      stop()
      resolve()
    })
  })
  await engine.as(engine.owner).contexts.update(contextId, { settings })
  await switched
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const [step = '', task = ''] = process.argv.slice(2)
const work = STEPS[step as keyof ReindexSteps] as (task: unknown) => Promise<unknown>
console.log(JSON.stringify(await work(JSON.parse(task))))

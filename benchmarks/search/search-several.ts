/**
 * How much longer than a search does an explanation take, and a search of ten contexts together? One context has all
 * windows, and ten contexts have a tenth of them each, in the same engine. A stub stands for the model, so the vectors
 * are synthetic. One number is the size of a run: `tsx benchmarks/search/search-several.ts 1000000`.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Session } from '../../dist/src/index.js'
import { putIndexesInOrder } from '../harness/engine-indexes.js'
import { hundredths, inTurn, quantile, timesOf } from '../harness/measure.js'
import { longText } from '../harness/sample-texts.js'
import { openStubEngine } from '../harness/stub-engine.js'

const isQuick = process.argv.includes('--quick')
const [given] = process.argv.slice(2).filter((argument) => /^\d+$/.test(argument))
const WINDOWS = given === undefined ? (isQuick ? 1_000 : 100_000) : Number(given)
const CONTEXTS = 10
const WINDOWS_PER_DOCUMENT = 50_000
/** Numbers in one document; more than it has sentences. */
const NUMBERS = 10_000_000
const [ROUNDS, CALLS] = isQuick ? [1, 3] : [5, 40]
/** The measured mean of the text. */
const CHARACTERS_PER_WINDOW = 701
const PROMPTS = ['who is the chairman of the committee?', 'how did profits change?', 'what did they say of the law?']

const folder = await mkdtemp(join(tmpdir(), 'alcove-several-'))
try {
  await measure(folder)
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function measure(dataDir: string): Promise<void> {
  const began = performance.now()
  const { one, ten } = await fill(dataDir)
  const windows = await putIndexesInOrder(dataDir)
  console.log(`${windows} windows after ${Math.round((performance.now() - began) / 1_000)} s`)
  const engine = await openStubEngine(dataDir)
  const session = engine.as(engine.owner)
  let call = 0
  const prompt = (): string => {
    call += 1
    return `${PROMPTS[call % PROMPTS.length] ?? ''} ${call}`
  }
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    search: async () => await session.search(one, prompt()),
    explain: async () => await session.explain(one, prompt()),
    'searchAll of 1': async () => await session.searchAll([one], prompt()),
    [`searchAll of ${CONTEXTS}`]: async () => await session.searchAll(ten, prompt()),
  }
  for (const work of Object.values(calls)) await timesOf(CALLS, work)
  const measured = await inTurn(
    ROUNDS,
    Object.entries(calls).map(([name, work]) => ({
      name,
      run: async () => quantile(await timesOf(CALLS, work), 0.5),
    })),
  )
  const searchMs = measured.get('search')?.median ?? Number.NaN
  console.table(
    [...measured].map(([name, { median, least, most }]) => ({
      call: name,
      p50Ms: hundredths(median),
      leastMs: hundredths(least),
      mostMs: hundredths(most),
      timesSearch: hundredths(median / searchMs),
    })),
  )
  await engine.close()
}

/** @returns the id of the context with all windows, and those of the ten others */
async function fill(dataDir: string): Promise<{ readonly one: number; readonly ten: readonly number[] }> {
  const engine = await openStubEngine(dataDir)
  const session = engine.as(engine.owner)
  const ten: number[] = []
  const one = await fillContext(session, 'one', WINDOWS)
  for (let number = 0; number < CONTEXTS; number += 1) {
    ten.push(await fillContext(session, `ten ${number}`, WINDOWS / CONTEXTS))
  }
  await engine.close()
  return { one, ten }
}

async function fillContext(session: Session, name: string, windows: number): Promise<number> {
  const settings = { maxSizeBytes: 10_000_000_000 }
  const { id } = await session.contexts.create({ name, description: '', caption: '', toolsJson: '[]', settings })
  const documents = Math.ceil(windows / WINDOWS_PER_DOCUMENT)
  for (let number = 0; number < documents; number += 1) {
    const text = longText((windows / documents) * CHARACTERS_PER_WINDOW, (id * documents + number) * NUMBERS)
    const uuid = await session.documents.upload(id, { fileName: `${number}.txt`, content: Readable.from(text) })
    await session.documents.whenProcessed(uuid)
  }
  return id
}

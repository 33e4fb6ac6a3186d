/**
 * P3: from upload to searchable, and the share of that time in which the model has work: in which at least one call of
 * the adapter is under way, its queue included. Beside it the model alone, the same windows in one call of the adapter, and
 * the way that AnythingLLM takes.
 */
import { fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLocalEngine } from '../dist/adapters/local/index.js'
import type { Session } from '../dist/src/index.js'
import type { EmbeddingModel, EmbeddingProfile, EmbedOptions, Tokenizer } from '../dist/src/ports/index.js'
import { messageOf } from './child-message.js'
import { openDefaultModel, windowsOf } from './default-model.js'
import { type Contestant, inTurn, mediansOf, type Spread } from './measure.js'
import { writeReport } from './report.js'
import { longText, SAMPLE } from './sample-texts.js'

const isQuick = process.argv.includes('--quick')
const ROUNDS = isQuick ? 1 : 5
const TEXT = Buffer.concat([...longText(isQuick ? 8_000 : 1_000_000)])

/** Passes everything on, and notes how long calls are under way. */
class WatchedModel implements EmbeddingModel {
  readonly profile: EmbeddingProfile
  readonly #model: EmbeddingModel
  #underWay = 0
  #busySince = 0
  #busyMs = 0

  constructor(model: EmbeddingModel) {
    this.#model = model
    this.profile = model.profile
  }

  /** How long at least one call was under way, of those that have ended. */
  get busyMs(): number {
    return this.#busyMs
  }

  async tokenizer(): Promise<Tokenizer> {
    return await this.#model.tokenizer()
  }

  async embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array> {
    if (this.#underWay === 0) this.#busySince = performance.now()
    this.#underWay += 1
    try {
      return await this.#model.embed(texts, options)
    } finally {
      this.#underWay -= 1
      if (this.#underWay === 0) this.#busyMs += performance.now() - this.#busySince
    }
  }

  async verify(): Promise<void> {
    await this.#model.verify()
  }

  async close(): Promise<void> {
    await this.#model.close()
  }
}

const plain = fork(join(import.meta.dirname, 'ingestion-peer.ts'), { execArgv: ['--import', 'tsx'] })
plain.send({ text: TEXT.toString() })
const { isInstalled } = (await messageOf(plain)) as { readonly isInstalled: boolean }
const dataDir = await mkdtemp(join(tmpdir(), 'alcove-ingestion-'))
const { windows, figures } = await measured().finally(async () => {
  plain.kill()
  await rm(dataDir, { recursive: true })
})
console.table([mediansOf(Object.fromEntries(figures))])
if (!isQuick) writeReport('ingestion', { text: SAMPLE, bytes: TEXT.length, windows, ...Object.fromEntries(figures) })

async function measured(): Promise<{ readonly windows: number; readonly figures: Map<string, Spread> }> {
  const model = new WatchedModel(await openDefaultModel())
  // A window that is there twice is embedded once.
  const windows = [...new Set(await windowsOf([TEXT.toString()], model))]
  const engine = await openLocalEngine({ dataDir, embeddingModels: [model] })
  try {
    // The model is loaded, and what is measured is not the first of its kind.
    await ingest(engine.as(engine.owner), TEXT.subarray(0, 4_000))
    let [ingestionMs, busyMs, aloneMs] = [Number.NaN, Number.NaN, Number.NaN]
    const figures = await inTurn(ROUNDS, [
      {
        name: 'ingestionMs',
        run: async () => {
          const busyBeforeMs = model.busyMs
          ingestionMs = await timed(() => ingest(engine.as(engine.owner), TEXT))
          busyMs = model.busyMs - busyBeforeMs
          return ingestionMs
        },
      },
      { name: 'modelBusyMs', run: () => busyMs },
      { name: 'modelShare', run: () => busyMs / ingestionMs },
      { name: 'kilobytesPerSecond', run: () => TEXT.length / ingestionMs },
      { name: 'windowsPerSecond', run: () => windows.length / (ingestionMs / 1_000) },
      {
        name: 'modelAloneMs',
        run: async () => (aloneMs = await timed(() => model.embed(windows, { kind: 'passage' }))),
      },
      { name: 'modelAloneShare', run: () => aloneMs / ingestionMs },
      ...(isInstalled ? besideThePlainWay(() => ingestionMs) : []),
    ])
    return { windows: windows.length, figures }
  } finally {
    await engine.close()
  }
}

function besideThePlainWay(ingestionMs: () => number): readonly Contestant[] {
  let plainMs = Number.NaN
  return [
    {
      name: 'asAnythingLlmMs',
      run: async () => {
        plain.send('run')
        plainMs = ((await messageOf(plain)) as { readonly ms: number }).ms
        return plainMs
      },
    },
    { name: 'asAnythingLlmKilobytesPerSecond', run: () => TEXT.length / plainMs },
    { name: 'timesAsFast', run: () => plainMs / ingestionMs() },
  ]
}

/** In a context of its own: what a context has embedded before, it does not embed again. */
async function ingest(session: Session, content: Uint8Array): Promise<void> {
  const { id } = await session.contexts.create({ name: 'Round', description: '', caption: '', toolsJson: '[]' })
  const uuid = await session.documents.upload(id, { fileName: 'text.txt', content })
  await session.documents.whenProcessed(uuid)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

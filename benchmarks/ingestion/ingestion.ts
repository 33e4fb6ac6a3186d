/**
 * P3: the time from upload to searchable, and the model's share of it. The share is the time in which at least one call
 * of the adapter is in progress, with its queue. Beside it the model alone embeds the same windows in one call of the
 * adapter, and the defaults of AnythingLLM run.
 */
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { openLocalEngine } from '../../dist/adapters/local/index.js'
import type { Session } from '../../dist/src/index.js'
import type { EmbeddingModel, EmbeddingProfile, EmbedOptions, Tokenizer } from '../../dist/src/ports/index.js'
import { messageOf } from '../harness/child-message.js'
import { openDefaultModel, wholeTokenizerOf, windowsOf } from '../harness/default-model.js'
import { type Contestant, inTurn, mediansOf, type Spread } from '../harness/measure.js'
import { writeReport } from '../harness/report.js'
import { longText, SAMPLE } from '../harness/sample-texts.js'
import { withFolder } from '../harness/with-folder.js'

const isQuick = process.argv.includes('--quick')
const ROUNDS = isQuick ? 1 : 5
const TEXT = Buffer.concat([...longText(isQuick ? 8_000 : 1_000_000)])

/** Passes all calls on, and adds up the time of the calls. */
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

  /** The time in which at least one call was in progress. Calls that still run do not count. */
  get busyMs(): number {
    return this.#busyMs
  }

  async tokenizer(): Promise<Tokenizer> {
    return await wholeTokenizerOf(this.#model)
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
const { windows, figures } = await besidePlain()
console.table([mediansOf(Object.fromEntries(figures))])
if (!isQuick) writeReport('ingestion', { text: SAMPLE, bytes: TEXT.length, windows, ...Object.fromEntries(figures) })

/** Ends the process of the plain way in any case. */
async function besidePlain(): ReturnType<typeof measured> {
  try {
    return await withFolder(measured)
  } finally {
    plain.kill()
  }
}

async function measured(dataDir: string): Promise<{ readonly windows: number; readonly figures: Map<string, Spread> }> {
  const model = new WatchedModel(await openDefaultModel())
  // The engine embeds a repeated window once.
  const windows = [...new Set(await windowsOf([TEXT.toString()], model))]
  const engine = await openLocalEngine({ dataDir, embeddingModels: [model] })
  try {
    // Loads the model, and warms up the engine before the measurement.
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

/** Uses a new context: a context does not embed the same text a second time. */
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

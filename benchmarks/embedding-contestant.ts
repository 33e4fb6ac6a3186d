/**
 * One way to embed texts, in a process of its own: `embedding-contestant.ts NAME`, asked by messages from `embedding.ts`.
 * `{ texts }` readies it; each `'run'` embeds them all and answers with the figures.
 */
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import runtime from 'onnxruntime-node'
import { MODEL, MODELS, openDefaultModel } from './default-model.js'
import { peer } from './peers.js'

/** What a run did. */
export interface EmbeddingRun {
  readonly ms: number
  /** Positions that the model computed for text, special tokens included and padding not. */
  readonly tokens: number
  readonly bytes: number
}

type Run = (texts: readonly string[]) => Promise<void>

const FOLDER = join(MODELS, MODEL)
/** The shape that this model computes fastest on a CPU, by measurement (performance.md). */
const IDEAL = { texts: 8, tokens: 128 }
/** As AnythingLLM embeds. */
const PIPELINE_BATCH = 25

const model = await openDefaultModel()
const tokenizer = await model.tokenizer()

const CONTESTANTS: Readonly<Record<string, () => Promise<Run | undefined>>> = {
  alcove: () =>
    Promise.resolve(async (texts) => {
      await model.embed(texts, { kind: 'passage' })
    }),

  'the raw ONNX session, one ideal shape': async () => {
    const session = await runtime.InferenceSession.create(join(FOLDER, 'onnx/model_quantized.onnx'))
    const shape = [IDEAL.texts, IDEAL.tokens]
    const positions = IDEAL.texts * IDEAL.tokens
    const ids = BigInt64Array.from({ length: positions }, (_, at) => BigInt(2_000 + (at % 20_000)))
    const feeds = {
      input_ids: new runtime.Tensor('int64', ids, shape),
      attention_mask: new runtime.Tensor('int64', new BigInt64Array(positions).fill(1n), shape),
      token_type_ids: new runtime.Tensor('int64', new BigInt64Array(positions), shape),
    }
    return async (texts) => {
      for (let left = tokensOf(texts); left > 0; left -= positions) await session.run(feeds)
    }
  },

  'transformers.js pipeline, batches of 25 in order': async () => {
    const transformers = await peer<Transformers>('@xenova/transformers')
    if (transformers === undefined) return undefined
    const { env, pipeline } = transformers
    Object.assign(env, { allowRemoteModels: false, localModelPath: MODELS })
    const extract = await pipeline('feature-extraction', MODEL)
    return async (texts) => {
      for (let at = 0; at < texts.length; at += PIPELINE_BATCH) {
        await extract(texts.slice(at, at + PIPELINE_BATCH), { pooling: 'mean', normalize: true })
      }
    }
  },

  'fastembed, the same weights': async () => {
    const fastembed = await peer<FastEmbed>('fastembed')
    if (fastembed === undefined) return undefined
    // The layout that it reads has one file more.
    const folder = await mkdtemp(join(tmpdir(), 'alcove-fastembed-'))
    for (const name of ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'onnx']) {
      await symlink(join(FOLDER, name), join(folder, name))
    }
    const special = { cls_token: '[CLS]', sep_token: '[SEP]', pad_token: '[PAD]', unk_token: '[UNK]' }
    await writeFile(join(folder, 'special_tokens_map.json'), JSON.stringify(special))
    const modelName = 'onnx/model_quantized.onnx'
    const embedder = await fastembed.FlagEmbedding.init({ model: 'custom', modelAbsoluteDirPath: folder, modelName })
    await rm(folder, { recursive: true })
    return async (texts) => {
      const batches = embedder.embed([...texts])[Symbol.asyncIterator]()
      while ((await batches.next()).done !== true);
    }
  },
}

interface Transformers {
  readonly env: object
  readonly pipeline: (
    task: string,
    model: string,
  ) => Promise<(texts: readonly string[], options: object) => Promise<unknown>>
}
interface FastEmbed {
  readonly FlagEmbedding: { init(options: object): Promise<{ embed(texts: string[]): AsyncIterable<unknown> }> }
}

let texts: readonly string[] = []
let run: Run | undefined

process.on('message', (message: 'run' | { readonly texts: readonly string[] }) => {
  void (message === 'run' ? measure() : ready(message.texts))
})

async function ready(given: readonly string[]): Promise<void> {
  texts = given
  run = await CONTESTANTS[process.argv[2] ?? '']?.()
  // The first run compiles and allocates.
  await run?.(texts.slice(0, 30))
  process.send?.({ isThere: run !== undefined })
}

async function measure(): Promise<void> {
  const began = performance.now()
  await run?.(texts)
  const ms = performance.now() - began
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  process.send?.({ ms, tokens: tokensOf(texts), bytes } satisfies EmbeddingRun)
}

function tokensOf(some: readonly string[]): number {
  return some.reduce((sum, text) => sum + tokenizer.count(text) + tokenizer.specialTokens, 0)
}

import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import runtime from 'onnxruntime-node'
import type { EmbeddingModel } from '../../dist/src/ports/index.js'
import { MODEL, MODELS } from '../harness/default-model.js'
import { peer, versionOf } from '../harness/peers.js'

/** A way to embed texts. */
export interface EmbeddingContestant {
  readonly name: string
  /**
   * @param tokens tokens of the texts; a raw session computes as many in made-up texts
   * @returns the number of tokens that were computed
   */
  readonly embed: (texts: readonly string[], tokens: number) => Promise<number>
  /** Tokens of one text; the rest is cut off. Default: no limit. */
  readonly maxTokens?: number
}

export type ContestantKey =
  | 'alcove'
  | 'session'
  | 'sessionOfOneThread'
  | 'sessionOfLongTexts'
  | 'pipeline'
  | 'fastembed'

const FOLDER = join(MODELS, MODEL)
const WEIGHTS = 'onnx/model_quantized.onnx'
/** The shapes that this model computes fastest on a CPU, by measurement: with all threads, and with one. */
const IDEAL = { texts: 8, tokens: 128 }
const IDEAL_OF_ONE_THREAD = { texts: 2, tokens: 128 }
/** Texts as long as the windows of the default settings. */
const LONG = { texts: 4, tokens: 254 }
const ONE_THREAD = { intraOpNumThreads: 1, interOpNumThreads: 1 }
const ONE_EACH = `a raw ONNX session for each of ${availableParallelism()} cores, one thread each`
/** The longest text that the model can embed, special tokens included. */
const MODEL_TOKENS = 256
/** The batch size of AnythingLLM. */
const PIPELINE_BATCH = 25

const TRANSFORMERS = '@xenova/transformers'
interface Transformers {
  readonly env: object
  readonly pipeline: (
    task: string,
    model: string,
  ) => Promise<(texts: readonly string[], options: object) => Promise<{ tolist(): number[][] }>>
}
interface FastEmbed {
  readonly FlagEmbedding: { init(options: object): Promise<{ embed(texts: string[]): AsyncIterable<unknown> }> }
}

/** Opens each contestant. The result is undefined if its library is not installed. */
export const CONTESTANTS: Readonly<
  Record<ContestantKey, (model: EmbeddingModel) => Promise<EmbeddingContestant | undefined>>
> = {
  alcove: (model) =>
    Promise.resolve({
      name: 'alcove',
      embed: async (texts, tokens) => {
        await model.embed(texts, { kind: 'passage' })
        return tokens
      },
    }),

  session: () => session(`the raw ONNX session, ${described(IDEAL)}, default threads`, IDEAL, {}),

  sessionOfOneThread: () => session(`${ONE_EACH}, ${described(IDEAL_OF_ONE_THREAD)}`, IDEAL_OF_ONE_THREAD, ONE_THREAD),

  sessionOfLongTexts: () => session(`${ONE_EACH}, ${described(LONG)}, as long as windows`, LONG, ONE_THREAD),

  pipeline: async () => {
    const embed = await openPipeline()
    if (embed === undefined) return undefined
    return {
      name: `transformers.js ${versionOf(TRANSFORMERS)} (${runtimeOf(TRANSFORMERS)}) as AnythingLLM embeds: 1,000 characters, batches of ${PIPELINE_BATCH} in order`,
      embed: async (texts, tokens) => {
        await embed(texts)
        return tokens
      },
    }
  },

  fastembed: async () => {
    const fastembed = await peer<FastEmbed>('fastembed')
    if (fastembed === undefined) return undefined
    // fastembed expects one more file than the model folder has.
    const folder = await mkdtemp(join(tmpdir(), 'alcove-fastembed-'))
    for (const name of ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'onnx']) {
      await symlink(join(FOLDER, name), join(folder, name))
    }
    const special = { cls_token: '[CLS]', sep_token: '[SEP]', pad_token: '[PAD]', unk_token: '[UNK]' }
    await writeFile(join(folder, 'special_tokens_map.json'), JSON.stringify(special))
    // fastembed pads each text to its maximum length. The default is 512, twice the longest text of this model.
    const options = { model: 'custom', modelAbsoluteDirPath: folder, modelName: WEIGHTS, maxLength: MODEL_TOKENS }
    const embedder = await fastembed.FlagEmbedding.init(options)
    await rm(folder, { recursive: true })
    return {
      name: `fastembed ${versionOf('fastembed')} (${runtimeOf('fastembed')}), the same weights, 1,000 characters, each padded to ${MODEL_TOKENS} tokens`,
      maxTokens: MODEL_TOKENS,
      embed: async (texts, tokens) => {
        const batches = embedder.embed([...texts])[Symbol.asyncIterator]()
        while ((await batches.next()).done !== true);
        return tokens
      },
    }
  },
}

/**
 * The pipeline of transformers.js, with the batches of AnythingLLM.
 *
 * @returns undefined if the library is not installed; otherwise a function that computes a vector for each text
 */
export async function openPipeline(): Promise<
  ((texts: readonly string[]) => Promise<readonly number[][]>) | undefined
> {
  const transformers = await peer<Transformers>(TRANSFORMERS)
  if (transformers === undefined) return undefined
  const { env, pipeline } = transformers
  Object.assign(env, { allowRemoteModels: false, localModelPath: MODELS })
  const extract = await pipeline('feature-extraction', MODEL)
  return async (texts) => {
    const vectors: number[][] = []
    for (let at = 0; at < texts.length; at += PIPELINE_BATCH) {
      const output = await extract(texts.slice(at, at + PIPELINE_BATCH), { pooling: 'mean', normalize: true })
      vectors.push(...output.tolist())
    }
    return vectors
  }
}

/** The bare runtime. It gets no text, but runs one batch of one shape until it has computed enough tokens. */
async function session(
  name: string,
  { texts, tokens: tokensPerText }: typeof IDEAL,
  options: runtime.InferenceSession.SessionOptions,
): Promise<EmbeddingContestant> {
  const bare = await runtime.InferenceSession.create(join(FOLDER, WEIGHTS), options)
  const positions = texts * tokensPerText
  const tensor = (idAt: (at: number) => number) =>
    new runtime.Tensor(
      'int64',
      BigInt64Array.from({ length: positions }, (_, at) => BigInt(idAt(at))),
      [texts, tokensPerText],
    )
  const feeds = {
    input_ids: tensor((at) => 2_000 + (at % 20_000)),
    attention_mask: tensor(() => 1),
    token_type_ids: tensor(() => 0),
  }
  return {
    name,
    embed: async (_, tokens) => {
      const batches = Math.ceil(tokens / positions)
      for (let batch = 0; batch < batches; batch += 1) await bare.run(feeds)
      return batches * positions
    },
  }
}

function described({ texts, tokens }: typeof IDEAL): string {
  return `${texts} texts of ${tokens} tokens`
}

/** The version of the runtime that a library depends on. The engine may have another one. */
function runtimeOf(library: string): string {
  const required = createRequire(join(import.meta.dirname, 'node_modules', library, 'package.json'))
  const { version } = required('onnxruntime-node/package.json') as { version: string }
  return `ONNX Runtime ${version}`
}

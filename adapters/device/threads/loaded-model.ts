import { join } from 'node:path'
import type { InferenceSession } from 'onnxruntime-node'
import { z } from 'zod'
import { ModelError, messageOf } from '../../../src/ports/index.js'
import { CONFIG_FILE, checkWeights, type ModelFolder, parseJson, readModelFile } from '../model-folder.js'
import { EmbeddingTask, poolInto } from './embedding-task.js'

type Runtime = typeof import('onnxruntime-node')

/** Texts of about the same length, padded to the longest. */
interface TokenMatrix {
  /** With the shape text × token. */
  readonly ids: BigInt64Array
  /** 1 for a token, 0 for padding; shaped as the ids. */
  readonly mask: BigInt64Array
}

/** The inputs of a graph, by their name. */
const INPUTS: Readonly<Record<string, (matrix: TokenMatrix) => BigInt64Array>> = {
  input_ids: ({ ids }) => ids,
  attention_mask: ({ mask }) => mask,
  token_type_ids: ({ ids }) => new BigInt64Array(ids.length),
}
const CONFIG = z.object({ pad_token_id: z.int().nullish() })
/** The names of the vectors of tokens, in the exports of different tools. */
const OUTPUTS = ['last_hidden_state', 'token_embeddings']

/**
 * Only the worker's thread computes: other workers run beside it. An arena would keep the memory of the longest batch for
 * ever, and is no faster.
 */
const SESSION_OPTIONS: InferenceSession.SessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  enableCpuMemArena: false,
}

/**
 * A model whose weights stay in memory until the last reference is dropped: the runtime has no call that frees them.
 * Only for a worker thread, because a run blocks.
 */
export class LoadedModel {
  private constructor(
    private readonly runtime: Runtime,
    private readonly model: ModelFolder,
    private readonly session: InferenceSession,
    private readonly output: string,
    private readonly paddingId: number,
  ) {}

  /** @throws ModelError if files are missing, changed or not supported */
  static async load(runtime: Runtime, model: ModelFolder): Promise<LoadedModel> {
    await checkWeights(model)
    const session = await openSession(runtime, model)
    const output = outputOf(session, model)
    return new LoadedModel(runtime, model, session, output, await readPaddingId(model.folder))
  }

  taskOf(request: {
    readonly id: number
    readonly isUrgent: boolean
    readonly inputs: readonly Int32Array[]
  }): EmbeddingTask {
    return new EmbeddingTask(request, request.inputs, this.paddingId, this.model.profile.dimensions)
  }

  /** Runs the model on the task's next batch, and stores the vectors in the task. */
  async embedBatch(task: EmbeddingTask): Promise<void> {
    const { profile, folder } = this.model
    const { dimensions } = profile
    const { rows, tokensPerText, ids, mask } = task.takeBatch()
    const data = await this.#run({ ids, mask }, [rows.length, tokensPerText])
    const found = data.length / (rows.length * tokensPerText)
    // The profile may ask for the first components of longer vectors.
    if (found < dimensions || !Number.isInteger(found)) {
      throw new ModelError(
        'ERR_MODEL_UNSUPPORTED',
        `the model in ${folder} gives vectors of ${found} dimensions, and its profile says ${dimensions}: correct its profile.json`,
      )
    }
    const vectors = { data, tokensPerText, dimensions: found }
    rows.forEach((row, index) => {
      const into = task.vectors.subarray(row * dimensions, (row + 1) * dimensions)
      poolInto(into, vectors, index, task.tokensOf(row), profile)
    })
  }

  /** @returns the vectors of the tokens, with the shape text × token × dimension */
  async #run(matrix: TokenMatrix, shape: readonly [texts: number, tokens: number]): Promise<Float32Array> {
    const { Tensor } = this.runtime
    const feeds = this.session.inputNames.map((name) => [
      name,
      new Tensor('int64', INPUTS[name]?.(matrix) ?? matrix.ids, shape),
    ])
    const output = await this.session.run(Object.fromEntries(feeds) as InferenceSession.FeedsType, [this.output])
    return output[this.output]?.data as Float32Array
  }
}

/** @throws ModelError `ERR_MODEL_UNSUPPORTED` for a graph that the runtime refuses */
async function openSession(runtime: Runtime, { folder, weights }: ModelFolder): Promise<InferenceSession> {
  try {
    return await runtime.InferenceSession.create(join(folder, weights), SESSION_OPTIONS)
  } catch (error) {
    if (/protobuf parsing failed/i.test(messageOf(error))) {
      throw new ModelError(
        'ERR_MODEL_UNSUPPORTED',
        `${weights} of the model in ${folder} is damaged, incomplete or no ONNX file: copy or download it again`,
        { cause: error },
      )
    }
    throw new ModelError(
      'ERR_MODEL_UNSUPPORTED',
      `the runtime (onnxruntime-node 1.14) cannot run ${weights} of the model in ${folder}: export it with an operator set up to 18 and IR version up to 8, or use another model; the runtime says: ${reasonOf(error)}`,
      { cause: error },
    )
  }
}

/** The runtime's message, without the places in its own sources. */
function reasonOf(error: unknown): string {
  const message = messageOf(error).replaceAll(/\s+/g, ' ').trim()
  return message.replace(/^.*? failed:/, '').replace(/^\S*onnxruntime_src\/.*?\) (?=[A-Z])/, '')
}

/** @throws ModelError `ERR_MODEL_UNSUPPORTED` for a graph with other inputs or outputs than are known */
function outputOf({ inputNames, outputNames }: InferenceSession, { folder }: ModelFolder): string {
  const unknown = inputNames.find((name) => !Object.hasOwn(INPUTS, name))
  const output = OUTPUTS.find((name) => outputNames.includes(name))
  if (unknown === undefined && output !== undefined) return output
  const problem = unknown === undefined ? `has no output "${OUTPUTS.join('" or "')}"` : `needs an input "${unknown}"`
  throw new ModelError(
    'ERR_MODEL_UNSUPPORTED',
    `the model in ${folder} cannot be used: it ${problem}; use a model for feature extraction`,
  )
}

/** The id that fills short texts. Models whose positions depend on it always have the file. */
async function readPaddingId(folder: string): Promise<number> {
  const file = await readModelFile(folder, CONFIG_FILE).catch(() => undefined)
  return CONFIG.safeParse(parseJson(file?.toString('utf8') ?? '')).data?.pad_token_id ?? 0
}

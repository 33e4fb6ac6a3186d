import { join } from 'node:path'
import runtime, { type InferenceSession } from 'onnxruntime-node'
import { InvalidInputError, ModelError } from '../../src/ports/index.js'
import type { EmbeddingTask } from './embedding-task.js'
import { checkModelFile, type ModelFolder, readModelFile } from './model-folder.js'
import { poolInto } from './pooling.js'
import { parseTokenizerFile, type SpecialTokenIds } from './tokenizer-file.js'
import { WordPieceTokenizer } from './word-piece-tokenizer.js'

const WEIGHTS = 'onnx/model_quantized.onnx'
const OUTPUT = 'last_hidden_state'
/** Only the worker's thread computes: other workers run beside it. */
const SESSION_OPTIONS: InferenceSession.SessionOptions = { intraOpNumThreads: 1, interOpNumThreads: 1 }

/** The inputs of a BERT model, by their name. */
const INPUTS: Readonly<Record<string, (ids: BigInt64Array, mask: BigInt64Array) => BigInt64Array>> = {
  input_ids: (ids) => ids,
  attention_mask: (_, mask) => mask,
  token_type_ids: (ids) => new BigInt64Array(ids.length),
}

/**
 * A model whose weights stay in memory until the last reference is dropped: the runtime has no call that frees them.
 * Only for a worker thread, because a run blocks.
 */
export class LoadedModel {
  readonly special: SpecialTokenIds
  readonly #folder: ModelFolder
  readonly #session: InferenceSession
  readonly #tokenizer: WordPieceTokenizer

  private constructor(
    folder: ModelFolder,
    session: InferenceSession,
    tokenizer: WordPieceTokenizer,
    special: SpecialTokenIds,
  ) {
    this.#folder = folder
    this.#session = session
    this.#tokenizer = tokenizer
    this.special = special
  }

  /** @throws ModelError if files are missing, changed or not supported */
  static async load(folder: ModelFolder): Promise<LoadedModel> {
    await checkModelFile(folder, WEIGHTS)
    const file = await readModelFile(folder.folder, 'tokenizer.json')
    const { options, special } = parseTokenizerFile(file.toString('utf8'))
    const session = await runtime.InferenceSession.create(join(folder.folder, WEIGHTS), SESSION_OPTIONS)
    const problem = findProblem(session)
    if (problem !== undefined) {
      throw new ModelError('ERR_MODEL_UNSUPPORTED', `the model in ${folder.folder} cannot be used: ${problem}`)
    }
    // Long runs are already broken in the texts, so longer words are read as the reference reads them.
    return new LoadedModel(folder, session, new WordPieceTokenizer({ ...options, longWords: 'unknown' }), special)
  }

  /** Encodes texts to ids of tokens, with the prefix and without special tokens. */
  encode(request: {
    readonly kind: 'query' | 'passage'
    readonly texts: readonly string[]
    readonly rows: readonly number[]
  }): Int32Array[] {
    const { queryPrefix, passagePrefix, windowTokens } = this.#folder.profile
    const prefix = request.kind === 'query' ? queryPrefix : passagePrefix
    return request.texts.map((text, index) => {
      const { ids } = this.#tokenizer.encode(prefix + text)
      if (ids.length + this.#tokenizer.specialTokens <= windowTokens) return ids
      const problem = `has more tokens than the model's window of ${windowTokens}: shorten it`
      throw new InvalidInputError(`texts[${request.rows[index]}]`, problem)
    })
  }

  /** Runs the model on the task's next batch, and stores the vectors in the task. */
  async embedBatch(task: EmbeddingTask): Promise<void> {
    const { profile } = this.#folder
    const { dimensions } = profile
    const { rows, tokensPerText, ids, mask } = task.takeBatch()
    const shape = [rows.length, tokensPerText]
    const feeds = this.#session.inputNames.map((name) => [
      name,
      new runtime.Tensor('int64', INPUTS[name]?.(ids, mask) ?? ids, shape),
    ])
    const output = await this.#session.run(Object.fromEntries(feeds) as InferenceSession.FeedsType, [OUTPUT])
    const vectors = { data: output[OUTPUT]?.data as Float32Array, tokensPerText, dimensions }
    rows.forEach((row, index) => {
      const into = task.vectors.subarray(row * dimensions, (row + 1) * dimensions)
      poolInto(into, vectors, index, task.tokensOf(row), profile)
    })
  }
}

function findProblem({ inputNames, outputNames }: InferenceSession): string | undefined {
  const unknownInput = inputNames.find((name) => !Object.hasOwn(INPUTS, name))
  if (unknownInput !== undefined) return `it needs an input "${unknownInput}", which a BERT model does not have`
  return outputNames.includes(OUTPUT) ? undefined : `it has no output "${OUTPUT}"`
}

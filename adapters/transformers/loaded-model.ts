import { basename, dirname } from 'node:path'
import { AutoModel, env, type PreTrainedModel, Tensor } from '@xenova/transformers'
import pLimit from 'p-limit'
import { InvalidInputError } from '../../src/ports/index.js'
import type { EmbeddingTask } from './embedding-task.js'
import { checkModelFile, type ModelFolder, readModelFile } from './model-folder.js'
import { poolInto } from './pooling.js'
import { parseTokenizerFile, type SpecialTokenIds } from './tokenizer-file.js'
import { WordPieceTokenizer } from './word-piece-tokenizer.js'

/** Loads one model at a time: where the library looks for it is a setting of the whole thread. */
const oneByOne = pLimit(1)

/** A model whose weights are in memory. Only for the worker thread: running it blocks. */
export class LoadedModel {
  readonly special: SpecialTokenIds
  readonly #folder: ModelFolder
  readonly #model: PreTrainedModel
  readonly #tokenizer: WordPieceTokenizer

  private constructor(
    folder: ModelFolder,
    model: PreTrainedModel,
    tokenizer: WordPieceTokenizer,
    special: SpecialTokenIds,
  ) {
    this.#folder = folder
    this.#model = model
    this.#tokenizer = tokenizer
    this.special = special
  }

  /** @throws ModelError where files are missing, changed or of another kind */
  static async load(folder: ModelFolder): Promise<LoadedModel> {
    await checkModelFile(folder, 'onnx/model_quantized.onnx')
    const file = await readModelFile(folder.folder, 'tokenizer.json')
    const { options, special } = parseTokenizerFile(file.toString('utf8'))
    const model = await oneByOne(async () => {
      env.allowRemoteModels = false
      env.localModelPath = dirname(folder.folder)
      return await AutoModel.from_pretrained(basename(folder.folder), { quantized: true, local_files_only: true })
    })
    // Texts come with long runs already broken: what is left is read as the reference reads it.
    return new LoadedModel(folder, model, new WordPieceTokenizer({ ...options, longWords: 'unknown' }), special)
  }

  /** Ids of the tokens of texts, prefix included and special tokens not. */
  encode(texts: readonly string[], kind: 'query' | 'passage'): Int32Array[] {
    const { queryPrefix, passagePrefix, windowTokens } = this.#folder.profile
    const prefix = kind === 'query' ? queryPrefix : passagePrefix
    return texts.map((text, index) => {
      const { ids } = this.#tokenizer.encode(prefix + text)
      if (ids.length + this.#tokenizer.specialTokens <= windowTokens) return ids
      const problem = `has more tokens than the model's window of ${windowTokens}: nothing is cut off silently`
      throw new InvalidInputError(`texts[${index}]`, problem)
    })
  }

  /** Runs the model on the task's next batch, and puts the vectors into the task. */
  async embedBatch(task: EmbeddingTask): Promise<void> {
    const { profile } = this.#folder
    const { dimensions } = profile
    const { rows, tokensPerText, ids, mask } = task.takeBatch()
    const shape = [rows.length, tokensPerText]
    const output = (await this.#model({
      input_ids: new Tensor('int64', ids, shape),
      attention_mask: new Tensor('int64', mask, shape),
      token_type_ids: new Tensor('int64', new BigInt64Array(ids.length), shape),
    })) as { readonly last_hidden_state: { readonly data: Float32Array } }
    const vectors = { data: output.last_hidden_state.data, tokensPerText, dimensions }
    rows.forEach((row, index) => {
      const into = task.vectors.subarray(row * dimensions, (row + 1) * dimensions)
      poolInto(into, vectors, index, task.tokensOf(row), profile)
    })
  }

  async unload(): Promise<void> {
    await this.#model.dispose()
  }
}

import type { Tokenizer } from '../../src/ports/index.js'
import {
  checkModelFile,
  DeviceEmbeddingModel,
  describeFolder,
  type EmbeddingInput,
  type EncodeOptions,
  type OpenFolderOptions,
  openModelFolder,
} from '../node-kit/index.js'
import { requireLibrary } from './library.js'
import { TokenizerThread } from './tokenizer-thread.js'
import { XenovaTokenizer } from './xenova-tokenizer.js'

/**
 * A sentence embedding model with any tokenizer that `@xenova/transformers` reads: Unigram, BPE or WordPiece. It runs on
 * this device and never asks a network.
 */
export class XenovaEmbeddingModel extends DeviceEmbeddingModel {
  /** The model computes the first texts while the thread of the tokenizer encodes the next. */
  protected override readonly textsPerGroup = 64
  #thread: Promise<TokenizerThread> | undefined

  /**
   * Opens a model in a folder with the files `config.json`, `tokenizer.json`, `tokenizer_config.json` and
   * `onnx/model_quantized.onnx` or `onnx/model.onnx`, in the layout of transformers.js. This reads only the profile, and
   * makes a missing `profile.json`.
   *
   * @param options `isReadOnly`: a missing `profile.json` is not written
   * @throws UnsupportedError if the package `@xenova/transformers` is not installed
   * @throws ModelError `ERR_MODEL_MISSING`, `ERR_MODEL_CHANGED`, `ERR_MODEL_UNSUPPORTED`
   */
  static async open(folder: string, { isReadOnly = false }: OpenFolderOptions = {}): Promise<XenovaEmbeddingModel> {
    const model = await (isReadOnly ? describeFolder(folder) : openModelFolder(folder))
    requireLibrary(model.profile.id)
    return new XenovaEmbeddingModel(model, new URL('./xenova-runner.js', import.meta.url))
  }

  override async close(): Promise<void> {
    await super.close()
    const thread = await this.#thread?.catch(() => undefined)
    await thread?.close()
  }

  protected async loadTokenizer(): Promise<Tokenizer> {
    return XenovaTokenizer.of(await this.#startThread())
  }

  protected async encode(
    texts: readonly string[],
    { kind, isUrgent, firstRow, signals }: EncodeOptions,
  ): Promise<readonly EmbeddingInput[]> {
    if (texts.length === 0) return []
    const { queryPrefix, passagePrefix, windowTokens } = this.profile
    const prefix = kind === 'query' ? queryPrefix : passagePrefix
    const thread = await this.#startThread()
    for (const signal of signals) signal.throwIfAborted()
    return await thread.encode({ prefix, texts, windowTokens, isUrgent, firstRow }, signals)
  }

  async #startThread(): Promise<TokenizerThread> {
    this.#thread ??= this.#loadThread().catch((error: unknown) => {
      this.#thread = undefined
      throw error
    })
    return await this.#thread
  }

  async #loadThread(): Promise<TokenizerThread> {
    await checkModelFile(this.model, 'tokenizer.json')
    return await TokenizerThread.start(this.model.folder, () => {
      this.#thread = undefined
      this.forgetTokenizer()
    })
  }
}

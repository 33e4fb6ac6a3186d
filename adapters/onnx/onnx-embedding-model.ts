import { setMaxListeners } from 'node:events'
import {
  ClosedError,
  type EmbeddingModel,
  type EmbeddingProfile,
  type EmbedOptions,
  type Tokenizer,
} from '../../src/ports/index.js'
import { EmbeddingThreads } from './embedding-threads.js'
import { checkModelFile, checkModelFiles, type ModelFolder, readModelFile, readModelFolder } from './model-folder.js'
import { runInSlices } from './steps.js'
import { readTokenizerFile } from './tokenizer-file.js'
import { WordPieceTokenizer } from './word-piece-tokenizer.js'

/** A sentence embedding model on this device. ONNX Runtime computes it in worker threads. */
export class OnnxEmbeddingModel implements EmbeddingModel {
  readonly profile: EmbeddingProfile
  readonly concurrency: number
  readonly #folder: ModelFolder
  readonly #threads = EmbeddingThreads.shared
  readonly #closing = new AbortController()
  #tokenizer: Promise<Tokenizer> | undefined
  #releasing: Promise<void> | undefined

  private constructor(folder: ModelFolder) {
    this.#folder = folder
    this.profile = folder.profile
    this.concurrency = this.#threads.concurrency
    this.#threads.acquire(folder)
    // Each call in progress adds a listener.
    setMaxListeners(0, this.#closing.signal)
  }

  /**
   * Opens a model in a folder with the files `profile.json`, `tokenizer.json` and `onnx/model_quantized.onnx`, in the
   * layout of transformers.js. This reads only the profile.
   *
   * @throws ModelError `ERR_MODEL_MISSING`, `ERR_MODEL_CHANGED`
   */
  static async open(folder: string): Promise<OnnxEmbeddingModel> {
    return new OnnxEmbeddingModel(await readModelFolder(folder))
  }

  async tokenizer(): Promise<Tokenizer> {
    this.#closing.signal.throwIfAborted()
    this.#tokenizer ??= this.#loadTokenizer().catch((error: unknown) => {
      this.#tokenizer = undefined
      throw error
    })
    return await this.#tokenizer
  }

  async embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array> {
    const { kind, isUrgent = kind === 'query', signal } = options
    const signals = [this.#closing.signal, ...(signal ? [signal] : [])]
    return await this.#threads.embed(this.#folder, { kind, isUrgent, texts, signals })
  }

  async verify(): Promise<void> {
    this.#closing.signal.throwIfAborted()
    await checkModelFiles(this.#folder)
  }

  /** Also waits for the batch in progress: the process may exit once this resolves. */
  async close(): Promise<void> {
    this.#closing.abort(new ClosedError(`the embedding model ${this.profile.id}`))
    this.#releasing ??= this.#threads.release(this.#folder)
    await this.#releasing
  }

  async #loadTokenizer(): Promise<Tokenizer> {
    await checkModelFile(this.#folder, 'tokenizer.json')
    const file = await readModelFile(this.#folder.folder, 'tokenizer.json')
    const { options } = await runInSlices(readTokenizerFile(file.toString('utf8')))
    return await WordPieceTokenizer.create(options)
  }
}

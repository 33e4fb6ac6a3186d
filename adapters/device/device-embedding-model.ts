import { setMaxListeners } from 'node:events'
import {
  ClosedError,
  type EmbeddingModel,
  type EmbeddingProfile,
  type EmbedOptions,
  untilAborted,
  withAnySignal,
} from '../../src/ports/index.js'
import { type OpenFolderOptions, openModelFolder } from './describe-model-folder.js'
import type { DeviceTokenizer } from './device-tokenizer.js'
import {
  CONFIG_FILE,
  checkModelFile,
  checkModelFiles,
  type ModelFolder,
  readModelFile,
  TOKENIZER_FILE,
} from './model-folder.js'
import { openTokenizer, tokenizerKindOf } from './open-tokenizer.js'
import { EmbeddingThreads } from './threads/embedding-threads.js'

/** A sentence embedding model in a folder. Threads that all models of this process share compute its vectors. */
export class DeviceEmbeddingModel implements EmbeddingModel {
  readonly profile: EmbeddingProfile
  readonly concurrency: number
  readonly #model: ModelFolder
  readonly #threads = EmbeddingThreads.shared
  readonly #closing = new AbortController()
  #tokenizer: Promise<DeviceTokenizer> | undefined
  #releasing: Promise<void> | undefined

  private constructor(model: ModelFolder) {
    this.#model = model
    this.profile = model.profile
    this.concurrency = this.#threads.concurrency
    this.#threads.acquire(model)
    // Each call in progress adds a listener.
    setMaxListeners(0, this.#closing.signal)
  }

  /**
   * Opens a model in a folder with the files `tokenizer.json` and `onnx/model_quantized.onnx` or `onnx/model.onnx`, in
   * the layout of transformers.js. A tokenizer other than BERT's WordPiece also needs `config.json`. This reads only the
   * profile, and makes a missing `profile.json`.
   *
   * @param options `isReadOnly`: a missing `profile.json` is not written
   * @throws ModelError `ERR_MODEL_MISSING`, `ERR_MODEL_CHANGED`, `ERR_MODEL_UNSUPPORTED`
   */
  static async open(folder: string, options: OpenFolderOptions = {}): Promise<DeviceEmbeddingModel> {
    const model = await openModelFolder(folder, options)
    if ((await tokenizerKindOf(folder)) !== 'word-piece') await readModelFile(folder, CONFIG_FILE)
    return new DeviceEmbeddingModel(model)
  }

  get isLoaded(): boolean {
    return this.#threads.holds(this.#model)
  }

  async tokenizer(): Promise<DeviceTokenizer> {
    this.#closing.signal.throwIfAborted()
    this.#tokenizer ??= this.#loadTokenizer()
    const loading = this.#tokenizer
    const tokenizer = await loading.catch((error: unknown) => {
      this.#forget(loading)
      throw error
    })
    if (!tokenizer.hasEnded) return tokenizer
    this.#forget(loading)
    return await this.tokenizer()
  }

  async embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array> {
    const { kind, isUrgent = kind === 'query', signal } = options
    const { dimensions, queryPrefix, passagePrefix, windowTokens } = this.profile
    const prefix = kind === 'query' ? queryPrefix : passagePrefix
    const vectors = new Float32Array(texts.length * dimensions)
    const failed = new AbortController()
    await withAnySignal([this.#closing.signal, signal, failed.signal], async (ended) => {
      // Each part of a call in progress adds a listener.
      setMaxListeners(0, ended)
      // After a failure, the rest is useless.
      const fail = (error: unknown): void => failed.abort(error)
      try {
        const tokenizer = await untilAborted(this.tokenizer(), ended)
        const groups: Promise<void>[] = []
        const { textsPerCall } = tokenizer
        for (let firstRow = 0; firstRow < texts.length; firstRow += textsPerCall) {
          const group = texts.slice(firstRow, firstRow + textsPerCall)
          const inputs = await tokenizer.inputs(group, { prefix, windowTokens, isUrgent, firstRow, signal: ended })
          const rows = this.#threads.embed(this.#model, { isUrgent, inputs, signal: ended })
          const done = rows.then((found) => vectors.set(found, firstRow * dimensions))
          done.catch(fail)
          groups.push(done)
        }
        await Promise.all(groups)
      } catch (error) {
        fail(error)
        throw error
      }
    })
    return vectors
  }

  async verify(): Promise<void> {
    this.#closing.signal.throwIfAborted()
    await checkModelFiles(this.#model)
  }

  /** Also waits for the batch in progress: the process may exit once this resolves. */
  async close(): Promise<void> {
    this.#closing.abort(new ClosedError(`the embedding model ${this.profile.id}`))
    this.#releasing ??= this.#release()
    await this.#releasing
  }

  async #release(): Promise<void> {
    await this.#threads.release(this.#model)
    const tokenizer = await this.#tokenizer?.catch(() => undefined)
    await tokenizer?.close()
  }

  async #loadTokenizer(): Promise<DeviceTokenizer> {
    await checkModelFile(this.#model, TOKENIZER_FILE)
    return await openTokenizer(this.#model.folder)
  }

  /** Makes the next call load a tokenizer. */
  #forget(tokenizer: Promise<DeviceTokenizer>): void {
    if (this.#tokenizer === tokenizer) this.#tokenizer = undefined
  }
}

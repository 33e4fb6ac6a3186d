import { setMaxListeners } from 'node:events'
import {
  ClosedError,
  type EmbeddingModel,
  type EmbeddingProfile,
  type EmbedOptions,
  type Tokenizer,
} from '../../../src/ports/index.js'
import type { DeviceModel, EmbeddingInput } from './embedding-protocol.js'
import { EmbeddingThreads } from './embedding-threads.js'
import { checkModelFiles, type ModelFolder } from './model-folder.js'

/** Options of {@link DeviceEmbeddingModel.encode}. */
export interface EncodeOptions {
  readonly kind: 'query' | 'passage'
  /** True if it overtakes requests that are not urgent. */
  readonly isUrgent: boolean
  /** The index of the first text among the caller's texts, for errors. */
  readonly firstRow: number
  /** Signals, each of which aborts the call. */
  readonly signals: readonly AbortSignal[]
}

/** A sentence embedding model in a folder. Threads that all adapters of this process share compute its vectors. */
export abstract class DeviceEmbeddingModel implements EmbeddingModel {
  readonly profile: EmbeddingProfile
  readonly concurrency: number
  protected readonly model: DeviceModel
  /** Aborted once the model is closed. */
  protected readonly closing: AbortSignal
  /** The number of texts that are encoded before the model gets them. Default: all texts of a call. */
  protected readonly textsPerGroup: number = Number.POSITIVE_INFINITY
  readonly #threads = EmbeddingThreads.shared
  readonly #closing = new AbortController()
  #tokenizer: Promise<Tokenizer> | undefined
  #releasing: Promise<void> | undefined

  /** @param runner the module that runs the model in a thread; it exports `openRunner` */
  protected constructor(folder: ModelFolder, runner: URL) {
    this.model = { ...folder, runner: runner.href }
    this.profile = folder.profile
    this.closing = this.#closing.signal
    this.concurrency = this.#threads.concurrency
    this.#threads.acquire(this.model)
    // Each call in progress adds a listener.
    setMaxListeners(0, this.#closing.signal)
  }

  get isLoaded(): boolean {
    return this.#threads.holds(this.model)
  }

  async tokenizer(): Promise<Tokenizer> {
    this.closing.throwIfAborted()
    this.#tokenizer ??= this.loadTokenizer().catch((error: unknown) => {
      this.forgetTokenizer()
      throw error
    })
    return await this.#tokenizer
  }

  async embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array> {
    const { kind, isUrgent = kind === 'query', signal } = options
    const ended = new AbortController()
    const signals = [this.closing, ended.signal, ...(signal ? [signal] : [])]
    for (const each of signals) each.throwIfAborted()
    const embedGroup = async (first: number): Promise<Float32Array> => {
      const group = texts.slice(first, first + this.textsPerGroup)
      const inputs = await this.encode(group, { kind, isUrgent, firstRow: first, signals })
      return await this.#threads.embed(this.model, { kind, isUrgent, inputs, signals })
    }
    if (texts.length <= this.textsPerGroup) return await embedGroup(0)
    const vectors = new Float32Array(texts.length * this.profile.dimensions)
    const firsts = Array.from(
      { length: Math.ceil(texts.length / this.textsPerGroup) },
      (_, group) => group * this.textsPerGroup,
    )
    try {
      await Promise.all(
        firsts.map(async (first) => vectors.set(await embedGroup(first), first * this.profile.dimensions)),
      )
    } catch (error) {
      // Do not compute the rest, which is useless now.
      ended.abort(error)
      throw error
    }
    return vectors
  }

  async verify(): Promise<void> {
    this.closing.throwIfAborted()
    await checkModelFiles(this.model)
  }

  /** Also waits for the batch in progress: the process may exit once this resolves. */
  async close(): Promise<void> {
    this.#closing.abort(new ClosedError(`the embedding model ${this.profile.id}`))
    this.#releasing ??= this.#threads.release(this.model)
    await this.#releasing
  }

  protected abstract loadTokenizer(): Promise<Tokenizer>

  /** Makes the inputs of the runner. It may pass the texts on, for the runner to encode. */
  protected abstract encode(texts: readonly string[], options: EncodeOptions): Promise<readonly EmbeddingInput[]>

  /** Makes the next call of {@link tokenizer} load it a second time. */
  protected forgetTokenizer(): void {
    this.#tokenizer = undefined
  }
}

import { setMaxListeners } from 'node:events'
import { availableParallelism } from 'node:os'
import {
  ClosedError,
  type EmbeddingModel,
  type EmbeddingProfile,
  type EmbedOptions,
  type Tokenizer,
} from '../../src/ports/index.js'
import { modelKey } from './embedding-protocol.js'
import { EmbeddingThread, type EmbedRequest } from './embedding-thread.js'
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
    const { options } = await runInSlices(readTokenizerFile(file))
    return await WordPieceTokenizer.create(options)
  }
}

/** Texts to embed. */
interface EmbedTexts extends Pick<EmbedRequest, 'kind' | 'isUrgent' | 'texts'> {
  /** Signals, each of which aborts the call. */
  readonly signals: readonly AbortSignal[]
}

/**
 * The highest number of threads. Each has the weights of its models in memory. The host keeps the cores beyond this
 * number.
 */
const MAX_THREADS = 8
/**
 * The number of shares of a thread: one in progress, and one that is ready when it ends, however busy the host's thread
 * is.
 */
const SHARES_PER_THREAD = 2
/**
 * The characters of a share of a request's texts: some batches of the model, so that threads finish at about the same
 * time.
 */
const CHARACTERS_PER_SHARE = 8_000

/** A part of a request that waits for a thread. */
interface WaitingShare {
  readonly start: (thread: EmbeddingThread) => void
  readonly fail: (error: Error) => void
}

/**
 * The threads of this process that run embedding models, one for each core. Sessions with one thread each compute more
 * than one session on all cores: no thread waits for others within a batch.
 */
class EmbeddingThreads {
  static #shared: EmbeddingThreads | undefined

  readonly #threads: EmbeddingThread[] = []
  readonly #users = new Map<string, number>()
  /** Shares of passages that found no free thread. */
  readonly #waiting: WaitingShare[] = []
  #maxThreads = Math.min(MAX_THREADS, availableParallelism())

  static get shared(): EmbeddingThreads {
    EmbeddingThreads.#shared ??= new EmbeddingThreads()
    return EmbeddingThreads.#shared
  }

  /** The highest number of threads. */
  get concurrency(): number {
    return this.#maxThreads
  }

  /** Marks a model as in use, until it is released as often as it was acquired. */
  acquire(model: ModelFolder): void {
    const key = modelKey(model)
    this.#users.set(key, (this.#users.get(key) ?? 0) + 1)
  }

  /** Resolves once no earlier request is being computed: after the time of one batch at most. */
  async release(model: ModelFolder): Promise<void> {
    const key = modelKey(model)
    const users = (this.#users.get(key) ?? 1) - 1
    this.#users.set(key, users)
    await Promise.all(this.#threads.map((thread) => thread.release(model, users === 0)))
  }

  /** Computes the vectors of texts, row by row. The texts are distributed over the threads. */
  async embed(model: ModelFolder, { kind, isUrgent, texts, signals }: EmbedTexts): Promise<Float32Array> {
    const { dimensions } = model.profile
    const vectors = new Float32Array(texts.length * dimensions)
    // A controller for this call only: long-lived signals would keep its listeners in memory.
    const cancellation = new AbortController()
    setMaxListeners(0, cancellation.signal)
    const aborts = signals.map((signal) => {
      signal.throwIfAborted()
      return { signal, abort: () => cancellation.abort(signal.reason) }
    })
    for (const { signal, abort } of aborts) signal.addEventListener('abort', abort, { once: true })
    try {
      await Promise.all(
        splitIntoShares(texts).map(async (rows) => {
          const shareTexts = rows.map((row) => texts[row] ?? '')
          const share = { kind, isUrgent, texts: shareTexts, rows, signal: cancellation.signal }
          const part = await (isUrgent
            ? this.#findUrgentThread(model).embed(model, share)
            : this.#embedWhenFree(model, share))
          rows.forEach((row, at) => {
            vectors.set(part.subarray(at * dimensions, (at + 1) * dimensions), row * dimensions)
          })
        }),
      )
    } catch (error) {
      // Do not compute the rest, which is useless now.
      cancellation.abort(error)
      throw error
    } finally {
      for (const { signal, abort } of aborts) signal.removeEventListener('abort', abort)
    }
    return vectors
  }

  async #embedWhenFree(
    model: ModelFolder,
    share: EmbedRequest & { readonly signal: AbortSignal },
  ): Promise<Float32Array> {
    return await new Promise((resolve, reject) => {
      share.signal.addEventListener('abort', () => reject(share.signal.reason as Error), { once: true })
      const start = (thread: EmbeddingThread): void => void thread.embed(model, share).then(resolve, reject)
      this.#waiting.push({ start, fail: reject })
      this.#startWaiting()
    })
  }

  /** Starts waiting shares on free threads. Called whenever a thread may be free. */
  #startWaiting(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#findFreeThread()
      if (thread === undefined) break
      this.#waiting.shift()?.start(thread)
    }
    if (this.#living.length > 0 || this.#threads.length === 0) return
    for (const { fail } of this.#waiting.splice(0)) fail(allEndedError())
  }

  /** Finds a thread for work that is not urgent: an idle one, then a new one, then one that is nearly idle. */
  #findFreeThread(): EmbeddingThread | undefined {
    const least = leastBusy(this.#living)
    if (least?.requests === 0) return least
    return this.#startAnother() ?? (least !== undefined && least.requests < SHARES_PER_THREAD ? least : undefined)
  }

  /** Finds a thread for urgent work. It does not wait here, because threads compute urgent work first. */
  #findUrgentThread(model: ModelFolder): EmbeddingThread {
    const living = this.#living
    const thread =
      leastBusy(living.filter((candidate) => candidate.holds(model))) ?? leastBusy(living) ?? this.#startAnother()
    if (thread === undefined) throw allEndedError()
    // Later requests then find another thread that has loaded the model.
    if (thread.requests > 0)
      this.#startAnother()
        ?.embed(model, LOAD_ONLY)
        .catch(() => undefined)
    return thread
  }

  /** Threads load the runtime one after the other, and no new thread starts after one has ended. */
  #startAnother(): EmbeddingThread | undefined {
    const hasRoom =
      this.#threads.length < this.#maxThreads && this.#threads.every((thread) => thread.isReady && !thread.hasEnded)
    if (!hasRoom) return undefined
    try {
      const thread = new EmbeddingThread(() => this.#startWaiting())
      this.#threads.push(thread)
      return thread
    } catch (error) {
      if (this.#threads.length === 0) throw error
      // The system has no resources for more threads.
      this.#maxThreads = this.#threads.length
      return undefined
    }
  }

  get #living(): readonly EmbeddingThread[] {
    return this.#threads.filter(({ hasEnded }) => !hasEnded)
  }
}

/** A request that loads a model and computes nothing. */
const LOAD_ONLY: EmbedRequest = { kind: 'query', isUrgent: true, texts: [], rows: [], signal: undefined }

function leastBusy(threads: readonly EmbeddingThread[]): EmbeddingThread | undefined {
  return threads.toSorted((one, other) => one.requests - other.requests)[0]
}

function allEndedError(): Error {
  return new Error('all embedding threads have ended: restart the process')
}

/** Groups texts into shares of about the same length, the longest first. */
function splitIntoShares(texts: readonly string[]): readonly number[][] {
  const shares: number[][] = []
  let characters = Number.POSITIVE_INFINITY
  const rows = texts.map((text, row) => ({ row, length: text.length }))
  for (const { row, length } of rows.sort((one, other) => other.length - one.length)) {
    if (characters + length > CHARACTERS_PER_SHARE) {
      shares.push([])
      characters = 0
    }
    shares.at(-1)?.push(row)
    characters += length
  }
  return shares
}

import { setMaxListeners } from 'node:events'
import { availableParallelism } from 'node:os'
import { modelKey } from './embedding-protocol.js'
import { EmbeddingThread, type EmbedRequest } from './embedding-thread.js'
import type { ModelFolder } from './model-folder.js'

/** Each holds the weights of its models; more than this many cores are left to the host. */
const MOST_THREADS = 8
/** One that is being computed, and one that is there when it ends, however busy the host's thread is. */
const SHARES_PER_THREAD = 2
/** Of a share of a request's texts: some batches of the model, so that threads end at about the same time. */
const CHARACTERS_PER_SHARE = 8_000

/**
 * The threads of this process in which embedding models run, one for each core. A session of one thread each computes
 * more than one session on all of them: nobody waits for others within a batch.
 */
export class EmbeddingThreads {
  static #shared: EmbeddingThreads | undefined

  readonly #most = Math.min(MOST_THREADS, availableParallelism())
  readonly #threads: EmbeddingThread[] = []
  readonly #users = new Map<string, number>()
  /** Shares of passages for which no thread was free. */
  readonly #waiting: ((thread: EmbeddingThread) => void)[] = []

  static get shared(): EmbeddingThreads {
    EmbeddingThreads.#shared ??= new EmbeddingThreads()
    return EmbeddingThreads.#shared
  }

  /** A model is in use until it is released as often as it was acquired. */
  acquire(model: ModelFolder): void {
    const key = modelKey(model)
    this.#users.set(key, (this.#users.get(key) ?? 0) + 1)
  }

  /** Resolves once nothing that was asked for before is being computed any more: a batch's time at most. */
  async release(model: ModelFolder): Promise<void> {
    const key = modelKey(model)
    const users = (this.#users.get(key) ?? 1) - 1
    this.#users.set(key, users)
    await Promise.all(this.#threads.map((thread) => thread.release(model, users === 0)))
  }

  /** Vectors of texts, row by row. Its texts are dealt over the threads. */
  async embed(model: ModelFolder, request: Omit<EmbedRequest, 'rows'>): Promise<Float32Array> {
    const { dimensions } = model.profile
    const vectors = new Float32Array(request.texts.length * dimensions)
    // What has become useless is not computed.
    const failing = new AbortController()
    const signal = request.signal ? AbortSignal.any([request.signal, failing.signal]) : failing.signal
    setMaxListeners(0, signal)
    try {
      await Promise.all(
        sharesOf(request.texts).map(async (rows) => {
          const share = { ...request, texts: rows.map((row) => request.texts[row] ?? ''), rows, signal }
          const part = await this.#embedShare(model, share)
          rows.forEach((row, at) => {
            vectors.set(part.subarray(at * dimensions, (at + 1) * dimensions), row * dimensions)
          })
        }),
      )
    } catch (error) {
      failing.abort(error)
      throw error
    }
    return vectors
  }

  async #embedShare(model: ModelFolder, share: EmbedRequest & { readonly signal: AbortSignal }): Promise<Float32Array> {
    // A query waits for nobody here: threads compute queries first.
    if (share.kind === 'query') return await (this.#leastBusy() ?? this.#start()).embed(model, share)
    return await new Promise((resolve, reject) => {
      share.signal.addEventListener('abort', () => reject(share.signal.reason as Error), { once: true })
      this.#waiting.push((thread) => {
        const deal = (): void => this.#deal()
        thread.embed(model, share).then(resolve, reject).then(deal, deal)
      })
      this.#deal()
    })
  }

  #deal(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#freeThread()
      if (thread === undefined) return
      this.#waiting.shift()?.(thread)
    }
  }

  /** A thread for passages: an idle one, then a new one, then one that is about to be idle. */
  #freeThread(): EmbeddingThread | undefined {
    const least = this.#leastBusy()
    if (least?.requests === 0) return least
    if (this.#threads.length < this.#most && this.#threads.every(({ isReady }) => isReady)) return this.#start()
    return least !== undefined && least.requests < SHARES_PER_THREAD ? least : undefined
  }

  #leastBusy(): EmbeddingThread | undefined {
    return this.#threads.toSorted((one, other) => one.requests - other.requests)[0]
  }

  #start(): EmbeddingThread {
    const thread = new EmbeddingThread()
    this.#threads.push(thread)
    return thread
  }
}

/** Which texts go together: those of about one length, the longest first. */
function sharesOf(texts: readonly string[]): readonly number[][] {
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

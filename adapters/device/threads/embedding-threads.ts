import { availableParallelism } from 'node:os'
import type { ModelFolder } from '../model-folder.js'
import { modelKey } from './embedding-protocol.js'
import { EmbeddingThread, type EmbedRequest } from './embedding-thread.js'

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
/** The tokens of a share of a request: some batches of the model, so that threads finish at about the same time. */
const TOKENS_PER_SHARE = 2_000

type EmbedCall = EmbedRequest & { readonly signal: AbortSignal }

/** A part of a request that waits for a thread. */
interface WaitingShare {
  readonly start: (thread: EmbeddingThread) => void
  readonly fail: (error: Error) => void
}

/**
 * The threads of this process that run embedding models, one for each core. Sessions with one thread each compute more
 * than one session on all cores: no thread waits for others within a batch.
 */
export class EmbeddingThreads {
  static #shared: EmbeddingThreads | undefined

  #threads: EmbeddingThread[] = []
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

  /** True if a model is in the memory of a thread. */
  holds(model: ModelFolder): boolean {
    return this.#living.some((thread) => thread.holds(model))
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

  /**
   * Computes the vectors of texts, row by row. The texts are distributed over the threads. The caller aborts the signal
   * after a failure, because the rest is useless then.
   */
  async embed(model: ModelFolder, { isUrgent, inputs, signal }: EmbedCall): Promise<Float32Array> {
    const { dimensions } = model.profile
    const vectors = new Float32Array(inputs.length * dimensions)
    await Promise.all(
      splitIntoShares(inputs).map(async (rows) => {
        const share = { isUrgent, inputs: rows.map((row) => inputs[row] ?? new Int32Array()), signal }
        const part = await (isUrgent
          ? this.#findUrgentThread(model).embed(model, share)
          : this.#embedWhenFree(model, share))
        rows.forEach((row, at) => {
          vectors.set(part.subarray(at * dimensions, (at + 1) * dimensions), row * dimensions)
        })
      }),
    )
    return vectors
  }

  async #embedWhenFree(model: ModelFolder, share: EmbedCall): Promise<Float32Array> {
    return await new Promise((resolve, reject) => {
      share.signal.addEventListener('abort', () => reject(share.signal.reason as Error), { once: true })
      const start = (thread: EmbeddingThread): void => void thread.embed(model, share).then(resolve, reject)
      this.#waiting.push({ start, fail: reject })
      this.#startWaiting()
    })
  }

  /** Starts waiting shares on free threads. Called whenever a thread may be free. */
  #startWaiting(): void {
    this.#threads = this.#threads.filter(({ hasEnded, isReplaceable }) => !hasEnded || !isReplaceable)
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
const LOAD_ONLY: EmbedRequest = { isUrgent: true, inputs: [] }

function leastBusy(threads: readonly EmbeddingThread[]): EmbeddingThread | undefined {
  return threads.toSorted((one, other) => one.requests - other.requests)[0]
}

function allEndedError(): Error {
  return new Error('all embedding threads have ended: restart the process')
}

/** Groups texts into shares of about the same length, the longest first. */
function splitIntoShares(inputs: readonly Int32Array[]): readonly number[][] {
  const shares: number[][] = []
  let tokens = Number.POSITIVE_INFINITY
  const rows = inputs.map(({ length }, row) => ({ row, length }))
  for (const { row, length } of rows.sort((one, other) => other.length - one.length)) {
    if (tokens + length > TOKENS_PER_SHARE) {
      shares.push([])
      tokens = 0
    }
    shares.at(-1)?.push(row)
    tokens += length
  }
  return shares
}

import { setMaxListeners } from 'node:events'
import { availableParallelism } from 'node:os'
import { modelKey } from './embedding-protocol.js'
import { EmbeddingThread, type EmbedRequest } from './embedding-thread.js'
import type { ModelFolder } from './model-folder.js'

/** Texts to embed. */
export interface EmbedTexts extends Pick<EmbedRequest, 'kind' | 'isUrgent' | 'texts'> {
  /** Any of them ends it. */
  readonly signals: readonly AbortSignal[]
}

/** Each holds the weights of its models; more than this many cores are left to the host. */
const MOST_THREADS = 8
/** One that is being computed, and one that is there when it ends, however busy the host's thread is. */
const SHARES_PER_THREAD = 2
/** Of a share of a request's texts: some batches of the model, so that threads end at about the same time. */
const CHARACTERS_PER_SHARE = 8_000

/** Part of a request that waits for a thread. */
interface WaitingShare {
  readonly begin: (thread: EmbeddingThread) => void
  readonly fail: (error: Error) => void
}

/**
 * The threads of this process in which embedding models run, one for each core. A session of one thread each computes
 * more than one session on all of them: nobody waits for others within a batch.
 */
export class EmbeddingThreads {
  static #shared: EmbeddingThreads | undefined

  readonly #threads: EmbeddingThread[] = []
  readonly #users = new Map<string, number>()
  /** Of passages for which no thread was free. */
  readonly #waiting: WaitingShare[] = []
  #most = Math.min(MOST_THREADS, availableParallelism())

  static get shared(): EmbeddingThreads {
    EmbeddingThreads.#shared ??= new EmbeddingThreads()
    return EmbeddingThreads.#shared
  }

  /** Threads there may be. */
  get concurrency(): number {
    return this.#most
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
  async embed(model: ModelFolder, { kind, isUrgent, texts, signals }: EmbedTexts): Promise<Float32Array> {
    const { dimensions } = model.profile
    const vectors = new Float32Array(texts.length * dimensions)
    // Of this call alone: signals that live long would keep what listens to them, or is made of them.
    const ending = new AbortController()
    setMaxListeners(0, ending.signal)
    const aborts = signals.map((signal) => {
      signal.throwIfAborted()
      return { signal, abort: () => ending.abort(signal.reason) }
    })
    for (const { signal, abort } of aborts) signal.addEventListener('abort', abort, { once: true })
    try {
      await Promise.all(
        sharesOf(texts).map(async (rows) => {
          const ofRows = rows.map((row) => texts[row] ?? '')
          const share = { kind, isUrgent, texts: ofRows, rows, signal: ending.signal }
          const part = await (isUrgent ? this.#threadFor(model).embed(model, share) : this.#wait(model, share))
          rows.forEach((row, at) => {
            vectors.set(part.subarray(at * dimensions, (at + 1) * dimensions), row * dimensions)
          })
        }),
      )
    } catch (error) {
      // What has become useless is not computed.
      ending.abort(error)
      throw error
    } finally {
      for (const { signal, abort } of aborts) signal.removeEventListener('abort', abort)
    }
    return vectors
  }

  async #wait(model: ModelFolder, share: EmbedRequest & { readonly signal: AbortSignal }): Promise<Float32Array> {
    return await new Promise((resolve, reject) => {
      share.signal.addEventListener('abort', () => reject(share.signal.reason as Error), { once: true })
      const begin = (thread: EmbeddingThread): void => void thread.embed(model, share).then(resolve, reject)
      this.#waiting.push({ begin, fail: reject })
      this.#deal()
    })
  }

  /** Begins what waits, as far as threads are free: called whenever one may have become so. */
  #deal(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#freeThread()
      if (thread === undefined) break
      this.#waiting.shift()?.begin(thread)
    }
    if (this.#living.length > 0 || this.#threads.length === 0) return
    for (const { fail } of this.#waiting.splice(0)) fail(allEnded())
  }

  /** A thread for what is not urgent: an idle one, then a new one, then one that is about to be idle. */
  #freeThread(): EmbeddingThread | undefined {
    const least = leastBusy(this.#living)
    if (least?.requests === 0) return least
    return this.#startAnother() ?? (least !== undefined && least.requests < SHARES_PER_THREAD ? least : undefined)
  }

  /** A thread for what is urgent, which waits for nobody here: threads compute that first. */
  #threadFor(model: ModelFolder): EmbeddingThread {
    const living = this.#living
    const thread = leastBusy(living.filter((one) => one.holds(model))) ?? leastBusy(living) ?? this.#startAnother()
    if (thread === undefined) throw allEnded()
    // The next ones find another, with the model in its memory.
    if (thread.requests > 0)
      this.#startAnother()
        ?.embed(model, NOTHING)
        .catch(() => undefined)
    return thread
  }

  /** One loads the runtime after the other; and none anew after one has gone. */
  #startAnother(): EmbeddingThread | undefined {
    const isRoom = this.#threads.length < this.#most && this.#threads.every((one) => one.isReady && !one.hasEnded)
    if (!isRoom) return undefined
    try {
      const thread = new EmbeddingThread(() => this.#deal())
      this.#threads.push(thread)
      return thread
    } catch (error) {
      if (this.#threads.length === 0) throw error
      // The system has no more of them to give.
      this.#most = this.#threads.length
      return undefined
    }
  }

  get #living(): readonly EmbeddingThread[] {
    return this.#threads.filter(({ hasEnded }) => !hasEnded)
  }
}

/** What loads a model, and computes nothing. */
const NOTHING: EmbedRequest = { kind: 'query', isUrgent: true, texts: [], rows: [], signal: undefined }

function leastBusy(threads: readonly EmbeddingThread[]): EmbeddingThread | undefined {
  return threads.toSorted((one, other) => one.requests - other.requests)[0]
}

function allEnded(): Error {
  return new Error('the threads of the embedding models have ended: start the process again')
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

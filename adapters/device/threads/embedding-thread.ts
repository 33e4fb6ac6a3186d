import type { ModelFolder } from '../model-folder.js'
import { type EmbeddingPlace, startPlace } from './embedding-place.js'
import { type EmbeddingRequest, type EmbeddingResponse, modelKey } from './embedding-protocol.js'
import { PendingRequests } from './pending-requests.js'
import { fromThreadError } from './thread-error.js'

const NO_VECTORS = new Float32Array()

export interface EmbedRequest {
  /** True if it overtakes requests that are not urgent. */
  readonly isUrgent: boolean
  /** The tokens of each text, special tokens included. */
  readonly inputs: readonly Int32Array[]
  readonly signal?: AbortSignal
}

/**
 * A thread that runs embedding models, or a process with one such thread: see {@link startPlace}.
 *
 * The engine never ends it. An idle one does not keep the host alive. If a process exits inside a native call, it
 * aborts. So a release resolves only after the thread has left that call.
 */
export class EmbeddingThread {
  /** An answer has vectors; none for a released model. */
  readonly #pending: PendingRequests<Float32Array>
  /** The keys of models that the thread has used. */
  readonly #models = new Set<string>()
  readonly #place: EmbeddingPlace
  #hasEnded = false
  #isReady = false

  /** @param onChange called when the thread is ready, has answered, or has ended */
  constructor(private readonly onChange: () => void) {
    this.#place = startPlace({
      onResponse: (response) => this.#handle(response),
      onEnd: (cause) => this.#handleEnd(cause),
    })
    this.#pending = new PendingRequests(this.#place, (id) => {
      this.#post({ type: 'cancel', id })
      this.onChange()
    })
  }

  /** True once the thread has loaded the native runtime: only one thread may load it at a time. */
  get isReady(): boolean {
    return this.#isReady
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** True if another thread may start after this one has ended. */
  get isReplaceable(): boolean {
    return this.#place.isReplaceable
  }

  /** True if a model is in the thread's memory. */
  holds(model: ModelFolder): boolean {
    return this.#models.has(modelKey(model))
  }

  /** The number of requests that are not answered yet. */
  get requests(): number {
    return this.#pending.size
  }

  /** Resolves once no earlier request is being computed: after the time of one batch at most. */
  async release(model: ModelFolder, isLast: boolean): Promise<void> {
    if (this.#hasEnded) return
    if (isLast) this.#models.delete(modelKey(model))
    // A thread that has ended computes nothing either.
    await this.#pending.add((id) => this.#post({ type: 'release', id, model, isLast })).catch(() => undefined)
  }

  /** Computes the vectors of texts, row by row. */
  async embed(model: ModelFolder, { isUrgent, inputs, signal }: EmbedRequest): Promise<Float32Array> {
    const post = (id: number): void => this.#post({ type: 'embed', id, model, isUrgent, inputs })
    const vectors = await this.#pending.add(post, signal)
    this.#models.add(modelKey(model))
    return vectors
  }

  #post(request: EmbeddingRequest): void {
    if (this.#hasEnded) this.#pending.rejectAll(this.#endedError(undefined))
    else this.#place.post(request)
  }

  #handle(response: EmbeddingResponse): void {
    if (response.type === 'ready') this.#isReady = true
    else if (response.type === 'failed') this.#pending.reject(response.id, fromThreadError(response.error))
    else this.#pending.resolve(response.id, response.type === 'done' ? response.vectors : NO_VECTORS)
    this.onChange()
  }

  #handleEnd(cause: Error | undefined): void {
    this.#hasEnded = true
    this.#pending.rejectAll(this.#endedError(cause))
    this.onChange()
  }

  #endedError(cause: Error | undefined): Error {
    return this.isReplaceable
      ? new Error('an embedding process has ended: the machine may be short of memory', { cause })
      : new Error('an embedding thread has ended: restart the process', { cause })
  }
}

import {
  type ErrorCode,
  InvalidInputError,
  ModelError,
  type ModelErrorCode,
  NativePartError,
  UnsupportedError,
} from '../../../src/ports/index.js'
import { type EmbeddingPlace, startPlace } from './embedding-place.js'
import {
  type DeviceModel,
  type EmbeddingInput,
  type EmbeddingRequest,
  type EmbeddingResponse,
  modelKey,
} from './embedding-protocol.js'

interface PendingRequest {
  /** Receives the vectors; an empty array for a released model. */
  readonly resolve: (vectors: Float32Array) => void
  readonly reject: (error: Error) => void
}

const NO_VECTORS = new Float32Array()

export interface EmbedRequest {
  readonly kind: 'query' | 'passage'
  /** True if it overtakes requests that are not urgent. */
  readonly isUrgent: boolean
  readonly inputs: readonly EmbeddingInput[]
  /** The indexes of the inputs among the caller's texts, for errors. */
  readonly rows: readonly number[]
  readonly signal: AbortSignal | undefined
}

/**
 * A thread that runs embedding models, or a process with one such thread: see {@link startPlace}.
 *
 * The engine never ends it. An idle one does not keep the host alive. If a process exits inside a native call, it
 * aborts. So a release resolves only after the thread has left that call.
 */
export class EmbeddingThread {
  readonly #pending = new Map<number, PendingRequest>()
  /** The keys of models that the thread has used. */
  readonly #models = new Set<string>()
  readonly #place: EmbeddingPlace
  #hasEnded = false
  #isReady = false
  #lastId = 0

  /** @param onChange called when the thread is ready, has answered, or has ended */
  constructor(private readonly onChange: () => void) {
    this.#place = startPlace({
      onResponse: (response) => {
        if (response.type === 'ready') this.#isReady = true
        else this.#handleAnswer(response)
        this.onChange()
      },
      onEnd: (cause) => this.#handleEnd(cause),
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
  holds(model: DeviceModel): boolean {
    return this.#models.has(modelKey(model))
  }

  /** The number of requests that are not answered yet. */
  get requests(): number {
    return this.#pending.size
  }

  /** Resolves once no earlier request is being computed: after the time of one batch at most. */
  async release(model: DeviceModel, isLast: boolean): Promise<void> {
    if (this.#hasEnded) return
    if (isLast) this.#models.delete(modelKey(model))
    // A thread that has ended computes nothing either.
    await this.#request((id) => ({ type: 'release', id, model, isLast })).catch(() => undefined)
  }

  /** Computes the vectors of texts, row by row. */
  async embed(model: DeviceModel, { kind, isUrgent, inputs, rows, signal }: EmbedRequest): Promise<Float32Array> {
    signal?.throwIfAborted()
    let cancel = (): void => undefined
    try {
      const vectors = await this.#request((id) => {
        cancel = () => {
          this.#takePending(id)?.reject(signal?.reason as Error)
          this.#post({ type: 'cancel', id })
          this.onChange()
        }
        signal?.addEventListener('abort', cancel, { once: true })
        return { type: 'embed', id, model, kind, isUrgent, inputs, rows }
      })
      this.#models.add(modelKey(model))
      return vectors
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }

  /** Posts a request with a new id, and waits for its answer. */
  async #request(requestOf: (id: number) => EmbeddingRequest): Promise<Float32Array> {
    this.#lastId += 1
    const id = this.#lastId
    return await new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      this.#post(requestOf(id))
    })
  }

  #post(request: EmbeddingRequest): void {
    if (this.#hasEnded) {
      this.#rejectAll(this.#endedError(undefined))
      return
    }
    // Only work in progress keeps the process alive.
    if (this.#pending.size > 0) this.#place.ref()
    this.#place.post(request)
  }

  #handleAnswer(response: Exclude<EmbeddingResponse, { readonly type: 'ready' }>): void {
    const pending = this.#takePending(response.id)
    if (response.type === 'done') pending?.resolve(response.vectors)
    else if (response.type === 'released') pending?.resolve(NO_VECTORS)
    else pending?.reject(toError(response))
  }

  #handleEnd(cause: Error | undefined): void {
    this.#hasEnded = true
    this.#rejectAll(this.#endedError(cause))
    this.onChange()
  }

  #endedError(cause: Error | undefined): Error {
    return this.isReplaceable
      ? new Error('an embedding process has ended: the machine may be short of memory', { cause })
      : new Error('an embedding thread has ended: restart the process', { cause })
  }

  #takePending(id: number): PendingRequest | undefined {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    if (this.#pending.size === 0) this.#place.unref()
    return pending
  }

  #rejectAll(error: Error): void {
    for (const id of [...this.#pending.keys()]) this.#takePending(id)?.reject(error)
  }
}

/** An error of another thread. */
interface ThreadError {
  readonly code: ErrorCode | undefined
  readonly message: string
}

const MODEL_CODES: ReadonlySet<ErrorCode> = new Set<ModelErrorCode>([
  'ERR_MODEL_MISSING',
  'ERR_MODEL_CHANGED',
  'ERR_MODEL_UNSUPPORTED',
])

/** Restores the class of an error, which is lost between threads. */
export function toError({ code, message }: ThreadError): Error {
  if (code !== undefined && MODEL_CODES.has(code)) return new ModelError(code as ModelErrorCode, message)
  if (code === 'ERR_INVALID_INPUT') return new InvalidInputError('', message)
  if (code === 'ERR_NATIVE_PART') return new NativePartError(message)
  if (code === 'ERR_UNSUPPORTED') return new UnsupportedError(message)
  return new Error(message)
}

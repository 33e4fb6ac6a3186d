import { Worker } from 'node:worker_threads'
import { type ErrorCode, InvalidInputError, ModelError, type ModelErrorCode } from '../../src/ports/index.js'
import { type EmbeddingRequest, type EmbeddingResponse, modelKey } from './embedding-protocol.js'
import type { ModelFolder } from './model-folder.js'

interface Waiting {
  /** Vectors, none for a model that is released. */
  readonly resolve: (vectors: Float32Array) => void
  readonly reject: (error: Error) => void
}

const NO_VECTORS = new Float32Array()

export interface EmbedRequest {
  readonly kind: 'query' | 'passage'
  /** Whether it overtakes what is not. */
  readonly isUrgent: boolean
  readonly texts: readonly string[]
  /** Which of the caller's texts they are, for errors. */
  readonly rows: readonly number[]
  readonly signal: AbortSignal | undefined
}

/**
 * A thread in which embedding models run.
 *
 * It is never ended: the native runtime (onnxruntime-node 1.14) cannot be loaded
 * by another thread once the first is gone, and crashes the process when it
 * tries. An idle thread keeps no process alive.
 * Nor may the process end inside a native call, which aborts it: whoever releases a
 * model is told when the thread has come out of it.
 */
export class EmbeddingThread {
  readonly #waiting = new Map<number, Waiting>()
  /** Models that it has computed with. */
  readonly #models = new Set<string>()
  readonly #changed: () => void
  readonly #worker: Worker
  #hasEnded = false
  #isReady = false
  #lastId = 0

  /** @param changed called when it is ready, has answered something, or has ended */
  constructor(changed: () => void) {
    this.#changed = changed
    this.#worker = new Worker(new URL('./embedding-worker.js', import.meta.url))
    this.#worker.unref()
    this.#worker.on('message', (response: EmbeddingResponse) => {
      if (response.type === 'ready') this.#isReady = true
      else this.#answer(response)
      this.#changed()
    })
    this.#worker.on('error', (error) => {
      this.#end(error)
    })
    this.#worker.on('exit', () => {
      this.#end(undefined)
    })
  }

  /** Whether it has loaded the native runtime: only one thread may do so at a time. */
  get isReady(): boolean {
    return this.#isReady
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Whether a model is in its memory. */
  holds(model: ModelFolder): boolean {
    return this.#models.has(modelKey(model))
  }

  /** Requests that are not answered yet. */
  get requests(): number {
    return this.#waiting.size
  }

  /** Resolves once nothing that was asked for before is being computed any more: a batch's time at most. */
  async release(model: ModelFolder, isLast: boolean): Promise<void> {
    if (this.#hasEnded) return
    if (isLast) this.#models.delete(modelKey(model))
    // A thread that ends meanwhile computes nothing either.
    await this.#ask((id) => ({ type: 'release', id, model, isLast })).catch(() => undefined)
  }

  /** Vectors of texts, row by row. */
  async embed(model: ModelFolder, { kind, isUrgent, texts, rows, signal }: EmbedRequest): Promise<Float32Array> {
    signal?.throwIfAborted()
    let cancel = (): void => undefined
    try {
      const vectors = await this.#ask((id) => {
        cancel = () => {
          this.#settle(id)?.reject(signal?.reason as Error)
          this.#post({ type: 'cancel', id })
          this.#changed()
        }
        signal?.addEventListener('abort', cancel, { once: true })
        return { type: 'embed', id, model, kind, isUrgent, texts, rows }
      })
      this.#models.add(modelKey(model))
      return vectors
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }

  /** Posts a request under an id of its own, and waits for its answer. */
  async #ask(requestOf: (id: number) => EmbeddingRequest): Promise<Float32Array> {
    this.#lastId += 1
    const id = this.#lastId
    return await new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#post(requestOf(id))
    })
  }

  #post(request: EmbeddingRequest): void {
    if (this.#hasEnded) {
      this.#rejectAll(new Error('a thread of the embedding models has ended: start the process again'))
      return
    }
    // Only what is being computed keeps the process alive.
    if (this.#waiting.size > 0) this.#worker.ref()
    this.#worker.postMessage(request)
  }

  #answer(response: Exclude<EmbeddingResponse, { readonly type: 'ready' }>): void {
    const waiting = this.#settle(response.id)
    if (response.type === 'done') waiting?.resolve(response.vectors)
    else if (response.type === 'released') waiting?.resolve(NO_VECTORS)
    else waiting?.reject(toError(response))
  }

  #end(cause: Error | undefined): void {
    this.#hasEnded = true
    this.#rejectAll(new Error('a thread of the embedding models has ended', { cause }))
    this.#changed()
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (this.#waiting.size === 0) this.#worker.unref()
    return waiting
  }

  #rejectAll(error: Error): void {
    for (const id of [...this.#waiting.keys()]) this.#settle(id)?.reject(error)
  }
}

const MODEL_CODES: ReadonlySet<ErrorCode> = new Set<ModelErrorCode>([
  'ERR_MODEL_MISSING',
  'ERR_MODEL_CHANGED',
  'ERR_MODEL_UNSUPPORTED',
])

/** Errors do not keep their class on the way between threads. */
function toError({ code, message }: { readonly code: ErrorCode | undefined; readonly message: string }): Error {
  if (code !== undefined && MODEL_CODES.has(code)) return new ModelError(code as ModelErrorCode, message)
  if (code === 'ERR_INVALID_INPUT') return new InvalidInputError('', message)
  return new Error(message)
}

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
  readonly texts: readonly string[]
  readonly signal: AbortSignal | undefined
}

/**
 * The one thread of this process in which embedding models run.
 *
 * It is never ended: the native runtime (onnxruntime-node 1.14) cannot be loaded
 * by a second thread once the first is gone, and crashes the process when it
 * tries. What is closed is unloaded instead, and an idle thread keeps no process alive.
 * Nor may the process end inside a native call, which aborts it: whoever releases a
 * model is told when the thread has come out of it.
 */
export class EmbeddingThread {
  static #shared: EmbeddingThread | undefined

  readonly #waiting = new Map<number, Waiting>()
  readonly #users = new Map<string, number>()
  #worker: Worker | undefined
  #hasEnded = false
  #lastId = 0

  static get shared(): EmbeddingThread {
    EmbeddingThread.#shared ??= new EmbeddingThread()
    return EmbeddingThread.#shared
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
    if (this.#worker === undefined || this.#hasEnded) return
    // A thread that ends meanwhile computes nothing either.
    await this.#ask((id) => ({ type: 'release', id, model, isLast: users === 0 })).catch(() => undefined)
  }

  /** Vectors of texts, row by row. */
  async embed(model: ModelFolder, { kind, texts, signal }: EmbedRequest): Promise<Float32Array> {
    signal?.throwIfAborted()
    let cancel = (): void => undefined
    try {
      return await this.#ask((id) => {
        cancel = () => {
          this.#settle(id)?.reject(signal?.reason as Error)
          this.#post({ type: 'cancel', id })
        }
        signal?.addEventListener('abort', cancel, { once: true })
        return { type: 'embed', id, model, kind, texts }
      })
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
      this.#rejectAll(new Error('the thread of the embedding models has ended: start the process again'))
      return
    }
    this.#worker ??= this.#start()
    // Only what is being computed keeps the process alive.
    if (this.#waiting.size > 0) this.#worker.ref()
    this.#worker.postMessage(request)
  }

  #start(): Worker {
    const worker = new Worker(new URL('./embedding-worker.js', import.meta.url))
    worker.unref()
    worker.on('message', (response: EmbeddingResponse) => {
      const waiting = this.#settle(response.id)
      if (response.type === 'done') waiting?.resolve(response.vectors)
      else if (response.type === 'released') waiting?.resolve(NO_VECTORS)
      else waiting?.reject(toError(response))
    })
    worker.on('error', (error) => {
      this.#end(error)
    })
    worker.on('exit', () => {
      this.#end(undefined)
    })
    return worker
  }

  #end(cause: Error | undefined): void {
    this.#hasEnded = true
    this.#rejectAll(new Error('the thread of the embedding models has ended', { cause }))
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (this.#waiting.size === 0) this.#worker?.unref()
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

import { fork } from 'node:child_process'
import { isMainThread, Worker } from 'node:worker_threads'
import type { EmbeddingRequest, EmbeddingResponse } from './embedding-protocol.js'

const WORKER = new URL('./embedding-worker.js', import.meta.url)

/** A place where the worker program runs models: a thread of this process, or a process. */
export interface EmbeddingPlace {
  /** True if another place may start after this one has ended. */
  readonly isReplaceable: boolean
  post(request: EmbeddingRequest): void
  /** Keeps the host's thread alive. */
  ref(): void
  unref(): void
}

interface PlaceListeners {
  readonly onResponse: (response: EmbeddingResponse) => void
  /** Called when the place has ended; possibly more than once. */
  readonly onEnd: (cause: Error | undefined) => void
}

/**
 * Starts the worker program: in a thread, or in a process if the host itself runs in a worker thread.
 *
 * The native runtime (onnxruntime-node 1.14) registers itself once in a process. When the last thread that has loaded
 * it ends, no later thread can load it. A thread of the main thread never ends, but a thread of a worker thread ends
 * with it. A process ends with the worker thread too, and leaves nothing behind.
 */
export function startPlace(listeners: PlaceListeners): EmbeddingPlace {
  return isMainThread ? startThread(listeners) : startProcess(listeners)
}

function startThread({ onResponse, onEnd }: PlaceListeners): EmbeddingPlace {
  const worker = new Worker(WORKER)
  worker.on('message', onResponse)
  worker.on('error', onEnd)
  worker.on('exit', () => onEnd(undefined))
  worker.unref()
  return {
    isReplaceable: false,
    post: (request) => worker.postMessage(request),
    ref: () => worker.ref(),
    unref: () => worker.unref(),
  }
}

function startProcess({ onResponse, onEnd }: PlaceListeners): EmbeddingPlace {
  const child = fork(WORKER, {
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const unref = (): void => {
    child.unref()
    child.channel?.unref()
  }
  child.on('message', (message) => onResponse(message as EmbeddingResponse))
  child.on('error', onEnd)
  child.on('exit', () => onEnd(undefined))
  unref()
  return {
    isReplaceable: true,
    // Ignores a closed channel: the end of the process is reported anyway.
    post: (request) => void child.send(request, () => undefined),
    ref: () => {
      child.ref()
      child.channel?.ref()
    },
    unref,
  }
}

import { setPriority } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import { AlcoveError } from '../../src/ports/index.js'
import { type EmbeddingRequest, type EmbeddingResponse, modelKey } from './embedding-protocol.js'
import { EmbeddingTask } from './embedding-task.js'
import { LoadedModel } from './loaded-model.js'
import type { ModelFolder } from './model-folder.js'

/** A thread that runs models. A run blocks this thread and no other. */

interface WaitingTask {
  readonly task: EmbeddingTask
  readonly model: LoadedModel
}

/**
 * About a third of the processor's time beside a thread of the usual priority, and all of it if no other thread needs
 * it.
 */
const LOWER_PRIORITY = 5

const models = new Map<string, Promise<LoadedModel>>()
const waiting: WaitingTask[] = []
/** Requests that are neither answered nor cancelled, including those whose model is loading. */
const openRequests = new Set<number>()
let isRunning = false
/** The current batch, or the last one. */
let currentBatch: Promise<void> = Promise.resolve()

// The host's own thread and those of the database come first. On Linux, each thread has its own priority.
if (process.platform === 'linux') setPriority(LOWER_PRIORITY)
parentPort?.postMessage({ type: 'ready' } satisfies EmbeddingResponse)
parentPort?.on('message', (request: EmbeddingRequest) => {
  if (request.type === 'cancel') cancel(request.id)
  else if (request.type === 'release') void release(request)
  else void acceptRequest(request)
})

async function acceptRequest(request: EmbeddingRequest & { readonly type: 'embed' }): Promise<void> {
  openRequests.add(request.id)
  try {
    const model = await loadModel(request.model)
    if (!openRequests.has(request.id)) return
    const encodings = model.encode(request)
    const task = new EmbeddingTask(request, encodings, model.special, request.model.profile.dimensions)
    waiting.push({ task, model })
  } catch (error) {
    fail(request.id, error)
    return
  }
  if (!isRunning) await runTasks()
}

async function loadModel(folder: ModelFolder): Promise<LoadedModel> {
  const key = modelKey(folder)
  const loading = models.get(key) ?? LoadedModel.load(folder)
  models.set(key, loading)
  try {
    return await loading
  } catch (error) {
    // The next request tries to load the model again.
    if (models.get(key) === loading) models.delete(key)
    throw error
  }
}

/** Answers once the model is neither loading nor running. The callers have cancelled their requests before. */
async function release({ id, model: folder, isLast }: EmbeddingRequest & { readonly type: 'release' }): Promise<void> {
  const key = modelKey(folder)
  const loading = models.get(key)
  if (isLast) models.delete(key)
  await loading?.catch(() => undefined)
  await currentBatch.catch(() => undefined)
  parentPort?.postMessage({ type: 'released', id } satisfies EmbeddingResponse)
}

/** Computes batch by batch, urgent requests first, and receives new requests in between. */
async function runTasks(): Promise<void> {
  isRunning = true
  for (let next = nextTask(); next !== undefined; next = nextTask()) {
    const { task, model } = next
    try {
      if (!task.isTaken) {
        currentBatch = model.embedBatch(task)
        await currentBatch
      }
      if (task.isTaken) finish(task)
    } catch (error) {
      fail(task.id, error)
    }
    await setImmediate()
  }
  isRunning = false
}

function nextTask(): WaitingTask | undefined {
  return waiting.find(({ task }) => task.isUrgent) ?? waiting[0]
}

function finish(task: EmbeddingTask): void {
  // A request that was cancelled in the meantime is no longer open.
  if (!cancel(task.id)) return
  const done: EmbeddingResponse = { type: 'done', id: task.id, vectors: task.vectors }
  parentPort?.postMessage(done, [task.vectors.buffer as ArrayBuffer])
}

function fail(id: number, error: unknown): void {
  if (!cancel(id)) return
  const code = error instanceof AlcoveError ? error.code : undefined
  const message = error instanceof Error ? error.message : String(error)
  parentPort?.postMessage({ type: 'failed', id, code, message } satisfies EmbeddingResponse)
}

/** Removes a request from the queue. @returns true if it was open until now */
function cancel(id: number): boolean {
  const index = waiting.findIndex(({ task }) => task.id === id)
  if (index >= 0) waiting.splice(index, 1)
  return openRequests.delete(id)
}

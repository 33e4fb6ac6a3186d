/** A program that runs models, in a thread or in a process of its own. A run blocks this thread and no other. */
import { setImmediate } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import { loadNative, lowerPriority } from '../../node-kit/index.js'
import type { ModelFolder } from '../model-folder.js'
import { type EmbeddingRequest, type EmbeddingResponse, modelKey } from './embedding-protocol.js'
import type { EmbeddingTask } from './embedding-task.js'
import { LoadedModel } from './loaded-model.js'
import { toThreadError } from './thread-error.js'

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
/** The native runtime. A request gets the error if it cannot be loaded. */
const loadingRuntime = loadNative('onnxruntime-node', async () => (await import('onnxruntime-node')).default)
/** The current batch, or the last one. */
let currentBatch: Promise<void> = Promise.resolve()

// The host's own thread and those of the database come first. On Linux, each thread has its own priority.
if (process.platform === 'linux') lowerPriority(LOWER_PRIORITY)
void loadingRuntime.catch(() => undefined).then(() => send({ type: 'ready' }))
receive((request) => {
  if (request.type === 'cancel') cancel(request.id)
  else if (request.type === 'release') void release(request)
  else void acceptRequest(request)
})

/** Receives requests of the thread that started this thread, or of the process that started this process. */
function receive(onRequest: (request: EmbeddingRequest) => void): void {
  if (parentPort !== null) {
    parentPort.on('message', onRequest)
    return
  }
  process.on('message', onRequest)
  // The thread that started this process has ended.
  process.on('disconnect', () => process.exit())
  if (!process.connected) process.exit()
  // A terminal sends its signals to the whole process group. Only the host handles them.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
}

function send(response: EmbeddingResponse, transferred: readonly ArrayBuffer[] = []): void {
  if (parentPort === null) process.send?.(response)
  else parentPort.postMessage(response, transferred)
}

async function acceptRequest(request: EmbeddingRequest & { readonly type: 'embed' }): Promise<void> {
  openRequests.add(request.id)
  try {
    const model = await loadModel(request.model)
    if (!openRequests.has(request.id)) return
    waiting.push({ task: model.taskOf(request), model })
  } catch (error) {
    fail(request.id, error)
    return
  }
  if (!isRunning) await runTasks()
}

async function loadModel(folder: ModelFolder): Promise<LoadedModel> {
  const key = modelKey(folder)
  const loading = models.get(key) ?? loadingRuntime.then(async (runtime) => await LoadedModel.load(runtime, folder))
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
  send({ type: 'released', id })
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
  send({ type: 'done', id: task.id, vectors: task.vectors }, [task.vectors.buffer as ArrayBuffer])
}

function fail(id: number, error: unknown): void {
  if (!cancel(id)) return
  send({ type: 'failed', id, error: toThreadError(error) })
}

/** Removes a request from the queue. @returns true if it was open until now */
function cancel(id: number): boolean {
  const index = waiting.findIndex(({ task }) => task.id === id)
  if (index >= 0) waiting.splice(index, 1)
  return openRequests.delete(id)
}

import { setPriority } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import { AlcoveError } from '../../src/ports/index.js'
import { type EmbeddingRequest, type EmbeddingResponse, modelKey } from './embedding-protocol.js'
import { EmbeddingTask } from './embedding-task.js'
import { LoadedModel } from './loaded-model.js'
import type { ModelFolder } from './model-folder.js'

/** A thread in which models run: running one blocks it, and nobody else. */

interface WaitingTask {
  readonly task: EmbeddingTask
  readonly model: LoadedModel
}

/** About a third of the processor's time beside a thread of the usual priority; all of it where nobody else needs it. */
const LOWER_PRIORITY = 5

const models = new Map<string, Promise<LoadedModel>>()
const waiting: WaitingTask[] = []
/** Requests that are neither answered nor cancelled, those whose model is loading included. */
const wanted = new Set<number>()
let isRunning = false
/** The batch that is being computed, or was the last to be. */
let batch: Promise<void> = Promise.resolve()

// The host's own thread, and those of the database, come first: on Linux a thread has a priority of its own.
if (process.platform === 'linux') setPriority(LOWER_PRIORITY)
parentPort?.postMessage({ type: 'ready' } satisfies EmbeddingResponse)
parentPort?.on('message', (request: EmbeddingRequest) => {
  if (request.type === 'cancel') cancel(request.id)
  else if (request.type === 'release') void release(request)
  else void accept(request)
})

async function accept(request: EmbeddingRequest & { readonly type: 'embed' }): Promise<void> {
  wanted.add(request.id)
  try {
    const model = await modelOf(request.model)
    if (!wanted.has(request.id)) return
    const encodings = model.encode(request)
    const task = new EmbeddingTask(request, encodings, model.special, request.model.profile.dimensions)
    waiting.push({ task, model })
  } catch (error) {
    fail(request.id, error)
    return
  }
  if (!isRunning) await run()
}

async function modelOf(folder: ModelFolder): Promise<LoadedModel> {
  const key = modelKey(folder)
  const loading = models.get(key) ?? LoadedModel.load(folder)
  models.set(key, loading)
  try {
    return await loading
  } catch (error) {
    // The next request tries again.
    if (models.get(key) === loading) models.delete(key)
    throw error
  }
}

/** Answers once the model is neither loading nor running: its users have cancelled what they asked for. */
async function release({ id, model: folder, isLast }: EmbeddingRequest & { readonly type: 'release' }): Promise<void> {
  const key = modelKey(folder)
  const loading = models.get(key)
  if (isLast) models.delete(key)
  await loading?.catch(() => undefined)
  await batch.catch(() => undefined)
  parentPort?.postMessage({ type: 'released', id } satisfies EmbeddingResponse)
}

/** Works batch by batch, what is urgent first, hearing new requests in between. */
async function run(): Promise<void> {
  isRunning = true
  for (let next = nextTask(); next !== undefined; next = nextTask()) {
    const { task, model } = next
    try {
      if (!task.isTaken) {
        batch = model.embedBatch(task)
        await batch
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
  // One that was cancelled meanwhile is no longer there.
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

/** Takes a request out of the work. @returns whether it was wanted until now */
function cancel(id: number): boolean {
  const index = waiting.findIndex(({ task }) => task.id === id)
  if (index >= 0) waiting.splice(index, 1)
  return wanted.delete(id)
}

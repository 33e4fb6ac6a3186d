import { setImmediate } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import { AlcoveError } from '../../src/ports/index.js'
import { type EmbeddingRequest, type EmbeddingResponse, modelKey } from './embedding-protocol.js'
import { EmbeddingTask } from './embedding-task.js'
import { LoadedModel } from './loaded-model.js'
import type { ModelFolder } from './model-folder.js'

/** The thread in which models run: running one blocks it, and nobody else. */

interface WaitingTask {
  readonly task: EmbeddingTask
  readonly model: LoadedModel
}

const models = new Map<string, Promise<LoadedModel>>()
const waiting: WaitingTask[] = []
let isRunning = false

parentPort?.on('message', (request: EmbeddingRequest) => {
  if (request.type === 'cancel') remove(request.id)
  else if (request.type === 'unload') void unload(request.model)
  else void accept(request)
})

async function accept(request: EmbeddingRequest & { readonly type: 'embed' }): Promise<void> {
  try {
    const model = await modelOf(request.model)
    const encodings = model.encode(request.texts, request.kind)
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
    models.delete(key)
    throw error
  }
}

async function unload(folder: ModelFolder): Promise<void> {
  const key = modelKey(folder)
  const loading = models.get(key)
  models.delete(key)
  await loading?.then(
    (model) => model.unload(),
    () => undefined,
  )
}

/** Works batch by batch, queries first, hearing new requests in between. */
async function run(): Promise<void> {
  isRunning = true
  for (let next = nextTask(); next !== undefined; next = nextTask()) {
    const { task, model } = next
    try {
      if (!task.isTaken) await model.embedBatch(task)
      if (task.isTaken) finish(task)
    } catch (error) {
      remove(task.id)
      fail(task.id, error)
    }
    await setImmediate()
  }
  isRunning = false
}

function nextTask(): WaitingTask | undefined {
  return waiting.find(({ task }) => task.kind === 'query') ?? waiting[0]
}

function finish(task: EmbeddingTask): void {
  // One that was cancelled meanwhile is no longer there.
  if (!remove(task.id)) return
  const done: EmbeddingResponse = { type: 'done', id: task.id, vectors: task.vectors }
  parentPort?.postMessage(done, [task.vectors.buffer as ArrayBuffer])
}

function fail(id: number, error: unknown): void {
  const code = error instanceof AlcoveError ? error.code : undefined
  const message = error instanceof Error ? error.message : String(error)
  parentPort?.postMessage({ type: 'failed', id, code, message } satisfies EmbeddingResponse)
}

function remove(id: number): boolean {
  const index = waiting.findIndex(({ task }) => task.id === id)
  if (index >= 0) waiting.splice(index, 1)
  return index >= 0
}

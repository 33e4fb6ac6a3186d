/** A program that runs models, in a thread or in a process of its own. A run blocks this thread and no other. */
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import type { InferenceSession } from 'onnxruntime-node'
import { AlcoveError, ModelError, messageOf } from '../../../src/ports/index.js'
import { loadNative } from '../load-native.js'
import { lowerPriority } from '../lower-priority.js'
import { type DeviceModel, type EmbeddingRequest, type EmbeddingResponse, modelKey } from './embedding-protocol.js'
import type { OpenRunner, Runner, RunnerInputs } from './embedding-runner.js'
import { EmbeddingTask, poolInto } from './embedding-task.js'
import { checkWeights, type ModelFolder } from './model-folder.js'

interface WaitingTask {
  readonly task: EmbeddingTask
  readonly model: LoadedModel
}

/**
 * About a third of the processor's time beside a thread of the usual priority, and all of it if no other thread needs
 * it.
 */
const LOWER_PRIORITY = 5

type Runtime = typeof import('onnxruntime-node')

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

async function loadModel(folder: DeviceModel): Promise<LoadedModel> {
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
  const code = error instanceof AlcoveError ? error.code : undefined
  const message = messageOf(error)
  send({ type: 'failed', id, code, message })
}

/** Removes a request from the queue. @returns true if it was open until now */
function cancel(id: number): boolean {
  const index = waiting.findIndex(({ task }) => task.id === id)
  if (index >= 0) waiting.splice(index, 1)
  return openRequests.delete(id)
}

/**
 * Only the worker's thread computes: other workers run beside it. An arena would keep the memory of the longest batch for
 * ever, and is no faster.
 */
const SESSION_OPTIONS: InferenceSession.SessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  enableCpuMemArena: false,
}

/**
 * A model whose weights stay in memory until the last reference is dropped: the runtime has no call that frees them.
 * Only for a worker thread, because a run blocks.
 */
class LoadedModel {
  private constructor(
    private readonly folder: ModelFolder,
    private readonly runner: Runner,
  ) {}

  /** @throws ModelError if files are missing, changed or not supported */
  static async load(model: DeviceModel): Promise<LoadedModel> {
    const runtime = await loadingRuntime
    await checkWeights(model)
    const session = await openSession(runtime, model)
    const { openRunner } = (await import(model.runner)) as { readonly openRunner: OpenRunner }
    return new LoadedModel(model, await openRunner(model, session))
  }

  /** @throws InvalidInputError for a text that is longer than the window */
  taskOf(request: RunnerInputs & { readonly id: number; readonly isUrgent: boolean }): EmbeddingTask {
    const inputs = this.runner.encode(request)
    return new EmbeddingTask(request, inputs, this.runner.paddingId, this.folder.profile.dimensions)
  }

  /** Runs the model on the task's next batch, and stores the vectors in the task. */
  async embedBatch(task: EmbeddingTask): Promise<void> {
    const { profile, folder } = this.folder
    const { dimensions } = profile
    const { rows, tokensPerText, ids, mask } = task.takeBatch()
    const data = await this.runner.run({ ids, mask, shape: [rows.length, tokensPerText] })
    const found = data.length / (rows.length * tokensPerText)
    if (found !== dimensions) {
      throw new ModelError(
        'ERR_MODEL_UNSUPPORTED',
        `the model in ${folder} gives vectors of ${found} dimensions, and its profile says ${dimensions}: correct its profile.json`,
      )
    }
    const vectors = { data, tokensPerText, dimensions }
    rows.forEach((row, index) => {
      const into = task.vectors.subarray(row * dimensions, (row + 1) * dimensions)
      poolInto(into, vectors, index, task.tokensOf(row), profile)
    })
  }
}

/** @throws ModelError `ERR_MODEL_UNSUPPORTED` for a graph that the runtime refuses */
async function openSession(runtime: Runtime, { folder, weights }: ModelFolder): Promise<InferenceSession> {
  try {
    return await runtime.InferenceSession.create(join(folder, weights), SESSION_OPTIONS)
  } catch (error) {
    if (/protobuf parsing failed/i.test(messageOf(error))) {
      throw new ModelError(
        'ERR_MODEL_UNSUPPORTED',
        `${weights} of the model in ${folder} is damaged, incomplete or no ONNX file: copy or download it again`,
        { cause: error },
      )
    }
    throw new ModelError(
      'ERR_MODEL_UNSUPPORTED',
      `the runtime (onnxruntime-node 1.14) cannot run ${weights} of the model in ${folder}: export it with an operator set up to 18 and IR version up to 8, or use another model; the runtime says: ${reasonOf(error)}`,
      { cause: error },
    )
  }
}

/** The runtime's message, without the places in its own sources. */
function reasonOf(error: unknown): string {
  const message = messageOf(error).replaceAll(/\s+/g, ' ').trim()
  return message.replace(/^.*? failed:/, '').replace(/^\S*onnxruntime_src\/.*?\) (?=[A-Z])/, '')
}

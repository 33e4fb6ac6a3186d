/** A thread that runs models. A run blocks this thread and no other. */
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import runtime, { type InferenceSession } from 'onnxruntime-node'
import { AlcoveError, InvalidInputError, ModelError } from '../../src/ports/index.js'
import { type EmbeddingRequest, type EmbeddingResponse, modelKey } from './embedding-protocol.js'
import { EmbeddingTask, poolInto } from './embedding-task.js'
import { checkModelFile, type ModelFolder, readModelFile } from './model-folder.js'
import { parseTokenizerFile, type SpecialTokenIds } from './tokenizer-file.js'
import { WordPieceTokenizer } from './word-piece-tokenizer.js'

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

const WEIGHTS = 'onnx/model_quantized.onnx'
const OUTPUT = 'last_hidden_state'
/** Only the worker's thread computes: other workers run beside it. */
const SESSION_OPTIONS: InferenceSession.SessionOptions = { intraOpNumThreads: 1, interOpNumThreads: 1 }

/** The inputs of a BERT model, by their name. */
const INPUTS: Readonly<Record<string, (ids: BigInt64Array, mask: BigInt64Array) => BigInt64Array>> = {
  input_ids: (ids) => ids,
  attention_mask: (_, mask) => mask,
  token_type_ids: (ids) => new BigInt64Array(ids.length),
}

/**
 * A model whose weights stay in memory until the last reference is dropped: the runtime has no call that frees them.
 * Only for a worker thread, because a run blocks.
 */
class LoadedModel {
  readonly special: SpecialTokenIds
  readonly #folder: ModelFolder
  readonly #session: InferenceSession
  readonly #tokenizer: WordPieceTokenizer

  private constructor(
    folder: ModelFolder,
    session: InferenceSession,
    tokenizer: WordPieceTokenizer,
    special: SpecialTokenIds,
  ) {
    this.#folder = folder
    this.#session = session
    this.#tokenizer = tokenizer
    this.special = special
  }

  /** @throws ModelError if files are missing, changed or not supported */
  static async load(folder: ModelFolder): Promise<LoadedModel> {
    await checkModelFile(folder, WEIGHTS)
    const file = await readModelFile(folder.folder, 'tokenizer.json')
    const { options, special } = parseTokenizerFile(file)
    const session = await runtime.InferenceSession.create(join(folder.folder, WEIGHTS), SESSION_OPTIONS)
    const problem = findProblem(session)
    if (problem !== undefined) {
      throw new ModelError('ERR_MODEL_UNSUPPORTED', `the model in ${folder.folder} cannot be used: ${problem}`)
    }
    // Long runs are already broken in the texts, so longer words are read as the reference reads them.
    return new LoadedModel(folder, session, new WordPieceTokenizer({ ...options, longWords: 'unknown' }), special)
  }

  /** Encodes texts to ids of tokens, with the prefix and without special tokens. */
  encode(request: {
    readonly kind: 'query' | 'passage'
    readonly texts: readonly string[]
    readonly rows: readonly number[]
  }): Int32Array[] {
    const { queryPrefix, passagePrefix, windowTokens } = this.#folder.profile
    const prefix = request.kind === 'query' ? queryPrefix : passagePrefix
    return request.texts.map((text, index) => {
      const { ids } = this.#tokenizer.encode(prefix + text)
      if (ids.length + this.#tokenizer.specialTokens <= windowTokens) return ids
      const problem = `has more tokens than the model's window of ${windowTokens}: shorten it`
      throw new InvalidInputError(`texts[${request.rows[index]}]`, problem)
    })
  }

  /** Runs the model on the task's next batch, and stores the vectors in the task. */
  async embedBatch(task: EmbeddingTask): Promise<void> {
    const { profile } = this.#folder
    const { dimensions } = profile
    const { rows, tokensPerText, ids, mask } = task.takeBatch()
    const shape = [rows.length, tokensPerText]
    const feeds = this.#session.inputNames.map((name) => [
      name,
      new runtime.Tensor('int64', INPUTS[name]?.(ids, mask) ?? ids, shape),
    ])
    const output = await this.#session.run(Object.fromEntries(feeds) as InferenceSession.FeedsType, [OUTPUT])
    const vectors = { data: output[OUTPUT]?.data as Float32Array, tokensPerText, dimensions }
    rows.forEach((row, index) => {
      const into = task.vectors.subarray(row * dimensions, (row + 1) * dimensions)
      poolInto(into, vectors, index, task.tokensOf(row), profile)
    })
  }
}

function findProblem({ inputNames, outputNames }: InferenceSession): string | undefined {
  const unknownInput = inputNames.find((name) => !Object.hasOwn(INPUTS, name))
  if (unknownInput !== undefined) return `it needs an input "${unknownInput}", which a BERT model does not have`
  return outputNames.includes(OUTPUT) ? undefined : `it has no output "${OUTPUT}"`
}

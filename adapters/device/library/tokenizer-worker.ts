/** A thread with the tokenizer of one model. It loads no native code, so it may end. */
import { setImmediate } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { toThreadError } from '../threads/thread-error.js'
import { readTokenizer, silenceConsole } from './library.js'
import { LibraryEncoder } from './library-encoder.js'
import type {
  EncodeRequest,
  TokenizerRequest,
  TokenizerResponse,
  TokenizerThreadData,
  WordAnswer,
  WordRequest,
} from './tokenizer-protocol.js'

const { folder, port, flag } = workerData as TokenizerThreadData
/** Requests that are neither answered nor cancelled, in the order in which they came. */
const waiting: EncodeRequest[] = []
let isEncoding = false

silenceConsole()
try {
  const encoder = new LibraryEncoder(await readTokenizer(folder))
  port.on('message', (request: WordRequest) => {
    port.postMessage(answer(encoder, request))
    Atomics.store(flag, 0, 1)
    Atomics.notify(flag, 0)
  })
  parentPort?.on('message', (request: TokenizerRequest) => {
    if (request.type === 'cancel') remove(request.id)
    else waiting.push(request)
    if (!isEncoding) void encodeAll(encoder)
  })
  post({ type: 'ready', facts: encoder.facts })
} catch (error) {
  fail(undefined, error)
}

function answer(encoder: LibraryEncoder, { type, words }: WordRequest): WordAnswer {
  if (type === 'count') return { type: 'counts', counts: words.map((word) => encoder.count(word)) }
  return { type: 'tokens', tokens: words.map((word) => encoder.read(word)) }
}

/** Encodes request by request, urgent ones first. */
async function encodeAll(encoder: LibraryEncoder): Promise<void> {
  isEncoding = true
  for (let next = nextRequest(); next !== undefined; next = nextRequest()) {
    await encode(encoder, next)
  }
  isEncoding = false
}

function nextRequest(): EncodeRequest | undefined {
  return waiting.find(({ isUrgent }) => isUrgent) ?? waiting[0]
}

/** Encodes texts one by one. Requests on the port and urgent ones come in between. */
async function encode(encoder: LibraryEncoder, request: EncodeRequest): Promise<void> {
  const { id, texts, firstRow } = request
  const inputs: Int32Array[] = []
  try {
    for (const text of texts) {
      const steps = encoder.encode(request, text, firstRow + inputs.length)
      for (let step = steps.next(); ; step = steps.next()) {
        await setImmediate()
        // A search waits for an urgent request.
        const urgent = request.isUrgent ? undefined : waiting.find(({ isUrgent }) => isUrgent)
        if (urgent !== undefined) await encode(encoder, urgent)
        if (!waiting.includes(request)) return
        if (step.done !== true) continue
        inputs.push(step.value)
        break
      }
    }
  } catch (error) {
    fail(id, error)
    return
  }
  remove(id)
  post({ type: 'encoded', id, inputs })
}

function remove(id: number): void {
  const index = waiting.findIndex((request) => request.id === id)
  if (index >= 0) waiting.splice(index, 1)
}

function fail(id: number | undefined, error: unknown): void {
  if (id !== undefined) remove(id)
  post({ type: 'failed', id, error: toThreadError(error) })
}

function post(response: TokenizerResponse): void {
  parentPort?.postMessage(response)
}

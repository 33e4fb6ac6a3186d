/** A thread with the tokenizer of one model. It loads no native code, so it may end. */
import { basename, dirname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { AlcoveError, InvalidInputError, ModelError } from '../../src/ports/index.js'
import { correctMarks, loadTokenizers, silenceConsole } from './library.js'
import { TextEncoder } from './text-encoder.js'
import type {
  EncodeRequest,
  TokenizerRequest,
  TokenizerResponse,
  TokenizerThreadData,
  WordAnswer,
  WordRequest,
} from './tokenizer-protocol.js'

const { folder, port, flag } = workerData as TokenizerThreadData
const openRequests = new Set<number>()

silenceConsole()
try {
  const encoder = await openEncoder()
  port.on('message', (request: WordRequest) => {
    port.postMessage(answer(encoder, request))
    Atomics.store(flag, 0, 1)
    Atomics.notify(flag, 0)
    encoder.trim()
  })
  parentPort?.on('message', (request: TokenizerRequest) => {
    if (request.type === 'cancel') openRequests.delete(request.id)
    else void encode(encoder, request)
  })
  post({ type: 'ready', facts: encoder.facts })
} catch (error) {
  fail(undefined, error)
}

/** @throws UnsupportedError, ModelError `ERR_MODEL_UNSUPPORTED` */
async function openEncoder(): Promise<TextEncoder> {
  const { env, AutoTokenizer } = await loadTokenizers()
  env.localModelPath = dirname(folder)
  try {
    const tokenizer = await AutoTokenizer.from_pretrained(basename(folder), { local_files_only: true })
    correctMarks(tokenizer)
    return new TextEncoder(tokenizer)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ModelError(
      'ERR_MODEL_UNSUPPORTED',
      `@xenova/transformers cannot read the tokenizer.json of the model in ${folder}: use another model; it says: ${reason}`,
      { cause: error },
    )
  }
}

function answer(encoder: TextEncoder, { type, words }: WordRequest): WordAnswer {
  if (type === 'count') return { type: 'counts', counts: words.map((word) => encoder.count(word)) }
  return { type: 'tokens', tokens: words.map((word) => encoder.read(word)) }
}

/** Encodes texts one by one. Requests on the port come first. */
async function encode(encoder: TextEncoder, { id, prefix, texts, windowTokens }: EncodeRequest): Promise<void> {
  openRequests.add(id)
  const inputs: Int32Array[] = []
  try {
    for (const [row, text] of texts.entries()) {
      const steps = encoder.encode(prefix, text, windowTokens)
      for (let step = steps.next(); ; step = steps.next()) {
        await setImmediate()
        if (!openRequests.has(id)) return
        if (step.done !== true) continue
        inputs[row] = step.value
        break
      }
    }
  } catch (error) {
    if (error instanceof InvalidInputError) fail(id, new InvalidInputError(`texts[${inputs.length}]`, error.message))
    else fail(id, error)
    return
  }
  openRequests.delete(id)
  encoder.trim()
  post({ type: 'encoded', id, inputs })
}

function fail(id: number | undefined, error: unknown): void {
  const code = error instanceof AlcoveError ? error.code : undefined
  const message = error instanceof Error ? error.message : String(error)
  post({ type: 'failed', id, code, message })
}

function post(response: TokenizerResponse): void {
  parentPort?.postMessage(response)
}

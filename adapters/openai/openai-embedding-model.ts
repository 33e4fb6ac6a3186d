import { createHash } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import pLimit, { type LimitFunction } from 'p-limit'
import {
  ClosedError,
  type EmbeddingModel,
  type EmbeddingProfile,
  type EmbedOptions,
  EstimatingTokenCounter,
  InvalidInputError,
  ModelError,
  retry,
  TimeSlice,
  type TokenCounter,
  untilAborted,
  withAnySignal,
} from '../../src/ports/index.js'
import { EmbeddingsClient, RequestError, type RequestedTexts } from './embeddings-client.js'
import { loadGptTokenCounter } from './gpt-token-counter.js'
import { KNOWN_MODELS } from './known-models.js'
import { type CheckedOptions, checkOptions, type OpenAiModelOptions } from './openai-model-options.js'
import { canonicalJson } from './request-body.js'

/** Tokens of a model whose window is not known: most models have this many, or more. */
const DEFAULT_WINDOW = 512
/** Share of the window that texts use if their tokens are estimated. */
const SHARE_OF_WINDOW = 0.8
/** Numbers of one answer: to read them takes some milliseconds of the host's event loop. */
const MAX_NUMBERS = 65_536
/** Tokens of one request. OpenAI allows 300,000. */
const MAX_TOKENS = 200_000

/** Tries of a request for passages, and of one for a query, for which a user waits. */
const PASSAGE_RETRIES = { firstMs: 250, longestMs: 4_000, maxRetries: 4, isRandom: true }
const QUERY_RETRIES = { firstMs: 100, longestMs: 500, maxRetries: 2, isRandom: true }
/** Longest pause of the server that a call waits for. A longer one rejects the call, and the document waits. */
const [PASSAGE_WAIT_MS, QUERY_WAIT_MS] = [10_000, 1_000]
/** Longest time that a query waits for the trial of another request. */
const TRIAL_WAIT_MS = 5_000
/** Longest deadline of a query, for which a user waits. */
const QUERY_TIMEOUT_MS = 10_000
/** Full batches in a row that succeed before batches grow again. */
const SUCCESSES_TO_GROW = 4

/** A call of `embed`, as its requests need it. */
type Call = Required<Pick<EmbedOptions, 'kind' | 'isUrgent' | 'signal'>>

/** The text that asks if the server works, and how long its vectors are. */
const PROBE = 'alcove'

/**
 * An embedding model on a server with the protocol of OpenAI's `POST /v1/embeddings`: OpenAI, Ollama, vLLM, LM Studio,
 * text-embeddings-inference, llama.cpp and others.
 *
 * - A failure that may pass is retried. After some of them the server counts as away: calls reject at once with
 *   `ERR_MODEL_UNAVAILABLE`, until a trial succeeds. The engine lets documents wait.
 * - A batch that is too large for the server, or too slow, is sent in halves, and later batches are smaller. Those that were
 *   too slow grow again with successes.
 * - Vectors are checked and normalized. The fingerprint is of the model's name, its dimensions, its prefixes, its
 *   bodies and an `id` of its own, so the server may move. Give a model that changes under the same name another `id`.
 */
export class OpenAiEmbeddingModel implements EmbeddingModel {
  readonly profile: EmbeddingProfile
  readonly concurrency: number
  readonly #options: CheckedOptions
  readonly #client: EmbeddingsClient
  readonly #counter: TokenCounter
  readonly #limit: LimitFunction
  readonly #closing = new AbortController()
  #batchSize: number
  /** Most texts that the server takes. */
  #mostTexts: number
  #successes = 0

  private constructor(options: CheckedOptions, client: EmbeddingsClient, counter: TokenCounter, dimensions: number) {
    this.#options = options
    this.#client = client
    this.#counter = counter
    this.profile = profileOf(options, counter, dimensions)
    this.concurrency = options.concurrency
    this.#limit = pLimit(options.concurrency)
    this.#batchSize = Math.max(1, Math.min(options.batchSize, Math.floor(MAX_NUMBERS / dimensions)))
    this.#mostTexts = this.#batchSize
    // Each call in progress adds a listener.
    setMaxListeners(0, this.#closing.signal)
  }

  /**
   * Checks options without opening a model.
   *
   * @throws InvalidInputError for an invalid option
   */
  static async check(options: OpenAiModelOptions): Promise<void> {
    await checkOptions(options)
  }

  /**
   * Opens a model on a server. It sends a request only if the dimensions are not known.
   *
   * @throws InvalidInputError for an invalid option
   * @throws ModelError if the dimensions are not given and the server does not answer
   */
  static async open(given: OpenAiModelOptions): Promise<OpenAiEmbeddingModel> {
    const options = await checkOptions(given)
    const known = KNOWN_MODELS.get(options.model)
    const sendsDimensions =
      options.sendsDimensions ??
      (known?.canShorten === true && options.dimensions !== undefined && options.dimensions !== known.dimensions)
    const checked = { ...options, sendsDimensions }
    const counter = options.tokenCounter ?? (known && (await loadGptTokenCounter())) ?? new EstimatingTokenCounter()
    const client = new EmbeddingsClient(checked)
    const dimensions = options.dimensions ?? known?.dimensions ?? (await askForDimensions(client, options))
    return new OpenAiEmbeddingModel(checked, client, counter, dimensions)
  }

  async tokenizer(): Promise<TokenCounter> {
    this.#closing.signal.throwIfAborted()
    return this.#counter
  }

  async embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array> {
    const { kind, isUrgent = kind === 'query', signal } = options
    this.#closing.signal.throwIfAborted()
    signal?.throwIfAborted()
    const { dimensions, queryPrefix, passagePrefix } = this.profile
    const prefix = kind === 'query' ? queryPrefix : passagePrefix
    const vectors = new Float32Array(texts.length * dimensions)
    const embedAll = async (abort: AbortSignal): Promise<void> => {
      const batches = await this.#batchesOf(texts, prefix, abort)
      const tasks = batches.map((batch) => async () => {
        abort.throwIfAborted()
        const input = batch.map((row) => inputOf(prefix, texts[row] ?? ''))
        const rows = await this.#embedBatch(input, { kind, isUrgent, signal: abort })
        for (const [at, row] of batch.entries()) vectors.set(rows[at] ?? [], row * dimensions)
      })
      await Promise.all(tasks.map(async (task) => await (isUrgent ? task() : this.#limit(task))))
    }
    const failing = new AbortController()
    await withAnySignal([this.#closing.signal, signal, failing.signal], async (abort) => {
      try {
        await untilAborted(embedAll(abort), abort)
      } catch (error) {
        // The other batches are useless now.
        failing.abort(error)
        throw error
      }
    })
    return vectors
  }

  /** There are no files to check. */
  async verify(): Promise<void> {
    this.#closing.signal.throwIfAborted()
  }

  async checkAvailable(): Promise<void> {
    this.#closing.signal.throwIfAborted()
    if (!this.#client.breaker.isOpen) return
    try {
      await this.#client.request(this.#requested([PROBE], 'passage'), this.#closing.signal)
    } catch (error) {
      const shown = this.#shown(error)
      // A refusal shows that the server is back. The next document reports it.
      if (shown instanceof ModelError && shown.isTransient) throw shown
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new ClosedError(`the embedding model ${this.profile.id}`))
  }

  /** Groups texts into requests, and refuses those that are too long. Works in slices. */
  async #batchesOf(texts: readonly string[], prefix: string, signal: AbortSignal): Promise<number[][]> {
    const { windowTokens } = this.profile
    const fixed = this.#counter.specialTokens + this.#counter.count(prefix)
    const batches: number[][] = []
    let tokens = Infinity
    const slice = new TimeSlice()
    for (const [row, text] of texts.entries()) {
      const count = fixed + this.#counter.count(text)
      if (count > windowTokens) {
        throw new InvalidInputError(`texts[${row}]`, `has more tokens than the model's window of ${windowTokens}`)
      }
      const last = batches.at(-1)
      if (last === undefined || last.length >= this.#batchSize || tokens + count > MAX_TOKENS) {
        batches.push([row])
        tokens = count
      } else {
        last.push(row)
        tokens += count
      }
      await slice.pauseIfOver()
      signal.throwIfAborted()
    }
    return batches
  }

  /** Embeds a batch, in halves if the server does not take it as a whole. */
  async #embedBatch(input: readonly string[], call: Call): Promise<Float32Array[]> {
    try {
      const rows = await this.#embedWithRetries(input, call)
      this.#growAfter(input.length)
      return rows
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      const { isForBatch, isClear, isTimeout, error: shown } = error.failure
      if (isForBatch && input.length > 1) {
        const half = Math.ceil(input.length / 2)
        const first = await this.#embedBatch(input.slice(0, half), call)
        // Half of the batch was not refused, so its size was the reason.
        if (isTimeout !== true) this.#mostTexts = Math.min(this.#mostTexts, half)
        this.#batchSize = Math.min(this.#batchSize, half)
        this.#successes = 0
        return [...first, ...(await this.#embedBatch(input.slice(half), call))]
      }
      if (!shown.isTransient) throw shown
      // A server that fails with these texts and works with others is not away: the failure counts for the document.
      const { kind, isUrgent, signal } = call
      const isAway = isClear || isUrgent || !(await this.#client.worksWith(this.#requested([PROBE], kind), signal))
      throw isAway ? this.#away(shown.message) : shown
    }
  }

  /** A slow moment of the server passes: batches that were halved for it grow again. */
  #growAfter(texts: number): void {
    if (this.#batchSize >= this.#mostTexts || texts < this.#batchSize) return
    this.#successes += 1
    if (this.#successes < SUCCESSES_TO_GROW) return
    this.#batchSize = Math.min(this.#batchSize * 2, this.#mostTexts)
    this.#successes = 0
  }

  async #embedWithRetries(input: readonly string[], { kind, isUrgent, signal }: Call): Promise<Float32Array[]> {
    const { breaker } = this.#client
    const longestWaitMs = isUrgent ? QUERY_WAIT_MS : PASSAGE_WAIT_MS
    const timeoutMs = isUrgent ? Math.min(this.#options.timeoutMs, QUERY_TIMEOUT_MS) : this.#options.timeoutMs
    const trialUntil = performance.now() + TRIAL_WAIT_MS
    const send = async (): Promise<Float32Array[]> => {
      if (isUrgent) await breaker.trialEnd(trialUntil - performance.now(), signal)
      return await this.#client.request(this.#requested(input, kind), signal, timeoutMs)
    }
    return await retry(send, {
      backoff: isUrgent ? QUERY_RETRIES : PASSAGE_RETRIES,
      isTransient: (error) => {
        const failed = error instanceof RequestError ? error.failure : undefined
        const isTransient = (failed?.error ?? (error as ModelError)).isTransient
        // The user has waited for a whole deadline already.
        if (isUrgent && failed?.isTimeout === true) return false
        return isTransient && failed?.isForBatch !== true && breaker.remainingMs <= longestWaitMs
      },
      beforeRetry: async () => {
        await wait(breaker.remainingMs, undefined, { signal })
      },
      signal,
    })
  }

  #requested(texts: readonly string[], kind: EmbedOptions['kind']): RequestedTexts {
    return { texts, kind, dimensions: this.profile.dimensions }
  }

  #away(message: string): ModelError {
    const retryAfterMs = Math.max(1, this.#client.breaker.remainingMs)
    return new ModelError('ERR_MODEL_UNAVAILABLE', message, { retryAfterMs })
  }

  #shown(error: unknown): unknown {
    if (!(error instanceof RequestError)) return error
    const { error: shown } = error.failure
    return shown.isTransient ? this.#away(shown.message) : shown
  }
}

/** Servers refuse an empty text. */
function inputOf(prefix: string, text: string): string {
  return prefix + text === '' ? ' ' : prefix + text
}

async function askForDimensions(client: EmbeddingsClient, { model }: CheckedOptions): Promise<number> {
  try {
    const requested = { texts: [PROBE], kind: 'passage', dimensions: undefined } as const
    const [vector] = await client.request(requested, new AbortController().signal)
    return vector?.length ?? 0
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    const { error: shown } = error.failure
    if (!(shown instanceof ModelError)) throw shown
    const advice = `the dimensions of the model ${model} are not known: give them (dimensions, --embedding-dimensions), then the engine opens without its server`
    throw new ModelError(shown.code, `${shown.message}; ${advice}`, { cause: shown })
  }
}

function profileOf(options: CheckedOptions, counter: TokenCounter, dimensions: number): EmbeddingProfile {
  const { model, id = model, queryPrefix, passagePrefix } = options
  const window = options.windowTokens ?? KNOWN_MODELS.get(model)?.windowTokens ?? DEFAULT_WINDOW
  const isEstimated = counter instanceof EstimatingTokenCounter
  const identity = JSON.stringify([
    model,
    dimensions,
    queryPrefix,
    passagePrefix,
    // Another id stands for other weights under the same name.
    ...(id === model ? [] : [id]),
    ...bodiesOf(options),
  ])
  const name = model.replaceAll(/[^A-Za-z0-9]+/g, '-').slice(0, 40)
  return {
    id,
    fingerprint: `openai-${name}-${createHash('sha256').update(identity).digest('hex').slice(0, 16)}`,
    dimensions,
    windowTokens: isEstimated ? Math.floor(window * SHARE_OF_WINDOW) : window,
    pooling: 'mean',
    normalized: true,
    queryPrefix,
    passagePrefix,
  }
}

/** The bodies as a part of the fingerprint. A model without them has the fingerprint that it had before there were any. */
function bodiesOf({ queryBody, passageBody }: CheckedOptions): readonly object[] {
  const [query, passage] = [canonicalJson(queryBody), canonicalJson(passageBody)]
  return query === '{}' && passage === '{}' ? [] : [{ query, passage }]
}

import { type EmbedOptions, withAnySignal } from '../../src/ports/index.js'
import { codeOf, jsonHeaders, readUpTo, secretsOf } from '../node-kit/index.js'
import { CircuitBreaker } from './circuit-breaker.js'
import { readVectors } from './embeddings-answer.js'
import { notTheProtocol, type Place, type RequestFailure, toFailure, unavailable } from './errors.js'
import { bodyOf, type CheckedOptions } from './openai-model-options.js'

/** Most bytes of a number in JSON, with its comma. */
const BYTES_PER_NUMBER = 32
/** Bytes of an answer besides its numbers. */
const BYTES_BESIDES = 65_536
/** Numbers of a vector whose length is not known yet. */
const MAX_DIMENSIONS = 65_536
/** Most bytes of an error that are read. */
const MAX_ERROR_BYTES = 65_536

/** The texts of one request. */
export interface RequestedTexts {
  readonly texts: readonly string[]
  readonly kind: EmbedOptions['kind']
  /** Expected length of a vector; undefined to find it out. */
  readonly dimensions: number | undefined
}

/** A request that has failed. */
export class RequestError extends Error {
  readonly failure: RequestFailure

  constructor(failure: RequestFailure) {
    super(failure.error.message, { cause: failure.error })
    this.failure = failure
  }
}

/** Sends single requests to the server, each with a deadline, and reads its answers. */
export class EmbeddingsClient {
  readonly #options: CheckedOptions
  readonly #headers: Readonly<Record<string, string>>
  readonly #places: Readonly<Record<EmbedOptions['kind'], Place>>
  readonly breaker: CircuitBreaker = new CircuitBreaker()
  /** Base64 is a quarter as long as numbers, and needs no parsing. Servers that do not know it ignore it or refuse it. */
  #encoding: 'base64' | 'float' = 'base64'

  constructor(options: CheckedOptions) {
    this.#options = options
    this.#headers = jsonHeaders(options)
    this.#places = { query: placeOf(options, 'query'), passage: placeOf(options, 'passage') }
  }

  /** @returns true if the server works with these texts: it is not away */
  async worksWith(requested: RequestedTexts, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#send(requested, signal, this.#options.timeoutMs)
      this.breaker.succeed()
      return true
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      return false
    }
  }

  /**
   * @param timeoutMs deadline; default: that of the options
   * @returns one vector of length 1 for each text
   * @throws RequestError; ModelError `ERR_MODEL_UNAVAILABLE` at once while the server counts as away; the signal's reason
   */
  async request(
    requested: RequestedTexts,
    signal: AbortSignal,
    timeoutMs: number = this.#options.timeoutMs,
  ): Promise<Float32Array[]> {
    this.breaker.enter()
    try {
      const vectors = await this.#send(requested, signal, timeoutMs)
      this.breaker.succeed()
      return vectors
    } catch (error) {
      if (!(error instanceof RequestError)) {
        this.breaker.giveUp()
        throw error
      }
      const { error: shown, isClear, wishMs } = error.failure
      if (shown.isTransient) this.breaker.fail(shown.message, { wishMs, isClear })
      // A refusal is an answer.
      else this.breaker.succeed()
      throw error
    }
  }

  async #send(requested: RequestedTexts, signal: AbortSignal, timeoutMs: number): Promise<Float32Array[]> {
    const { texts, kind, dimensions } = requested
    const answer = await this.#exchange(requested, signal, timeoutMs)
    if (answer === 'encoding refused') {
      this.#encoding = 'float'
      return await this.#send(requested, signal, timeoutMs)
    }
    const place = this.#places[kind]
    if (/\bhtml\b/i.test(answer.type)) throw new RequestError(notTheProtocol(place, 'answered with a web page'))
    const vectors = readVectors(answer.body, { texts: texts.length, dimensions }, place)
    if ('error' in vectors) throw new RequestError(vectors)
    return vectors
  }

  async #exchange(
    { texts, kind, dimensions }: RequestedTexts,
    signal: AbortSignal,
    timeoutMs: number,
  ): Promise<{ readonly type: string; readonly body: string } | 'encoding refused'> {
    const { url, model, sendsDimensions } = this.#options
    const place = this.#places[kind]
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(), timeoutMs)
    try {
      return await withAnySignal([signal, deadline.signal], async (abort) => {
        const response = await fetch(url, {
          method: 'POST',
          headers: this.#headers,
          body: JSON.stringify({
            model,
            encoding_format: this.#encoding,
            ...(sendsDimensions === true && { dimensions }),
            ...bodyOf(this.#options, kind),
            input: texts,
          }),
          redirect: 'manual',
          signal: abort,
        })
        const { status, headers } = response
        const type = headers.get('content-type') ?? ''
        const numbers = texts.length * (dimensions ?? MAX_DIMENSIONS)
        if (status === 200) {
          const body = await readUpTo(response, numbers * BYTES_PER_NUMBER + BYTES_BESIDES)
          if (body !== undefined) return { type, body }
          throw new RequestError(notTheProtocol(place, 'answered with more bytes than the vectors can have'))
        }
        const body = (await readUpTo(response, MAX_ERROR_BYTES)) ?? ''
        const isEncoding = this.#encoding === 'base64' && /encoding_?format|base64/i.test(body)
        if (isEncoding && status >= 400 && status < 500) return 'encoding refused'
        throw new RequestError(toFailure({ status, retryAfter: headers.get('retry-after'), body }, place))
      })
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof RequestError) throw error
      if (deadline.signal.aborted) throw timeoutError(place, timeoutMs, texts.length)
      throw unreachableError(place, error)
    } finally {
      clearTimeout(timer)
    }
  }
}

function placeOf(options: CheckedOptions, kind: EmbedOptions['kind']): Place {
  const { url, model: usual } = options
  const { model = usual } = bodyOf(options, kind)
  return {
    server: `the embedding server at ${url.origin}${url.pathname}`,
    model: String(model),
    secrets: secretsOf(options),
  }
}

function timeoutError({ server }: Place, timeoutMs: number, texts: number): RequestError {
  const error = unavailable(`${server} did not answer within ${timeoutMs} ms`)
  return new RequestError({ error, isForBatch: texts > 1, isClear: false, isTimeout: true })
}

function unreachableError({ server }: Place, cause: unknown): RequestError {
  const code = codeOf(cause) ?? codeOf((cause as { readonly cause?: unknown } | undefined)?.cause)
  const message = `${server} cannot be reached, or ended the connection${code === undefined ? '' : ` (${code})`}`
  const isClear = code !== undefined && NO_CONNECTION.has(code)
  return new RequestError({ error: unavailable(message, undefined, cause), isForBatch: false, isClear })
}

/** Failures before a connection is made: no second one is needed to know that the server is away. */
const NO_CONNECTION: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

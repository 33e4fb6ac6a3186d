import { setMaxListeners } from 'node:events'
import pLimit from 'p-limit'
import {
  ClosedError,
  type Reranker,
  type RerankHit,
  type RerankOptions,
  rerankText,
  withAnySignal,
} from '../../src/ports/index.js'
import { codeOf, jsonHeaders, readUpTo, secretsOf } from '../node-kit/index.js'
import { notTheProtocol, type Place, RefusedRequest, toError, unavailable } from './errors.js'
import { type CheckedOptions, checkOptions, type HttpRerankerOptions } from './http-reranker-options.js'
import { RequestForm } from './request-form.js'
import { readScores } from './rerank-answer.js'

/** Longest time of a call whose caller has no deadline of its own. */
const TIMEOUT_MS = 30_000
/** Changes of the form of a request in one call. */
const MAX_CHANGES = 8
/** Requests of one call at a time, for a server that takes few texts in each. */
const REQUESTS_AT_ONCE = 4
/** Most bytes of an answer for each text, beside the texts themselves: some servers give them back. */
const BYTES_PER_SCORE = 1_024
/** Most bytes of an error that are read. */
const MAX_ERROR_BYTES = 65_536

/** An answer. */
interface Exchange {
  readonly status: number
  readonly headers: Headers
  /** Undefined if it is longer than it may be. */
  readonly content: string | undefined
}

/**
 * A reranker on a server with the protocol of `POST /v1/rerank`: Jina, Cohere, vLLM, llama.cpp, text-embeddings-inference
 * and others.
 *
 * - Each hit is one text: the name of its document, its headings and its passage, on lines of their own.
 * - If the server refuses the form of a request, too many texts, or texts that are too long, the request is changed and
 *   sent again. Later requests have the form that worked.
 * - Nothing else is sent twice: the user waits.
 */
export class HttpReranker implements Reranker {
  readonly id: string
  readonly concurrency: number
  readonly #options: CheckedOptions
  readonly #headers: Readonly<Record<string, string>>
  readonly #place: Place
  readonly #form = new RequestForm()
  readonly #closing = new AbortController()

  private constructor(options: CheckedOptions) {
    this.#options = options
    this.id = options.id
    this.concurrency = options.concurrency
    this.#headers = jsonHeaders(options)
    const { url } = options
    this.#place = { server: `the reranker at ${url.origin}${url.pathname}`, secrets: secretsOf(options) }
    // Each call in progress adds a listener.
    setMaxListeners(0, this.#closing.signal)
  }

  /**
   * Checks options without opening a reranker.
   *
   * @throws InvalidInputError for an invalid option
   */
  static async check(options: HttpRerankerOptions): Promise<void> {
    await checkOptions(options)
  }

  /**
   * Opens a reranker on a server. It sends nothing.
   *
   * @throws InvalidInputError for an invalid option
   */
  static async open(options: HttpRerankerOptions): Promise<HttpReranker> {
    return new HttpReranker(await checkOptions(options))
  }

  async rerank(prompt: string, hits: readonly RerankHit[], { signal }: RerankOptions = {}): Promise<readonly number[]> {
    this.#closing.signal.throwIfAborted()
    signal?.throwIfAborted()
    if (hits.length === 0) return []
    const texts = hits.map((hit) => rerankText(hit) || ' ')
    const deadline = new AbortController()
    const timer = setTimeout(() => {
      deadline.abort(unavailable(`${this.#place.server} did not answer within ${TIMEOUT_MS} ms`))
    }, TIMEOUT_MS)
    try {
      return await withAnySignal([this.#closing.signal, signal, deadline.signal], async (abort) => {
        return await this.#scoresOf(prompt, texts, abort)
      })
    } finally {
      clearTimeout(timer)
    }
  }

  close(): Promise<void> {
    this.#closing.abort(new ClosedError(`the reranker ${this.id}`))
    return Promise.resolve()
  }

  /** Scores texts, in another form of the request if the server refuses the first one. */
  async #scoresOf(prompt: string, texts: readonly string[], signal: AbortSignal): Promise<readonly number[]> {
    for (let changes = 0; ; changes += 1) {
      try {
        return await this.#inRequests(prompt, texts, signal)
      } catch (error) {
        if (!(error instanceof RefusedRequest)) throw error
        if (changes < MAX_CHANGES && this.#form.changeAfter(error)) continue
        throw toError(error.answer, this.#place, [prompt, ...texts])
      }
    }
  }

  /** Sends as many requests as the server needs for the texts. The first failure ends the others. */
  async #inRequests(prompt: string, texts: readonly string[], signal: AbortSignal): Promise<readonly number[]> {
    const size = Math.min(texts.length, this.#form.mostTexts)
    const batches = Array.from({ length: Math.ceil(texts.length / size) }, (_, at) =>
      texts.slice(at * size, (at + 1) * size),
    )
    const limit = pLimit(REQUESTS_AT_ONCE)
    const failing = new AbortController()
    return await withAnySignal([signal, failing.signal], async (abort) => {
      try {
        const send = async (batch: readonly string[]): Promise<readonly number[]> =>
          await this.#send(prompt, batch, abort)
        return (await Promise.all(batches.map(async (batch) => await limit(send, batch)))).flat()
      } catch (error) {
        failing.abort(error)
        throw error
      }
    })
  }

  async #send(query: string, texts: readonly string[], signal: AbortSignal): Promise<readonly number[]> {
    signal.throwIfAborted()
    const { url, model } = this.#options
    const { changes } = this.#form
    const body = this.#form.bodyOf(model, query, texts)
    const { status, headers, content } = await this.#exchange(url, body, texts.length, signal)
    if (status !== 200) {
      throw new RefusedRequest({ status, retryAfter: headers.get('retry-after'), body: content ?? '' }, texts, changes)
    }
    if (content === undefined) throw notTheProtocol(this.#place, 'answered with more bytes than the scores can have')
    if (/\bhtml\b/i.test(headers.get('content-type') ?? ''))
      throw notTheProtocol(this.#place, 'answered with a web page')
    const scores = readScores(content, texts.length)
    if (typeof scores === 'string') throw notTheProtocol(this.#place, scores)
    return scores
  }

  async #exchange(url: URL, body: string, texts: number, signal: AbortSignal): Promise<Exchange> {
    try {
      const response = await fetch(url, { method: 'POST', headers: this.#headers, body, redirect: 'manual', signal })
      const { status, headers } = response
      // A character of the request has at most six bytes in the answer.
      const maxBytes = status === 200 ? body.length * 6 + texts * BYTES_PER_SCORE : MAX_ERROR_BYTES
      return { status, headers, content: await readUpTo(response, maxBytes) }
    } catch (error) {
      signal.throwIfAborted()
      const code = codeOf(error) ?? codeOf((error as { readonly cause?: unknown } | undefined)?.cause)
      const shown = code === undefined ? '' : ` (${code})`
      const message = `${this.#place.server} cannot be reached, or ended the connection${shown}`
      throw unavailable(message, { cause: error })
    }
  }
}

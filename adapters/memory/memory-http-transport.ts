import {
  type AlcoveError,
  ClosedError,
  DestinationRefusedError,
  type HttpOutcome,
  type HttpPost,
  type HttpTransport,
  InvalidInputError,
  MAX_RESPONSE_BODY_BYTES,
  MAX_RETRY_AFTER_LENGTH,
  untilAborted,
  type VetOptions,
} from '../../src/ports/index.js'

export interface MemoryHttpTransportOptions {
  /** Host names that may not be contacted. */
  readonly refusedHosts?: Iterable<string>
}

/** Records requests, and answers with {@link respond}. It looks up no names, and has no deadline. */
export class MemoryHttpTransport implements HttpTransport {
  /** Copies of the sent requests. */
  readonly requests: HttpPost[] = []
  /** Host names that may not be contacted. Tests may change them between two requests. */
  readonly refusedHosts: Set<string>
  /** One controller for each running request. Node reports many listeners on one signal as a leak. */
  readonly #runningRequests = new Set<AbortController>()
  #isClosed = false

  constructor({ refusedHosts = [] }: MemoryHttpTransportOptions = {}) {
    this.refusedHosts = new Set(refusedHosts)
  }

  /** Returns the outcome of a request. Default: status 200 without a body. */
  respond: (post: HttpPost) => HttpOutcome | Promise<HttpOutcome> = () => ({
    kind: 'response',
    httpStatus: 200,
    body: new Uint8Array(),
  })

  async vetDestination(url: string, { signal, beforeLookUp }: VetOptions = {}): Promise<string> {
    signal?.throwIfAborted()
    if (this.#isClosed) throw new ClosedError('the transport')
    if (!URL.canParse(url) || new URL(url).protocol !== 'https:') {
      throw new InvalidInputError('url', 'must be a URL that begins with https://')
    }
    const { hostname, href } = new URL(url)
    await beforeLookUp?.()
    if (this.refusedHosts.has(hostname)) throw new DestinationRefusedError(`${hostname} may not be contacted`)
    return href
  }

  async post(post: HttpPost, { signal }: { readonly signal?: AbortSignal } = {}): Promise<HttpOutcome> {
    const closing = new AbortController()
    this.#runningRequests.add(closing)
    try {
      await this.vetDestination(post.url, { ...(signal && { signal }) })
      const request = { url: post.url, headers: { ...post.headers }, body: post.body.slice() }
      this.requests.push(request)
      const responding = Promise.resolve(this.respond(request))
      const outcome = await untilAborted(untilAborted(responding, signal), closing.signal)
      if (outcome.kind !== 'response') return outcome
      const { retryAfter } = outcome
      return {
        ...outcome,
        body: outcome.body.slice(0, MAX_RESPONSE_BODY_BYTES),
        ...(retryAfter !== undefined && { retryAfter: retryAfter.slice(0, MAX_RETRY_AFTER_LENGTH) }),
      }
    } catch (error) {
      signal?.throwIfAborted()
      const isRefused = error instanceof DestinationRefusedError || error instanceof InvalidInputError
      const { message, reason } = error as AlcoveError
      return { kind: isRefused ? 'blocked' : 'connection_error', error: message, reason }
    } finally {
      this.#runningRequests.delete(closing)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const request of this.#runningRequests) request.abort(new ClosedError('the transport'))
  }
}

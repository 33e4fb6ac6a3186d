import {
  ClosedError,
  DestinationRefusedError,
  type HttpOutcome,
  type HttpPost,
  type HttpTransport,
  InvalidInputError,
  MAX_RESPONSE_BODY_BYTES,
  untilAborted,
  type VetOptions,
} from '../../src/ports/index.js'

export interface MemoryHttpTransportOptions {
  /** Names that may not be contacted. */
  readonly refusedHosts?: Iterable<string>
}

/** Keeps what it is given, and answers as it is told. Nothing is looked up, and there is no deadline. */
export class MemoryHttpTransport implements HttpTransport {
  /** What was sent, in copies. */
  readonly requests: HttpPost[] = []
  /** Names that may not be contacted; may change between two requests. */
  readonly refusedHosts: Set<string>
  /** One for each request: listeners of all of them on one signal would look like a leak. */
  readonly #underWay = new Set<AbortController>()
  #isClosed = false

  constructor({ refusedHosts = [] }: MemoryHttpTransportOptions = {}) {
    this.refusedHosts = new Set(refusedHosts)
  }

  /** What comes of a request; by default 200 without a body. */
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
    const cut = new AbortController()
    this.#underWay.add(cut)
    try {
      await this.vetDestination(post.url, { ...(signal && { signal }) })
      const request = { url: post.url, headers: { ...post.headers }, body: post.body.slice() }
      this.requests.push(request)
      const responding = Promise.resolve(this.respond(request))
      const outcome = await untilAborted(untilAborted(responding, signal), cut.signal)
      return outcome.kind === 'response'
        ? { ...outcome, body: outcome.body.slice(0, MAX_RESPONSE_BODY_BYTES) }
        : outcome
    } catch (error) {
      signal?.throwIfAborted()
      const isRefused = error instanceof DestinationRefusedError || error instanceof InvalidInputError
      return { kind: isRefused ? 'blocked' : 'connection_error', error: (error as Error).message }
    } finally {
      this.#underWay.delete(cut)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const cut of this.#underWay) cut.abort(new ClosedError('the transport'))
  }
}

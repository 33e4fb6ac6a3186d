import type { SecureContext } from 'node:tls'
import {
  ClosedError,
  DestinationRefusedError,
  type HttpOutcome,
  type HttpPost,
  type HttpTransport,
  InvalidInputError,
  integerSchema,
  UnresolvedDestinationError,
  untilAborted,
  type VetOptions,
  validate,
} from '../../src/ports/index.js'
import { AddressRules, type OwnEndpoint } from './address-rules.js'
import { type DestinationUrl, parseDestinationUrl } from './destination-url.js'
import { codeOf, failureSentence } from './failure-sentence.js'
import { postOnce } from './post-once.js'
import { resolveHost } from './resolve-host.js'
import { ResumingAgents } from './resuming-agents.js'
import { trustedAuthorities } from './trusted-authorities.js'
import { DeadlineError, WorkInTime } from './work-in-time.js'

export interface HttpsTransportOptions {
  /**
   * Addresses and networks that may be contacted although they are not public, or are this machine's, such as
   * `10.1.0.0/16`. Default: none.
   */
  readonly allow?: readonly string[]
  /**
   * Addresses and networks that are never contacted although they are public or allowed. Default: none.
   *
   * The addresses of this machine's interfaces need not be named: they are refused on every port unless they
   * are allowed. In a container, and behind NAT, the address by which the world reaches this machine is none
   * of its interfaces: where services listen there that strangers must not post to, name it here.
   */
  readonly deny?: readonly string[]
  /** What the engine itself listens on: never contacted, whatever is allowed. Asked at every check. */
  readonly ownEndpoints?: () => readonly OwnEndpoint[]
  /** Gives all addresses of a name; fails, or gives none, where there are none. Default: DNS, without the hosts file. */
  readonly resolver?: (hostname: string, options: { readonly signal: AbortSignal }) => Promise<readonly string[]>
  /** Certificates in PEM, trusted beside those that Node trusts. */
  readonly certificateAuthorities?: readonly string[]
  /** For look-up, connection, TLS, request and the response's headers together. Default: 5,000. */
  readonly deadlineMs?: number
}

/** Receivers have a few. To check one is quick, and DNS can tell of thousands. */
const MAX_ADDRESSES = 32

/** A name without an address. */
class UnresolvedError extends Error {
  constructor(hostname: string, cause?: unknown) {
    const code = codeOf(cause)
    super(`the name ${hostname} does not resolve${code === undefined ? '' : ` (${code})`}`, { cause })
  }
}

/** Posts by HTTPS to addresses that it has checked itself: each one, each time, and no other. */
export class HttpsTransport implements HttpTransport {
  readonly #rules: AddressRules
  readonly #resolve: NonNullable<HttpsTransportOptions['resolver']>
  readonly #secureContext: SecureContext | undefined
  readonly #deadlineMs: number
  readonly #work: WorkInTime
  readonly #agents = new ResumingAgents()

  /** @throws InvalidInputError for an option that is not what it must be */
  constructor(options: HttpsTransportOptions = {}) {
    const { resolver = resolveHost, certificateAuthorities } = options
    requireFunctions(options)
    this.#rules = new AddressRules(options)
    this.#resolve = resolver
    this.#secureContext = certificateAuthorities && trustedAuthorities(certificateAuthorities)
    this.#deadlineMs = validate(integerSchema({ min: 1, max: 600_000 }), options.deadlineMs ?? 5_000, 'deadlineMs')
    this.#work = new WorkInTime(this.#deadlineMs)
  }

  async vetDestination(url: string, { signal, beforeLookUp }: VetOptions = {}): Promise<string> {
    const destination = parseDestinationUrl(url)
    if (!destination.isAddress) await beforeLookUp?.()
    try {
      await this.#work.run(async (cut) => await this.#addressesOf(destination, cut), signal)
      return destination.href
    } catch (error) {
      if (error instanceof DeadlineError) {
        const problem = `the name ${destination.hostname} does not resolve within ${this.#deadlineMs / 1_000} s`
        throw new UnresolvedDestinationError('url', problem, { cause: error })
      }
      if (error instanceof UnresolvedError) throw new UnresolvedDestinationError('url', error.message, { cause: error })
      throw error
    }
  }

  /** Besides what the port says: a response whose headers came is the outcome, also where `signal` is aborted then. */
  async post(
    { url, headers, body }: HttpPost,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<HttpOutcome> {
    try {
      return await this.#work.run(async (cut) => {
        const destination = parseDestinationUrl(url)
        const addresses = await this.#addressesOf(destination, cut)
        const [secureContext, agent] = [this.#secureContext, this.#agents.current]
        return await postOnce({ destination, addresses, headers, body, secureContext, agent }, cut)
      }, signal)
    } catch (error) {
      signal?.throwIfAborted()
      return this.#outcomeOf(error)
    }
  }

  async close(): Promise<void> {
    this.#work.close()
  }

  /**
   * All addresses of a destination, after a check of each: one that is refused is enough. Which one it is that
   * a name resolves to is told by the error's cause alone: who may name destinations may not ask the names of
   * the operator's network.
   */
  async #addressesOf({ hostname, isAddress, port }: DestinationUrl, signal: AbortSignal): Promise<readonly string[]> {
    const addresses = isAddress ? [hostname] : await this.#lookUp(hostname, signal)
    if (addresses.length > MAX_ADDRESSES) {
      throw new DestinationRefusedError(`the name ${hostname} has more than ${MAX_ADDRESSES} addresses`, {
        isByLookUp: true,
      })
    }
    const refusalOf = this.#rules.checkAt(port)
    for (const address of addresses) {
      const refusal = refusalOf(address)
      if (refusal === undefined) continue
      if (isAddress) throw new DestinationRefusedError(`${address} ${refusal}`)
      const cause = new Error(`${hostname} resolves to ${JSON.stringify(address)}, which ${refusal}`)
      throw new DestinationRefusedError(`the name ${hostname} resolves to what ${refusal}`, { cause, isByLookUp: true })
    }
    return addresses
  }

  async #lookUp(hostname: string, signal: AbortSignal): Promise<readonly string[]> {
    try {
      const addresses = await untilAborted(this.#resolve(hostname, { signal }), signal)
      if (addresses.length > 0) return [...addresses]
    } catch (error) {
      throw new UnresolvedError(hostname, error)
    }
    throw new UnresolvedError(hostname)
  }

  #outcomeOf(error: unknown): HttpOutcome {
    if (error instanceof DestinationRefusedError || error instanceof InvalidInputError) {
      return { kind: 'blocked', error: error.message }
    }
    if (error instanceof DeadlineError) {
      return { kind: 'timeout', error: `there was no response within ${this.#deadlineMs / 1_000} s` }
    }
    const isSentence = error instanceof UnresolvedError || error instanceof ClosedError
    return { kind: 'connection_error', error: isSentence ? error.message : failureSentence(error) }
  }
}

/** In plain JavaScript anything may come, and would fail at the first event. */
function requireFunctions(options: HttpsTransportOptions): void {
  for (const name of ['ownEndpoints', 'resolver'] as const) {
    if (options[name] !== undefined && typeof options[name] !== 'function') {
      throw new InvalidInputError(name, 'must be a function')
    }
  }
}

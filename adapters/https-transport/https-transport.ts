import type { SecureContext } from 'node:tls'
import {
  ClosedError,
  DestinationRefusedError,
  type ErrorReason,
  errorReason,
  type HttpOutcome,
  type HttpPost,
  type HttpTransport,
  InvalidInputError,
  integerSchema,
  refuseUnknownMembers,
  UnresolvedDestinationError,
  untilAborted,
  type VetOptions,
  validate,
  withAnySignal,
} from '../../src/ports/index.js'
import { codeOf as systemCodeOf } from '../node-kit/index.js'
import { AddressRules, type OwnEndpoint, refusalError } from './address-rules.js'
import { type DestinationUrl, parseDestinationUrl } from './destination-url.js'
import { postOnce } from './post-once.js'
import { resolveHost } from './resolve-host.js'
import { ResumingAgents, trustedAuthorities } from './tls.js'

export interface HttpsTransportOptions {
  /**
   * Addresses and networks that may be contacted although they are not public or belong to this machine, such as
   * `10.1.0.0/16`. Default: none.
   */
  readonly allow?: readonly string[]
  /**
   * Addresses and networks that are never contacted, even if they are public or allowed. Default: none.
   *
   * The addresses of this machine's interfaces need not be named: they are refused on every port unless they are
   * allowed. In a container or behind NAT, the public address of this machine is not one of its interfaces. Name that
   * address here if services listen on it that strangers must not post to.
   */
  readonly deny?: readonly string[]
  /**
   * Returns the endpoints that the engine itself listens on. They are never contacted, even if they are allowed. Called
   * at every check.
   */
  readonly ownEndpoints?: () => readonly OwnEndpoint[]
  /**
   * Returns all addresses of a name; fails, or returns none, if there are none. Default: DNS, without the hosts file.
   */
  readonly resolver?: (hostname: string, options: { readonly signal: AbortSignal }) => Promise<readonly string[]>
  /** Certificates in PEM, trusted in addition to those that Node trusts. */
  readonly certificateAuthorities?: readonly string[]
  /**
   * The deadline for look-up, connection, TLS, request and the response's headers together, in milliseconds. Default:
   * 5,000.
   */
  readonly deadlineMs?: number
}

/**
 * The number of addresses that a name may have. Receivers have a few. A check of one is fast, but DNS can return
 * thousands.
 */
const MAX_ADDRESSES = 32

/** Posts by HTTPS, only to addresses that it has checked itself, each one before each request. */
export class HttpsTransport implements HttpTransport {
  readonly #rules: AddressRules
  readonly #resolve: NonNullable<HttpsTransportOptions['resolver']>
  readonly #secureContext: SecureContext | undefined
  readonly #deadlineMs: number
  readonly #work: WorkInTime
  readonly #agents = new ResumingAgents()

  /** @throws InvalidInputError for an invalid option */
  constructor(options: HttpsTransportOptions = {}) {
    refuseUnknownMembers(options, Object.keys(OPTIONS), 'option')
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
      await this.#work.run(async (workSignal) => await this.#addressesOf(destination, workSignal), signal)
      return destination.href
    } catch (error) {
      if (error instanceof DeadlineError) {
        const [name, seconds] = [destination.hostname, this.#deadlineMs / 1_000]
        throw new UnresolvedDestinationError('url', `the name ${name} does not resolve within ${seconds} s`, {
          cause: error,
          reason: errorReason('name-unresolved-in-time', { name, seconds }),
        })
      }
      if (error instanceof UnresolvedError) {
        throw new UnresolvedDestinationError('url', error.message, {
          cause: error,
          reason: error.reason,
        })
      }
      throw error
    }
  }

  /**
   * In addition to the port's contract: once the headers have arrived, the response is the outcome, even if `signal` is
   * aborted afterwards.
   */
  async post(
    { url, headers, body }: HttpPost,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<HttpOutcome> {
    try {
      return await this.#work.run(async (workSignal) => {
        const destination = parseDestinationUrl(url)
        const addresses = await this.#addressesOf(destination, workSignal)
        const [secureContext, agent] = [this.#secureContext, this.#agents.current]
        return await postOnce({ destination, addresses, headers, body, secureContext, agent }, workSignal)
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
   * Finds and checks all addresses of a destination: one refused address is enough to refuse it. Only the error's cause
   * has the address to which a name resolves. A user who may name destinations must not learn the names of the
   * operator's network.
   */
  async #addressesOf({ hostname, isAddress, port }: DestinationUrl, signal: AbortSignal): Promise<readonly string[]> {
    const addresses = isAddress ? [hostname] : await this.#lookUp(hostname, signal)
    if (addresses.length > MAX_ADDRESSES) {
      throw new DestinationRefusedError(`the name ${hostname} has more than ${MAX_ADDRESSES} addresses`, {
        isByLookUp: true,
        reason: errorReason('name-with-too-many-addresses', { name: hostname, max: MAX_ADDRESSES }),
      })
    }
    const refusalOf = this.#rules.checkAt(port)
    for (const address of addresses) {
      const refusal = refusalOf(address)
      if (refusal === undefined) continue
      throw refusalError(refusal, { hostname, address, isAddress })
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
      return { kind: 'blocked', error: error.message, reason: error.reason }
    }
    if (error instanceof DeadlineError) {
      const seconds = this.#deadlineMs / 1_000
      const reason = errorReason('no-answer-in-time', { seconds })
      return { kind: 'timeout', error: `there was no response within ${seconds} s`, reason }
    }
    const hasSentence = error instanceof UnresolvedError || error instanceof ClosedError
    const said = hasSentence ? { error: error.message, reason: error.reason } : failureOf(error)
    return { kind: 'connection_error', ...said }
  }
}

const OPTIONS: Readonly<Record<keyof HttpsTransportOptions, true>> = {
  allow: true,
  deny: true,
  ownEndpoints: true,
  resolver: true,
  certificateAuthorities: true,
  deadlineMs: true,
}

/** Checks at once, because a caller in plain JavaScript may pass anything, which would fail only at the first event. */
function requireFunctions(options: HttpsTransportOptions): void {
  for (const name of ['ownEndpoints', 'resolver'] as const) {
    if (options[name] !== undefined && typeof options[name] !== 'function') {
      throw new InvalidInputError(name, 'must be a function')
    }
  }
}

/** A name does not resolve to an address. */
class UnresolvedError extends Error {
  readonly reason: ErrorReason

  constructor(name: string, cause?: unknown) {
    const system = codeOf(cause)
    super(`the name ${name} does not resolve${system === undefined ? '' : ` (${system})`}`, { cause })
    this.reason = errorReason('name-unresolved', { name, ...(system !== undefined && { system }) })
  }
}

/** Work did not finish before its deadline. */
class DeadlineError extends Error {}

/**
 * Runs work that ends at a deadline, when its caller aborts it, or when the transport is closed. It holds its own
 * timer, because Node 20 may collect a signal of `AbortSignal.timeout` before it fires.
 */
class WorkInTime {
  readonly #running = new Set<AbortController>()
  #isClosed = false

  constructor(private readonly deadlineMs: number) {}

  /**
   * @param work must end soon after its signal is aborted
   * @throws what `work` throws; after an abort: DeadlineError, ClosedError or the reason of the caller's signal
   */
  async run<T>(work: (signal: AbortSignal) => Promise<T>, caller: AbortSignal | undefined): Promise<T> {
    caller?.throwIfAborted()
    if (this.#isClosed) throw new ClosedError('the transport')
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(new DeadlineError()), this.deadlineMs)
    this.#running.add(controller)
    try {
      return await withAnySignal([controller.signal, caller], async (signal) => {
        return await work(signal).catch((error: unknown) => {
          throw signal.aborted ? (signal.reason as Error) : error
        })
      })
    } finally {
      clearTimeout(timer)
      this.#running.delete(controller)
    }
  }

  /** Aborts the work in progress, and refuses further work. */
  close(): void {
    this.#isClosed = true
    for (const controller of this.#running) controller.abort(new ClosedError('the transport'))
  }
}

/** The meaning of an error's code for the reader of a delivery log. The first match counts. */
const MEANINGS = [
  [/^ECONNREFUSED$/, 'connection-refused', 'the connection was refused'],
  [/^(?:ECONNRESET|EPIPE)$/, 'connection-closed', 'the connection was closed before there was a response'],
  [
    /^(?:EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ENETDOWN|EHOSTDOWN|EACCES|EPERM)$/,
    'address-unreachable',
    'the address cannot be reached',
  ],
  [/^ETIMEDOUT$/, 'address-silent', 'the address did not answer'],
  [/^CERT_HAS_EXPIRED$/, 'certificate-expired', 'the certificate has expired'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'certificate-of-other-name', 'the certificate is for another name'],
  [
    /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|INVALID_|PATH_LENGTH_)/,
    'certificate-not-trusted',
    'the certificate is not trusted',
  ],
  [/^(?:EPROTO$|ERR_SSL_|ERR_TLS_)/, 'no-tls-connection', 'no TLS connection could be made'],
  [/^HPE_HEADER_OVERFLOW$/, 'headers-too-large', 'the headers of the response are too large'],
  [/^ERR_RESPONSE_SIZE$/, 'response-too-large', 'the server sent too many bytes without a complete response'],
  [/^ERR_RESPONSE_STATUS$/, 'response-not-final', 'the response does not have the status of a final response'],
  [/^HPE_/, 'response-not-http', 'the answer is not an HTTP response'],
  [/^ERR_(?:INVALID|HTTP)_/, 'request-impossible', 'the request could not be made'],
] as const

/**
 * Says in one sentence why there is no response, with the error's code. It leaves out messages of errors, because they
 * repeat parts of a certificate or of a request.
 */
function failureOf(error: unknown): { readonly error: string; readonly reason: ErrorReason } {
  const system = codeOf(error)
  if (system === undefined) {
    return { error: 'the connection ended without a response', reason: errorReason('connection-ended') }
  }
  const [, code, meaning] = MEANINGS.find(([pattern]) => pattern.test(system)) ?? UNKNOWN
  return { error: `${meaning} (${system})`, reason: errorReason(code, { system }) }
}

const UNKNOWN = ['', 'request-failed', 'the request failed'] as const

/** Returns the code that Node or DNS gave an error. */
function codeOf(error: unknown): string | undefined {
  const code = systemCodeOf(error)
  return code !== undefined && /^[A-Z][A-Z0-9_]+$/.test(code) ? code : undefined
}

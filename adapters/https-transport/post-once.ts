import type { ClientRequest, IncomingMessage } from 'node:http'
import { type Agent, request as httpsRequest, type RequestOptions } from 'node:https'
import type { LookupFunction, TcpSocketConnectOpts } from 'node:net'
import type { SecureContext } from 'node:tls'
import { type HttpOutcome, type HttpPost, MAX_RESPONSE_BODY_BYTES } from '../../src/ports/index.js'
import { familyOf } from './address-list.js'
import type { DestinationUrl } from './destination-url.js'
import { limitReceived, ResponseError } from './received-limits.js'
import { TLS_LIMITS } from './tls-limits.js'

/** One request, and where it goes. */
export interface PostOnce extends Pick<HttpPost, 'headers' | 'body'> {
  readonly destination: DestinationUrl
  /** Those that were checked; no other is dialled, and of these only some. */
  readonly addresses: readonly string[]
  readonly secureContext: SecureContext | undefined
  /** Gives each request a connection of its own. */
  readonly agent: Agent
}

/** Options of the socket pass through node:https, but are not in its types. */
type SocketOptions = Pick<TcpSocketConnectOpts, 'autoSelectFamily' | 'autoSelectFamilyAttemptTimeout'>

interface Answer {
  readonly httpStatus: number
  readonly body: Promise<Uint8Array>
}

/** A dead route, such as one of IPv6, must leave time for the next address. */
const NEXT_ADDRESS_AFTER_MS = 1_000
/** In the deadline there is time for no more. */
const MAX_DIALLED = 4
const MAX_HEADER_BYTES = 16_384

/**
 * Sends a request on a connection of its own.
 *
 * @returns the response, also where the connection breaks or the signal is aborted within its body
 * @throws an error of Node, with its code, where there is no response
 */
export async function postOnce(post: PostOnce, signal: AbortSignal): Promise<HttpOutcome> {
  signal.throwIfAborted()
  const request = httpsRequest(optionsOf(post))
  limitReceived(request)
  // With an error: a TLS session with which a server hangs is not gone on with.
  const cut = (): void => void request.destroy(new Error('cut'))
  signal.addEventListener('abort', cut, { once: true })
  try {
    const { httpStatus, body } = await answerOf(request, post.body)
    return { kind: 'response', httpStatus, body: await body }
  } finally {
    signal.removeEventListener('abort', cut)
    request.destroy()
  }
}

/** What the environment could change for the worse is said explicitly. */
function optionsOf(post: PostOnce): RequestOptions & SocketOptions {
  const { destination, addresses, headers, body, secureContext, agent } = post
  const { host, hostname, isAddress, path, port } = destination
  return {
    method: 'POST',
    hostname,
    port,
    path,
    setHost: false,
    headers: { ...headers, host, 'content-length': body.length, connection: 'close' },
    agent,
    lookup: lookupOf(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    // RFC 6066, section 3: addresses are no server names. The certificate is checked against them all the same.
    servername: isAddress ? '' : hostname,
    // Else NODE_TLS_REJECT_UNAUTHORIZED=0 would count.
    rejectUnauthorized: true,
    insecureHTTPParser: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    ...TLS_LIMITS,
    ...(secureContext && { secureContext }),
  }
}

/**
 * Answers with what was checked, so that nothing is looked up between the check and the connection.
 *
 * Later, as a look-up does: a connection can fail within the callback, and until `request` has returned
 * nobody listens to its socket's error, which would end the process.
 */
function lookupOf(addresses: readonly string[]): LookupFunction {
  const answers = dialled(addresses).map((address) => ({ address, family: familyOf(address) }))
  return (_hostname, { all }, callback) => {
    setImmediate(() => {
      if (all === true) callback(null, answers)
      else callback(null, answers[0]?.address ?? '', answers[0]?.family)
    })
  }
}

/** The first ones in their order, of both families where there are both. */
function dialled(addresses: readonly string[]): readonly string[] {
  const all = [...new Set(addresses)]
  const sizeOf = (family: number): number => all.filter((address) => familyOf(address) === family).length
  const left = {
    4: Math.max(MAX_DIALLED / 2, MAX_DIALLED - sizeOf(6)),
    6: Math.max(MAX_DIALLED / 2, MAX_DIALLED - sizeOf(4)),
  }
  return all.filter((address) => {
    left[familyOf(address) as 4 | 6] -= 1
    return left[familyOf(address) as 4 | 6] >= 0
  })
}

/** Listens at once to all that the request may tell: an event that nobody hears would end the process. */
async function answerOf(request: ClientRequest, body: Uint8Array): Promise<Answer> {
  return await new Promise<Answer>((resolve, reject) => {
    request.on('error', reject)
    // Node tells of a switch of protocols (101) that nobody asked for by this alone.
    request.once('close', () => reject(new Error('closed')))
    request.once('response', (response) => {
      const { statusCode = 0 } = response
      const start = firstBytesOf(response)
      // It came with more than it may: the error is on its way.
      if (request.destroyed) return
      // RFC 9110, section 15: there are no others; and 1xx, of which Node skips those that it knows, are not final.
      if (statusCode < 200 || statusCode > 599) reject(new ResponseError('ERR_RESPONSE_STATUS'))
      else resolve({ httpStatus: statusCode, body: start })
    })
    request.end(body)
  })
}

/** Ends where the body does, where the connection breaks, or where there are bytes enough. */
async function firstBytesOf(response: IncomingMessage): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let missing = MAX_RESPONSE_BODY_BYTES
  return await new Promise((resolve) => {
    const done = (): void => resolve(new Uint8Array(Buffer.concat(pieces)))
    response.on('data', (piece: Uint8Array) => {
      pieces.push(piece.subarray(0, missing))
      missing -= Math.min(missing, piece.length)
      if (missing > 0) return
      response.pause()
      done()
    })
    response.on('end', done)
    response.on('error', done)
    response.on('close', done)
  })
}

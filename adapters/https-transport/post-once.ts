import type { ClientRequest, IncomingMessage } from 'node:http'
import { type Agent, request as httpsRequest, type RequestOptions } from 'node:https'
import type { LookupFunction, Socket, TcpSocketConnectOpts } from 'node:net'
import type { SecureContext } from 'node:tls'
import {
  type HttpOutcome,
  type HttpPost,
  MAX_RESPONSE_BODY_BYTES,
  MAX_RETRY_AFTER_LENGTH,
} from '../../src/ports/index.js'
import { familyOf } from './address-list.js'
import type { DestinationUrl } from './destination-url.js'
import { TLS_LIMITS } from './tls.js'

/** One request and its destination. */
interface PostOnceRequest extends Pick<HttpPost, 'headers' | 'body'> {
  readonly destination: DestinationUrl
  /** The checked addresses. The transport dials no other address, and only some of these. */
  readonly addresses: readonly string[]
  readonly secureContext: SecureContext | undefined
  /** Gives each request its own connection. */
  readonly agent: Agent
}

/** Options of the socket that node:https accepts, but does not have in its types. */
type SocketOptions = Pick<TcpSocketConnectOpts, 'autoSelectFamily' | 'autoSelectFamilyAttemptTimeout'>

interface Answer {
  readonly httpStatus: number
  readonly retryAfter: string | undefined
  readonly body: Promise<Uint8Array>
}

/** The time after which the next address is tried. A dead route, such as one of IPv6, must leave time for it. */
const NEXT_ADDRESS_AFTER_MS = 1_000
/** The deadline leaves no time for more addresses. */
const MAX_DIALLED = 4
const MAX_HEADER_BYTES = 16_384

/**
 * Sends a request on its own connection.
 *
 * @returns the response, also if the connection breaks or the signal is aborted within its body
 * @throws an error of Node, with its code, if there is no response
 */
export async function postOnce(post: PostOnceRequest, signal: AbortSignal): Promise<HttpOutcome> {
  signal.throwIfAborted()
  const request = httpsRequest(makeOptions(post))
  limitReceived(request)
  // With an error, because Node then discards a TLS session with which a server hangs.
  const abort = (): void => void request.destroy(new Error('aborted'))
  signal.addEventListener('abort', abort, { once: true })
  try {
    const { httpStatus, retryAfter, body } = await waitForAnswer(request, post.body)
    return { kind: 'response', httpStatus, body: await body, ...(retryAfter !== undefined && { retryAfter }) }
  } finally {
    signal.removeEventListener('abort', abort)
    request.destroy()
  }
}

/** Options that the environment could weaken are set explicitly. */
function makeOptions(post: PostOnceRequest): RequestOptions & SocketOptions {
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
    lookup: makeLookup(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    // An address is not a server name (RFC 6066, section 3). The certificate is still checked against the address.
    servername: isAddress ? '' : hostname,
    // Otherwise NODE_TLS_REJECT_UNAUTHORIZED=0 would apply.
    rejectUnauthorized: true,
    insecureHTTPParser: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    ...TLS_LIMITS,
    ...(secureContext && { secureContext }),
  }
}

/**
 * Returns a look-up function that answers with the checked addresses, so nothing is looked up between the check and the
 * connection.
 *
 * It answers later, as a real look-up does. A connection can fail within the callback. Until `request` has returned,
 * nothing listens to its socket's error, which would end the process.
 */
function makeLookup(addresses: readonly string[]): LookupFunction {
  const answers = chooseAddresses(addresses).map((address) => ({ address, family: familyOf(address) }))
  return (_hostname, { all }, callback) => {
    setImmediate(() => {
      if (all === true) callback(null, answers)
      else callback(null, answers[0]?.address ?? '', answers[0]?.family)
    })
  }
}

/** Chooses the first addresses, in their order, of both families if there are both. */
function chooseAddresses(addresses: readonly string[]): readonly string[] {
  const all = [...new Set(addresses)]
  const countFamily = (family: number): number => all.filter((address) => familyOf(address) === family).length
  const remaining = {
    4: Math.max(MAX_DIALLED / 2, MAX_DIALLED - countFamily(6)),
    6: Math.max(MAX_DIALLED / 2, MAX_DIALLED - countFamily(4)),
  }
  return all.filter((address) => {
    remaining[familyOf(address) as 4 | 6] -= 1
    return remaining[familyOf(address) as 4 | 6] >= 0
  })
}

/** The limit for the headers, the part of the body that is kept, and its framing, which may be chunks of one byte. */
const MAX_RECEIVED_BYTES = 65_536
/** The number of interim responses: a slow server may send more than one (RFC 9110, section 15.2). */
const MAX_INTERIM_RESPONSES = 8

/**
 * Ends a request's connection if more bytes arrive than any response needs. Node does not limit interim responses,
 * empty lines before a response, or zeros before the size of a chunk. A server can send them forever. Parsing them at
 * the speed of the server leaves no time for other work.
 */
function limitReceived(request: ClientRequest): void {
  let bytes = 0
  let interims = 0
  const end = (): void => void request.destroy(new ResponseError('ERR_RESPONSE_SIZE'))
  request.on('socket', (socket: Socket) => {
    // This listener runs before the parser of node:http, so a piece that exceeds the limit is the last one.
    socket.prependListener('data', (piece: Uint8Array) => {
      bytes += piece.length
      if (bytes > MAX_RECEIVED_BYTES) end()
    })
  })
  request.on('information', () => {
    interims += 1
    if (interims > MAX_INTERIM_RESPONSES) end()
  })
}

/**
 * Waits for the response. Listens to all events of the request at once: an error event without a listener would end the
 * process.
 */
async function waitForAnswer(request: ClientRequest, body: Uint8Array): Promise<Answer> {
  return await new Promise<Answer>((resolve, reject) => {
    request.on('error', reject)
    // For an unrequested switch of protocols (101), Node emits only this event.
    request.once('close', () => reject(new Error('the connection was closed')))
    request.once('response', (response) => {
      const { statusCode = 0 } = response
      const bodyStart = readFirstBytes(response)
      // The response was too large: the error event follows.
      if (request.destroyed) return
      // There are no other statuses (RFC 9110, section 15). A 1xx response is not final; Node skips those that it
      // knows.
      if (statusCode < 200 || statusCode > 599) reject(new ResponseError('ERR_RESPONSE_STATUS'))
      else {
        const retryAfter = response.headers['retry-after']?.slice(0, MAX_RETRY_AFTER_LENGTH)
        resolve({ httpStatus: statusCode, retryAfter, body: bodyStart })
      }
    })
    request.end(body)
  })
}

/** Reads until the body ends, the connection breaks, or there are enough bytes. */
async function readFirstBytes(response: IncomingMessage): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let remainingBytes = MAX_RESPONSE_BODY_BYTES
  return await new Promise((resolve) => {
    const finish = (): void => resolve(new Uint8Array(Buffer.concat(pieces)))
    response.on('data', (piece: Uint8Array) => {
      pieces.push(piece.subarray(0, remainingBytes))
      remainingBytes -= Math.min(remainingBytes, piece.length)
      if (remainingBytes > 0) return
      response.pause()
      finish()
    })
    response.on('end', finish)
    response.on('error', finish)
    response.on('close', finish)
  })
}

/** The answer is not an HTTP response, or never becomes one. */
class ResponseError extends Error {
  constructor(readonly code: 'ERR_RESPONSE_SIZE' | 'ERR_RESPONSE_STATUS') {
    super(code)
  }
}

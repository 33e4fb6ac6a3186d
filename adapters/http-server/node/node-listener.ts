import { setMaxListeners } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import proxyAddress from 'proxy-addr'
import { InvalidInputError } from '../../../src/index.js'
import type { HttpHandler } from '../create-http-handler.js'

/** The function that `node:http`, Express and Fastify call for each request. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => void

export interface NodeListenerOptions {
  /**
   * Addresses and networks of proxies, such as `10.0.0.0/8`, whose header `X-Forwarded-For` is trusted. Default: none,
   * the header is ignored.
   */
  readonly trustedProxies?: readonly string[]
  /**
   * Abort it before the server closes: streams of events then end, and no close waits for them. Default: they end when
   * the engine closes.
   */
  readonly closing?: AbortSignal | undefined
}

/** True for the address of a proxy whose `X-Forwarded-For` header is trusted. */
export type IsTrusted = (address: string) => boolean

/**
 * Mounts a handler in a Node server. The handler reads the body itself: mount it before or beside a middleware that
 * parses bodies.
 *
 * - The server never reads a body further than the operation does: an answer before the end of the body closes the
 *   connection.
 * - The server handles the requests of one connection one after the other.
 *
 * @throws InvalidInputError for trusted proxies that are not addresses or networks
 */
export function nodeListener(handler: HttpHandler, options: NodeListenerOptions = {}): NodeListener {
  const { trustedProxies, closing } = options
  // Each stream of events has a listener.
  if (closing !== undefined) setMaxListeners(0, closing)
  const fetch = fetchOf(handler, trustOf(trustedProxies), closing)
  const listener = getRequestListener(fetch, { overrideGlobalObjects: false })
  const turns = new RequestTurns()
  return (request, response) => {
    closeOnUnreadBody(request, response)
    turns.enqueue(request, response, () => void listener(request, response))
  }
}

/** Adapts a handler to the server's library, which passes the connection with the address of the client. */
function fetchOf(
  handler: HttpHandler,
  isTrusted: IsTrusted,
  closing: AbortSignal | undefined,
): (request: Request, env: unknown) => Promise<Response> {
  return async (request, env) => {
    const { incoming } = env as { readonly incoming: IncomingMessage }
    const isChunked = incoming.httpVersionMajor === 1 && incoming.httpVersionMinor > 0
    const remoteAddress = clientAddress(incoming, isTrusted)
    return await handler(request, { remoteAddress, isChunked, context: incoming, closing })
  }
}

/**
 * Parses addresses and networks of proxies, such as `10.0.0.0/8`. The names `loopback`, `linklocal` and `uniquelocal`
 * stand for networks.
 *
 * @throws InvalidInputError
 */
export function trustOf(proxies: readonly string[] = []): IsTrusted {
  if (proxies.length === 0) return () => false
  try {
    const isTrusted = proxyAddress.compile([...proxies])
    return (address) => isTrusted(address, 0)
  } catch (error) {
    throw new InvalidInputError('trustedProxies', 'must be addresses and networks such as 10.0.0.0/8', { cause: error })
  }
}

/**
 * The address of the client. If the peer is a trusted proxy, it is the last address in `X-Forwarded-For` that is not a
 * trusted proxy. If that is no valid address, it is the address of the peer.
 */
export function clientAddress(request: IncomingMessage, isTrusted: IsTrusted): string | undefined {
  const peer = request.socket.remoteAddress
  if (peer === undefined) return undefined
  const forwarded = isTrusted(peer) ? proxyAddress(request, isTrusted) : peer
  return toPlainIpv4(isIP(forwarded) === 0 ? peer : forwarded)
}

/** Converts an IPv4 address in IPv6 form, as a socket for both families writes it, back to IPv4. */
function toPlainIpv4(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
}

/** The most requests of one connection that may wait for the current one. */
const MAX_WAITING = 100

type Start = () => void

/**
 * Handles one request of a connection at a time. A client may send several without waiting for the answers
 * (pipelining). Node would start all of them at once.
 */
class RequestTurns {
  readonly #waiting = new WeakMap<Socket, Start[]>()

  /**
   * Starts a request when all earlier requests of its connection are answered. Destroys a connection with more than
   * 100 waiting requests. Streams of an HTTP/2 connection do not wait for each other.
   */
  enqueue({ httpVersionMajor, socket }: IncomingMessage, response: ServerResponse, start: Start): void {
    if (httpVersionMajor !== 1) {
      start()
      return
    }
    response.once('close', () => this.#next(socket))
    const waiting = this.#waiting.get(socket)
    if (waiting === undefined) {
      this.#waiting.set(socket, [])
      start()
    } else if (waiting.length < MAX_WAITING) waiting.push(start)
    else socket.destroy()
  }

  #next(socket: Socket): void {
    const next = socket.destroyed ? undefined : this.#waiting.get(socket)?.shift()
    if (next === undefined) this.#waiting.delete(socket)
    else next()
  }
}

/**
 * Closes the connection if the answer begins before the whole body is received. Node itself would read such a body to
 * its end, however long that is.
 *
 * The answer says `Connection: close`, and the server stops reading. After the answer it ends its side of the
 * connection, and destroys the connection one second later. Destroying it at once would reset the connection before
 * the client has read the answer.
 *
 * This applies to HTTP/1 over a socket. An HTTP/2 server ends its streams itself.
 */
export function closeOnUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request
  if (request.httpVersionMajor !== 1 || !isSocket(socket) || !hasBody(request)) return
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse
  response.writeHead = (...args: unknown[]) => {
    if (!request.complete && !response.headersSent) {
      response.setHeader('connection', 'close')
      stopReading(socket)
    }
    return writeHead(...args)
  }
}

/** False for what a library puts in the place of a socket to call the listener without a connection. */
function isSocket(socket: Partial<Socket>): socket is Socket {
  return socket.destroySoon !== undefined && socket.pause !== undefined
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** The time for a client to read an answer that came before the end of its request. */
const LINGER_MS = 1_000

/** Replaces the two methods through which Node's parser resumes and ends a socket. */
function stopReading(socket: Socket): void {
  socket.pause()
  socket.resume = () => socket
  socket.destroySoon = () => {
    socket.end()
    const timer = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(timer))
  }
}

/**
 * Sends `100 Continue` only when the operation begins to read the body. If the operation answers without the body, a
 * client that waits never sends it.
 */
export function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  request.once('resume', () => {
    if (!response.headersSent && !response.destroyed) response.writeContinue()
  })
}

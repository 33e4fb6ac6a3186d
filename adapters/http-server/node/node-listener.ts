import { setMaxListeners } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import proxyAddress from 'proxy-addr'
import { InvalidInputError } from '../../../src/index.js'
import type { HttpHandler } from '../create-http-handler.js'
import { endSlowly, RequestTurns } from './request-turns.js'

/** The function that `node:http`, Express and Fastify call for each request. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => void

export interface NodeListenerOptions {
  /**
   * Addresses and networks of proxies, such as `10.0.0.0/8`, whose header `X-Forwarded-For` is trusted. Default: none,
   * the header is ignored.
   */
  readonly trustedProxies?: readonly string[]
  /**
   * Abort it before the server closes: streams of events then end, and no close waits for them. Each connection ends
   * after the whole answer that it is sending, or after the next one. Default: streams end when the engine closes.
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
  return listenerOf(handler, options, new RequestTurns(options.closing))
}

/** As {@link nodeListener}. @param turns gives each connection its turns */
export function listenerOf(
  handler: HttpHandler,
  { trustedProxies, closing }: NodeListenerOptions,
  turns: RequestTurns,
): NodeListener {
  // Each stream of events has a listener.
  if (closing !== undefined) setMaxListeners(0, closing)
  const fetch = fetchOf(handler, trustOf(trustedProxies), closing)
  const listener = getRequestListener(fetch, { overrideGlobalObjects: false })
  return (request, response) => {
    closeAfterAnswer(request, response, closing)
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

/**
 * Closes the connection after an answer that begins while the server closes.
 *
 * Also closes the connection if the answer begins before the whole body is received. Node itself would read such a body to
 * its end, however long that is.
 *
 * The answer says `Connection: close`, and the server stops reading. After the answer it ends its side of the
 * connection, and destroys the connection one second later. Destroying it at once would reset the connection before
 * the client has read the answer.
 *
 * This applies to HTTP/1 over a socket. An HTTP/2 server ends its streams itself.
 */
export function closeAfterAnswer(request: IncomingMessage, response: ServerResponse, closing?: AbortSignal): void {
  const { socket } = request
  if (request.httpVersionMajor !== 1 || !isSocket(socket)) return
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse
  response.writeHead = (...args: unknown[]) => {
    const isUnread = hasBody(request) && !request.complete
    if ((isUnread || closing?.aborted === true) && !response.headersSent) {
      response.setHeader('connection', 'close')
      socket.destroySoon = () => endSlowly(socket)
      if (isUnread) stopReading(socket)
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

/** Replaces the method through which Node's parser resumes a socket. */
function stopReading(socket: Socket): void {
  socket.pause()
  socket.resume = () => socket
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

import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Telemetry } from '../../../src/ports/index.js'
import { listen } from '../../node-kit/index.js'
import type { HttpHandler } from '../create-http-handler.js'
import { type ConnectionLimits, watchConnections } from './connections.js'
import { closeAfterAnswer, continueWhenRead, listenerOf, type NodeListenerOptions, trustOf } from './node-listener.js'
import { RequestTurns } from './request-turns.js'

export interface ServeHttpOptions extends ConnectionLimits, Omit<NodeListenerOptions, 'closing'> {
  /** Default: `127.0.0.1`. */
  readonly host?: string
  /** Default: 8787; 0 picks a free port. */
  readonly port?: number
  /** Gets an event for connections that the server refuses or destroys. Default: none. */
  readonly telemetry?: Telemetry
}

/** A listening server. */
export interface HttpServer {
  /** The URL of the server, for example `http://127.0.0.1:8787`. */
  readonly address: string
  /** The address and port on which it listens, for `webhooks.ownEndpoints` of `openLocalEngine`. */
  readonly endpoint: { readonly address: string; readonly port: number }
  /**
   * Accepts no more connections, ends streams of events, and waits up to ten seconds for the running requests, then cuts
   * their connections. Each connection ends after a whole answer. Never rejects.
   */
  close(): Promise<void>
}

/** The headers of a request must arrive within this time. Otherwise the connection ends. */
const HEADERS_TIMEOUT_MS = 20_000
const CHECK_INTERVAL_MS = 5_000
/**
 * An answered connection stays open for the next request. It is longer than proxies keep theirs (60 to 120 seconds): one
 * that sends a request just when the server ends the connection gets no answer.
 */
const KEEP_ALIVE_MS = 125_000
/** A connection ends after this time without a byte in either direction, while a request is under way. */
const IDLE_TIMEOUT_MS = 120_000
const CLOSE_TIMEOUT_MS = 10_000

/**
 * Serves a handler by `node:http`.
 * @throws InvalidInputError for options that are not valid
 * @throws Error of `node:net` if the address is in use or not allowed
 */
export async function serveHttp(handler: HttpHandler, options: ServeHttpOptions = {}): Promise<HttpServer> {
  const { host = '127.0.0.1', port = 8_787 } = options
  const closing = new AbortController()
  const server = createHttpServer(handler, { ...options, closing: closing.signal })
  const { url, endpoint } = await listen(server, host, port)
  return {
    address: url,
    endpoint,
    close: async () => {
      closing.abort()
      await close(server)
    },
  }
}

function createHttpServer(handler: HttpHandler, options: ServeHttpOptions & NodeListenerOptions): Server {
  const turns = new RequestTurns(options.closing)
  const listener = listenerOf(handler, options, turns)
  const server = createServer({ connectionsCheckingInterval: CHECK_INTERVAL_MS }, listener)
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const isIdle = (socket: Socket): boolean => !turns.isBusy(socket) && socket.writableLength === 0
  // Node's own method, which the close calls, also destroys connections whose answer is not sent yet.
  server.closeIdleConnections = () => {
    for (const socket of sockets) if (isIdle(socket)) socket.destroy()
  }
  server.on('checkContinue', (request, response) => {
    continueWhenRead(request, response)
    listener(request, response)
  })
  server.on('checkExpectation', (request, response) => {
    closeAfterAnswer(request, response)
    response.writeHead(417).end()
  })
  // No limit for a whole request: an upload may take long. Its speed is checked instead.
  server.requestTimeout = 0
  server.headersTimeout = HEADERS_TIMEOUT_MS
  server.timeout = IDLE_TIMEOUT_MS
  server.keepAliveTimeout = KEEP_ALIVE_MS
  watchConnections(server, { ...options, isTrusted: trustOf(options.trustedProxies), isIdle })
  return server
}

async function close(server: Server): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS)
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  clearTimeout(timer)
}

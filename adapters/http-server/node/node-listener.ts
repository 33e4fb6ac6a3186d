import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { HttpHandler } from '../create-http-handler.js'
import { clientAddress, type IsTrusted, trustOf } from './network.js'
import { RequestTurns } from './request-turns.js'
import { closeOnUnreadBody } from './unread-body.js'

/** The function that `node:http`, Express and Fastify call for each request. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => void

export interface NodeListenerOptions {
  /**
   * Addresses and networks of proxies, such as `10.0.0.0/8`, whose header `X-Forwarded-For` is trusted. Default: none,
   * the header is ignored.
   */
  readonly trustedProxies?: readonly string[]
}

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
export function nodeListener(handler: HttpHandler, { trustedProxies }: NodeListenerOptions = {}): NodeListener {
  const listener = getRequestListener(fetchOf(handler, trustOf(trustedProxies)), { overrideGlobalObjects: false })
  const turns = new RequestTurns()
  return (request, response) => {
    closeOnUnreadBody(request, response)
    turns.enqueue(request, response, () => void listener(request, response))
  }
}

/** Adapts a handler to the server's library, which passes the connection with the address of the client. */
function fetchOf(handler: HttpHandler, isTrusted: IsTrusted): (request: Request, env: unknown) => Promise<Response> {
  return async (request, env) => {
    const { incoming } = env as { readonly incoming: IncomingMessage }
    const isChunked = incoming.httpVersionMajor === 1 && incoming.httpVersionMinor > 0
    return await handler(request, { remoteAddress: clientAddress(incoming, isTrusted), isChunked })
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { HttpHandler } from '../create-http-handler.js'
import { clientAddress, type IsTrusted, trustOf } from './network.js'
import { RequestTurns } from './request-turns.js'
import { closeOnUnreadBody } from './unread-body.js'

/** What `node:http`, Express and Fastify call for each request. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => void

export interface NodeListenerOptions {
  /**
   * Addresses and networks of proxies, such as `10.0.0.0/8`, whose header `X-Forwarded-For` tells where a
   * request came from; default none: the header is ignored.
   */
  readonly trustedProxies?: readonly string[]
}

/**
 * Mounts a handler in a server of Node. The request's body is the handler's to read: mount it before,
 * or beside, what parses bodies.
 *
 * - No request is read beyond what its operation takes: an answer that comes before the end of the body
 *   closes the connection.
 * - Requests of one connection are handled one after the other.
 *
 * @throws InvalidInputError for trusted proxies that are not addresses or networks
 */
export function nodeListener(handler: HttpHandler, { trustedProxies }: NodeListenerOptions = {}): NodeListener {
  const listener = getRequestListener(fetchOf(handler, trustOf(trustedProxies)), { overrideGlobalObjects: false })
  const turns = new RequestTurns()
  return (request, response) => {
    closeOnUnreadBody(request, response)
    turns.take(request, response, () => void listener(request, response))
  }
}

/** A handler as the server's library calls it: with the connection, which knows where the request came from. */
function fetchOf(handler: HttpHandler, isTrusted: IsTrusted): (request: Request, env: unknown) => Promise<Response> {
  return async (request, env) => {
    const { incoming } = env as { readonly incoming: IncomingMessage }
    const isChunked = incoming.httpVersionMajor === 1 && incoming.httpVersionMinor > 0
    return await handler(request, { remoteAddress: clientAddress(incoming, isTrusted), isChunked })
  }
}

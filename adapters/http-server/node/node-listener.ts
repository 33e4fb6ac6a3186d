import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { HttpHandler } from '../create-http-handler.js'

/** What `node:http`, Express and Fastify call for each request. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Mounts a handler in a server of Node. The request's body is the handler's to read: mount it before,
 * or beside, what parses bodies.
 */
export function nodeListener(handler: HttpHandler): NodeListener {
  const listener = getRequestListener(handler, { overrideGlobalObjects: false })
  return (request, response) => void listener(request, response)
}

import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { HttpHandler } from '../create-http-handler.js'

export interface ServeHttpOptions {
  /** Default `127.0.0.1`. */
  readonly host?: string
  /** Default 8787; 0 picks a free one. */
  readonly port?: number
}

/** A server that listens. */
export interface HttpServer {
  /** Such as `http://127.0.0.1:8787`. */
  readonly address: string
  /** Where it really listens, as `openLocalEngine` takes it for `webhooks.ownEndpoints`. */
  readonly endpoint: { readonly address: string; readonly port: number }
  /** Takes no more requests, waits up to ten seconds for those under way, then cuts them off. */
  close(): Promise<void>
}

const HEADERS_TIMEOUT_MS = 20_000
/** Without a byte either way for as long, a connection ends. */
const IDLE_TIMEOUT_MS = 120_000
const PATIENCE_MS = 10_000

/**
 * Serves a handler by `node:http`.
 * @throws Error of `node:net` where the address is in use or may not be used
 */
export async function serveHttp(handler: HttpHandler, options: ServeHttpOptions = {}): Promise<HttpServer> {
  const { host = '127.0.0.1', port = 8_787 } = options
  const server = createAdaptorServer({ fetch: handler, overrideGlobalObjects: false }) as Server
  // An upload may take its time, as long as it goes on.
  server.requestTimeout = 0
  server.headersTimeout = HEADERS_TIMEOUT_MS
  server.timeout = IDLE_TIMEOUT_MS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const bound = server.address() as AddressInfo
  return {
    address: urlOf(bound),
    endpoint: { address: bound.address, port: bound.port },
    close: async () => await close(server),
  }
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

async function close(server: Server): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), PATIENCE_MS)
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })
  clearTimeout(timer)
}

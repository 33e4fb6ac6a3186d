import type { Context, MiddlewareHandler } from 'hono'
import { type Caller, ForbiddenError, UnauthenticatedError } from '../../src/index.js'
import type { Telemetry } from '../../src/ports/index.js'

/** What a server knows of a request beside the request itself. */
export interface RequestInfo {
  /** IP address of the client. */
  readonly remoteAddress?: string | undefined
  /** Whether a body of unknown length goes out in chunks of HTTP/1; default false, which leaves it to the server. */
  readonly isChunked?: boolean
}

/** What travels with a request through the handler. */
export interface RequestEnvironment {
  readonly Variables: { requestId: string; caller?: Caller; clientId?: string }
  readonly Bindings: RequestInfo
}

/** Anything else that came as a client id may be a secret in the wrong place. */
const CLIENT_ID = /^ak_[\w-]{1,40}$/

/** Statuses of refusals that whoever runs the service wants to see. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 408, 413, 429])

/**
 * Gives each request an id, and records it: at `warn` where it is refused, otherwise at `info`. The record
 * names the client id, the user, the company and the address that the request came from; never the body, the
 * query or the headers, which may hold secrets.
 */
export function logRequests(telemetry: Telemetry | undefined): MiddlewareHandler<RequestEnvironment> {
  return async (context, next) => {
    const began = performance.now()
    const given = context.req.header('x-request-id') ?? ''
    const requestId = /^[\w.-]{1,64}$/.test(given) ? given : crypto.randomUUID()
    context.set('requestId', requestId)
    await next()
    context.res.headers.set('x-request-id', requestId)
    const { method, path } = context.req
    const { status } = context.res
    const { remoteAddress } = context.env
    const clientId = context.get('clientId')
    const fields = {
      method,
      path: path.slice(0, 200),
      status,
      requestId,
      ...(remoteAddress !== undefined && { remoteAddress }),
      ...(clientId !== undefined && CLIENT_ID.test(clientId) && { clientId }),
      ...describeCaller(context.get('caller')),
    }
    const level = REFUSALS.has(status) ? 'warn' : 'info'
    telemetry?.record({ name: 'http.request', level, fields, durationMs: performance.now() - began })
  }
}

/** Records what failed in answering a request: at `warn` where its rights were taken while a list was sent. */
export function logFailure(
  telemetry: Telemetry | undefined,
  context: Context<RequestEnvironment>,
  status: number,
  error: unknown,
): void {
  const { method } = context.req
  const fields = { requestId: context.get('requestId'), method, status, ...describeCaller(context.get('caller')) }
  const isRefused = error instanceof UnauthenticatedError || error instanceof ForbiddenError
  telemetry?.record({ name: 'http.request.failed', level: isRefused ? 'warn' : 'error', fields, error })
}

/** Who asked, for a log. */
function describeCaller(caller: Caller | undefined): Readonly<Record<string, string | number>> {
  if (caller === undefined) return {}
  const { clientId, principal } = caller
  return { clientId, userId: principal.userId, companyId: principal.companyId }
}

/** Answers are for those who asked alone, unless an operation says otherwise. */
export const NOT_STORED: MiddlewareHandler<RequestEnvironment> = async (context, next) => {
  await next()
  if (!context.res.headers.has('cache-control')) context.res.headers.set('cache-control', 'no-store')
}

import type { Context, MiddlewareHandler } from 'hono'
import { ForbiddenError, type Principal, UnauthenticatedError } from '../../src/index.js'
import { type Telemetry, tracerOf } from '../../src/ports/index.js'
import { printFailure, requestIdOf } from '../node-kit/index.js'

/** The facts about a request that only its server knows. */
export interface RequestInfo {
  /** IP address of the client. */
  readonly remoteAddress?: string | undefined
  /** True to send bodies of unknown length in HTTP/1 chunks. Default: false, the server decides. */
  readonly isChunked?: boolean
  /**
   * Facts for the option `authenticate` beside the headers, such as the session that a framework has read. `nodeListener`
   * passes the `IncomingMessage`: in Express that is the `request` with all that middleware has put there.
   */
  readonly context?: unknown
  /** Aborted when the server closes: answers without an end then end. Default: they go on until the engine closes. */
  readonly closing?: AbortSignal | undefined
}

/** The caller of a request, for its record. */
export interface LoggedCaller {
  readonly principal: Principal
  readonly clientId?: string | undefined
}

/** The types of the values that the handler stores for each request. */
export interface RequestEnvironment {
  readonly Variables: { requestId: string; caller?: LoggedCaller; clientId?: string; route?: string }
  readonly Bindings: RequestInfo
}

/** Other values are not logged: a client may send its secret as its client id. */
const CLIENT_ID = /^ak_[\w-]{1,40}$/

/** A client may send any word as its method. Others than these are one. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** The statuses of refusals that are logged at `warn` for the operator. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 408, 413, 429])

/**
 * Gives each request an id and records it: a refusal at `warn`, others at `info`. The record has the client id, the
 * user, the company and the address of the client. It never has the body, the query or the headers, which may contain
 * secrets.
 */
export function logRequests(telemetry: Telemetry | undefined): MiddlewareHandler<RequestEnvironment> {
  return async (context, next) => {
    const startedAt = performance.now()
    const requestId = requestIdOf(context.req.raw)
    context.set('requestId', requestId)
    await traceRequest(telemetry, context, next)
    context.res.headers.set('x-request-id', requestId)
    const { method, path } = context.req
    const { status } = context.res
    const { remoteAddress } = context.env
    const clientId = context.get('clientId')
    const route = context.get('route')
    const fields = {
      method,
      path: path.slice(0, 200),
      status,
      requestId,
      ...(route !== undefined && { route }),
      ...(remoteAddress !== undefined && { remoteAddress }),
      ...(clientId !== undefined && CLIENT_ID.test(clientId) && { clientId }),
      ...describeCaller(context.get('caller')),
    }
    const level = REFUSALS.has(status) ? 'warn' : 'info'
    telemetry?.record({ name: 'http.request', level, fields, durationMs: performance.now() - startedAt })
  }
}

/**
 * Answers a request within its span. Continues the trace of the host if there is one, or else that of the client. The
 * span has the pattern of the path, never the path itself.
 */
async function traceRequest(
  telemetry: Telemetry | undefined,
  context: Context<RequestEnvironment>,
  next: () => Promise<void>,
): Promise<void> {
  const tracer = tracerOf(telemetry)
  const { method } = context.req
  const ofClient = context.req.header('traceparent')
  const isContinuing = ofClient !== undefined && tracer.traceparent() === undefined
  const labels = { 'http.request.method': METHODS.has(method) ? method : '_OTHER' }
  const options = { labels, attributes: { 'alcove.request.id': context.get('requestId') } }
  await tracer.span('http.server.request', { ...options, ...(isContinuing && { parent: ofClient }) }, async (span) => {
    await next()
    const { status } = context.res
    const [route, caller] = [context.get('route'), context.get('caller')]
    span.label({ 'http.response.status_code': status, ...(route !== undefined && { 'http.route': route }) })
    if (caller !== undefined) span.set({ 'alcove.company.id': caller.principal.companyId })
    if (status >= 500) span.fail(String(status))
  })
}

/**
 * Records a failed answer: at `warn` if the caller lost its rights while a list was sent, otherwise at `error`. Without a
 * telemetry, an unexpected failure (500) goes to the console, so that its cause is not lost.
 */
export function logFailure(
  telemetry: Telemetry | undefined,
  context: Context<RequestEnvironment>,
  status: number,
  error: unknown,
): void {
  const { method } = context.req
  const requestId = context.get('requestId')
  if (telemetry === undefined && status === 500)
    printFailure(`${method} ${context.get('route') ?? 'of an unknown path'}`, requestId, error)
  const fields = { requestId, method, status, ...describeCaller(context.get('caller')) }
  const isRefused = error instanceof UnauthenticatedError || error instanceof ForbiddenError
  telemetry?.record({ name: 'http.request.failed', level: isRefused ? 'warn' : 'error', fields, error })
}

function describeCaller(caller: LoggedCaller | undefined): Readonly<Record<string, string | number>> {
  if (caller === undefined) return {}
  const { clientId, principal } = caller
  return { ...(clientId !== undefined && { clientId }), userId: principal.userId, companyId: principal.companyId }
}

/** Forbids caches to store answers, unless the operation allows it. */
export const NOT_STORED: MiddlewareHandler<RequestEnvironment> = async (context, next) => {
  await next()
  if (!context.res.headers.has('cache-control')) context.res.headers.set('cache-control', 'no-store')
}

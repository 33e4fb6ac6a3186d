import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { secureHeaders } from 'hono/secure-headers'
import { type Caller, type Engine, InvalidInputError, type Origin } from '../../src/index.js'
import { validate } from '../../src/ports/index.js'
import { authenticate, requireApplication } from './authenticate.js'
import { BodyBudget } from './body-budget.js'
import { API_NAMES, type HttpHandlerOptions } from './http-handler-options.js'
import { checkPublicUrl } from './oauth-metadata.js'
import { describeApi } from './openapi/describe-api.js'
import { parseParameters, queryOf } from './parse-input.js'
import { HttpError, problem, tokenProblem } from './problem.js'
import { readJson, SMALL_BODY_BYTES } from './read-body.js'
import { logFailure, logRequests, NOT_STORED, type RequestEnvironment, type RequestInfo } from './request-log.js'
import type { Call, Route } from './route.js'
import { routesOf } from './routes/index.js'
import { TOKEN_PATH } from './routes/token.js'
import { INTROSPECTION_PATH, REVOCATION_PATH } from './routes/token-state.js'
import { shareHealth } from './shared-health.js'

/** Paths whose refusals have the members of RFC 6749. */
const CLIENT_PATHS: ReadonlySet<string> = new Set([TOKEN_PATH, REVOCATION_PATH, INTROSPECTION_PATH])

/** Answers a request; never rejects. */
export type HttpHandler = (request: Request, info?: RequestInfo) => Promise<Response>

/**
 * The REST API of an engine as a fetch handler: for Express, Fastify, Hono, Next, or `node:http`.
 * Paths, fields and statuses are the specification's. The handler does not close the engine.
 *
 * @throws InvalidInputError for a base path or a public URL that is none, and for a part of the API that there is not
 */
export function createHttpHandler(engine: Engine, options: HttpHandlerOptions = {}): HttpHandler {
  const basePath = checkBasePath(options.basePath ?? '')
  checkApis(options.apis)
  checkPublicUrl(options)
  const app = new Hono<RequestEnvironment>()
  // Most processes are never asked for it.
  let described: Uint8Array | undefined
  const describe = (): Uint8Array => {
    described ??= toBytes(describeApi({ basePath, ...(options.apis && { apis: options.apis }) }))
    return described
  }
  const bodies = new BodyBudget()
  const health = shareHealth(() => engine.health())
  app.use(logRequests(options.telemetry))
  app.use(NOT_STORED)
  // Whether every connection must be encrypted is for whoever ends the TLS to say.
  app.use(secureHeaders({ xFrameOptions: 'DENY', referrerPolicy: 'no-referrer', strictTransportSecurity: false }))
  if (options.corsOrigins !== undefined && options.corsOrigins.length > 0) {
    app.use(
      cors({
        origin: options.corsOrigins.includes('*') ? '*' : [...options.corsOrigins],
        exposeHeaders: ['link', 'retry-after', 'www-authenticate', 'x-request-id'],
        maxAge: 600,
      }),
    )
  }
  for (const [path, routes] of byPath(routesOf(options.apis))) {
    const pattern = basePath + path.replaceAll(/\{(\w+)\}/g, ':$1')
    for (const route of routes) {
      app.on(route.method, pattern, async (context) => {
        const nameClient = (clientId: string): void => context.set('clientId', clientId)
        const isChunked = context.env.isChunked ?? false
        const brokenOff = (error: unknown): void => logFailure(options.telemetry, context, 200, error)
        const call = { engine, options, basePath, describe, health, nameClient, isChunked, brokenOff }
        const origin = { requestId: context.get('requestId'), remoteAddress: context.env.remoteAddress }
        const note = (caller: Caller): void => context.set('caller', caller)
        return await answer(route, context.req.raw, context.req.param(), { ...call, bodies }, origin, note)
      })
    }
    app.all(pattern, () => {
      const error = wrongMethod(routes)
      return CLIENT_PATHS.has(path) ? tokenProblem(error, false) : problem(error)
    })
  }
  app.notFound(({ req }) => problem(new HttpError(404, 'ERR_PATH_NOT_FOUND', `there is no ${req.path.slice(0, 200)}`)))
  app.onError((error, context) => {
    // Nobody hears this answer, and nothing has failed here.
    if (context.req.raw.signal.aborted) return problem(clientLeft())
    const isToken = [...CLIENT_PATHS].some((path) => context.req.path === basePath + path)
    const response = isToken ? tokenProblem(error, false) : problem(error)
    // A refusal is no failure, whatever its status.
    if (response.status >= 500 && !(error instanceof HttpError))
      logFailure(options.telemetry, context, response.status, error)
    return response
  })
  return async (request, info = {}) => {
    try {
      return await app.fetch(request, info)
    } catch {
      // Only what is no Error gets here: the reason why a request was aborted.
      return problem(clientLeft())
    }
  }
}

function clientLeft(): HttpError {
  return new HttpError(400, 'ERR_REQUEST_ABORTED', 'the client went away')
}

type OfRequest = 'params' | 'query' | 'body' | 'request' | 'origin' | 'mayGoOn' | 'readJson'

type Fixed = Omit<Call<unknown, unknown, unknown>, OfRequest> & { readonly bodies: BodyBudget }

/** Who asks is found out first, then what they ask is checked, then it is done. */
async function answer(
  route: Route,
  request: Request,
  params: Readonly<Record<string, string>>,
  { bodies, ...fixed }: Fixed,
  origin: Origin,
  note: (caller: Caller) => void,
): Promise<Response> {
  const caller = route.access === 'public' ? undefined : await authenticate(fixed.engine, request, origin)
  if (caller !== undefined) {
    note(caller)
    requireApplication(route, caller)
  }
  const read = async (): Promise<unknown> => {
    const held = bodies.hold(caller?.principal.companyId ?? 0)
    return await readJson(request, route.maxBodyBytes ?? SMALL_BODY_BYTES, held)
  }
  const call = {
    ...fixed,
    readJson: read,
    request,
    origin,
    mayGoOn: async () => {
      if (caller !== undefined) await fixed.engine.authentication.renew(caller)
    },
    params: route.params && parseParameters(route.params, params),
    query: route.query && parseParameters(route.query, queryOf(request)),
    body: route.isBodyLate === true ? undefined : route.body && validate(route.body, await read()),
  }
  return await route.handle(call, caller && fixed.engine.as(caller.principal))
}

function byPath(routes: readonly Route[]): ReadonlyMap<string, readonly Route[]> {
  const grouped = new Map<string, Route[]>()
  for (const route of routes) grouped.set(route.path, [...(grouped.get(route.path) ?? []), route])
  return grouped
}

function wrongMethod(routes: readonly Route[]): HttpError {
  const methods = routes.map(({ method }) => method as string)
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ')
  return new HttpError(405, 'ERR_METHOD_NOT_ALLOWED', `the methods of this path are ${allow}`, { allow })
}

function checkApis(apis: HttpHandlerOptions['apis'] = []): void {
  for (const api of apis) {
    if (!API_NAMES.includes(api)) throw new InvalidInputError('apis', `must be a list of ${API_NAMES.join(', ')}`)
  }
}

function checkBasePath(basePath: string): string {
  const path = basePath.replace(/\/+$/, '')
  if (path === '' || /^(\/[\w.~-]+)+$/.test(path)) return path
  throw new InvalidInputError('basePath', 'must be a path such as /alcove')
}

function toBytes(value: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value))
}

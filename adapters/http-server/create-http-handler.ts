import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { secureHeaders } from 'hono/secure-headers'
import { z } from 'zod'
import { type Engine, type Health, InvalidInputError, type Origin } from '../../src/index.js'
import { refuseUnknownMembers, validate, validateTolerantly } from '../../src/ports/index.js'
import {
  BodyBudget,
  checkLogin,
  checkPath,
  checkPublicUrl,
  HttpError,
  identifyCaller,
  problem,
  type RequestCaller,
  readJson,
  requireApplication,
} from '../node-kit/index.js'
import { SMALL_BODY_BYTES } from './body-sizes.js'
import { cookieLoginsOf } from './cookie-logins.js'
import { describeApi } from './describe-api.js'
import { addMounts } from './mounts.js'
import { logFailure, logRequests, NOT_STORED, type RequestEnvironment, type RequestInfo } from './request-log.js'
import { API_NAMES, type Call, type HttpHandlerOptions, OPTIONS, type Route } from './route.js'
import { routesOf } from './routes/index.js'
import { INTROSPECTION_PATH, REVOCATION_PATH, TOKEN_PATH } from './routes/login/oauth.js'
import { tokenProblem } from './token-problem.js'

/** Answers a request; never rejects. */
export type HttpHandler = (request: Request, info?: RequestInfo) => Promise<Response>

/** Paths whose errors have the members of RFC 6749. */
const CLIENT_PATHS: ReadonlySet<string> = new Set([TOKEN_PATH, REVOCATION_PATH, INTROSPECTION_PATH])

/**
 * Creates the REST API of an engine as a fetch handler: for Express, Fastify, Hono, Next or `node:http`.
 * docs/explanation/specification.md fixes its paths, fields and statuses. The handler does not close the engine.
 *
 * @throws InvalidInputError for an unknown option, an invalid base path, public URL or login, and an unknown part of the
 *   API
 */
export function createHttpHandler(engine: Engine, options: HttpHandlerOptions = {}): HttpHandler {
  refuseUnknownMembers(options, Object.keys(OPTIONS), 'option')
  const basePath = checkPath('basePath', options.basePath ?? '', '/alcove')
  checkApis(options.apis)
  checkPublicUrl(options.publicUrl)
  checkSignInUrl(options.signInUrl)
  const login = { ...options, ...cookieLoginsOf(engine, options, basePath), origins: options.corsOrigins }
  checkLogin(login)
  const app = new Hono<RequestEnvironment>()
  // Built at the first request for it: most processes never get one.
  let description: Uint8Array | undefined
  const describe = (): Uint8Array => {
    description ??= toBytes(describeApi({ ...options, basePath }))
    return description
  }
  const bodies = new BodyBudget()
  const health = shareHealth(() => engine.health())
  app.use(logRequests(options.telemetry))
  app.use(NOT_STORED)
  // No strict transport security: only the server that terminates TLS knows if all connections are encrypted.
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
  for (const [path, routes] of groupByPath(routesOf(options))) {
    const pattern = basePath + path.replaceAll(/\{(\w+)\}/g, ':$1')
    for (const route of routes) {
      app.on(route.method, pattern, async (context) => {
        context.set('route', path)
        const nameClient = (clientId: string): void => context.set('clientId', clientId)
        const isChunked = context.env.isChunked ?? false
        const reportAbort = (error: unknown): void => logFailure(options.telemetry, context, 200, error)
        const { remoteAddress, context: loginContext, closing } = context.env
        const call = { engine, options, basePath, describe, health, nameClient, isChunked, reportAbort, closing }
        const origin = { requestId: context.get('requestId'), ...(remoteAddress !== undefined && { remoteAddress }) }
        const identify = async (): Promise<RequestCaller> => {
          const access = route.access === 'public' ? 'any' : route.access
          const info = { ...origin, context: loginContext }
          const caller = await identifyCaller(engine, access, context.req.raw, info, login)
          context.set('caller', caller)
          requireApplication(access, caller)
          return caller
        }
        return await answer(route, context.req.raw, context.req.param(), { ...call, bodies }, origin, identify)
      })
    }
    app.all(pattern, (context) => {
      context.set('route', path)
      const error = wrongMethod(routes)
      return CLIENT_PATHS.has(path) ? tokenProblem(error, false) : problem(error)
    })
  }
  addMounts(app, options.mounts ?? {}, { basePath, bodies })
  app.notFound(({ req }) => problem(new HttpError(404, 'ERR_PATH_NOT_FOUND', noOperation(req.path, basePath))))
  app.onError((error, context) => {
    // The client left: nobody gets this answer, and nothing failed here.
    if (context.req.raw.signal.aborted) return problem(requestAborted())
    const isToken = [...CLIENT_PATHS].some((path) => context.req.path === basePath + path)
    const response = isToken ? tokenProblem(error, false) : problem(error)
    // A refusal (HttpError) does not count as a failure, also if its status is 503.
    if (response.status >= 500 && !(error instanceof HttpError))
      logFailure(options.telemetry, context, response.status, error)
    return response
  })
  return async (request, info = {}) => {
    try {
      return await app.fetch(request, info)
    } catch {
      // Only thrown values that are no Error get here: the abort reason of a request.
      return problem(requestAborted())
    }
  }
}

function checkApis(apis: HttpHandlerOptions['apis'] = []): void {
  for (const api of apis) {
    if (!API_NAMES.includes(api)) throw new InvalidInputError('apis', `must be a list of ${API_NAMES.join(', ')}`)
  }
}

function checkSignInUrl(url: unknown): void {
  if (url === undefined) return
  const isPage = typeof url === 'string' && URL.canParse(url, 'http://localhost')
  // A browser takes two slashes for another host.
  if (isPage && /^(?:https?:\/\/|\/(?![/\\]))/.test(url)) return
  throw new InvalidInputError('signInUrl', 'must be a path such as /console, or an http or https URL')
}

function toBytes(value: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value))
}

function groupByPath(routes: readonly Route[]): ReadonlyMap<string, readonly Route[]> {
  const grouped = new Map<string, Route[]>()
  for (const route of routes) grouped.set(route.path, [...(grouped.get(route.path) ?? []), route])
  return grouped
}

function wrongMethod(routes: readonly Route[]): HttpError {
  const methods = routes.map(({ method }) => method as string)
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ')
  return new HttpError(405, 'ERR_METHOD_NOT_ALLOWED', `this path takes only ${allow}`, { allow })
}

function requestAborted(): HttpError {
  return new HttpError(400, 'ERR_REQUEST_ABORTED', 'the client closed the connection')
}

type RequestMember =
  | 'identify'
  | 'params'
  | 'query'
  | 'body'
  | 'request'
  | 'origin'
  | 'requireRights'
  | 'requireToken'
  | 'readJson'

type BaseCall = Omit<Call<unknown, unknown, unknown>, RequestMember> & { readonly bodies: BodyBudget }

/** Authenticates the caller first, then checks the input, then runs the operation. */
async function answer(
  route: Route,
  request: Request,
  params: Readonly<Record<string, string>>,
  { bodies, ...baseCall }: BaseCall,
  origin: Origin,
  identify: () => Promise<RequestCaller>,
): Promise<Response> {
  const caller = route.access === 'public' ? undefined : await identify()
  const read = async (): Promise<unknown> =>
    await readJson(request, {
      maxBytes: route.maxBodyBytes ?? SMALL_BODY_BYTES,
      held: bodies.hold(caller?.principal.companyId ?? 0),
      inTurn: caller?.session.inTurn,
      check: (body) => parseBody(route, body),
    })
  const call = {
    ...baseCall,
    readJson: read,
    identify,
    request,
    origin,
    requireRights: async () => await caller?.renew(),
    requireToken: async () => {
      if (caller !== undefined) await identify()
    },
    params: route.params && parseParameters(route.params, params),
    query: parseQuery(route, request),
    body: route.isBodyLate === true ? undefined : route.body && (await read()),
  }
  return await route.handle(call, caller?.session)
}

/** Checks a JSON body by the route's schema, if it has one. @throws InvalidInputError that names the member */
function parseBody({ body: schema, isSpecified, membersSentBack }: Route, body: unknown): unknown {
  if (schema === undefined) return body
  if (isSpecified === true) return validateTolerantly(schema, body)
  const isRecord = typeof body === 'object' && body !== null && !Array.isArray(body)
  if (membersSentBack === undefined || !isRecord) return validate(schema, body)
  return validate(schema, Object.fromEntries(Object.entries(body).filter(([name]) => !membersSentBack.includes(name))))
}

/**
 * Checks the query of a request. Operations without a token are for browsers and probes, which may add parameters.
 * @throws InvalidInputError that names the parameter
 */
function parseQuery({ query: schema, isSpecified, access }: Route, request: Request): unknown {
  const isClosed = isSpecified !== true && access !== 'public'
  if (schema === undefined && !isClosed) return undefined
  const query = queryOf(request)
  if (isClosed) refuseUnknownMembers(query, schema === undefined ? [] : [...typesOf(schema).keys()], 'parameter')
  return schema && parseParameters(schema, query)
}

/** The parameters of a path or a query. All are texts, also numbers and booleans. */
type Texts = Readonly<Record<string, string>>

const INTEGER = /^-?\d{1,17}$/

/**
 * Checks path or query parameters by their schema.
 * @throws InvalidInputError that names the parameter
 */
function parseParameters(schema: z.ZodType, texts: Texts): unknown {
  const types = typesOf(schema)
  const typed = Object.entries(texts).map(([name, text]) => [name, toType(text, types.get(name))])
  return validateTolerantly(schema, Object.fromEntries(typed))
}

/** The query of a request. @throws InvalidInputError if a parameter occurs twice */
function queryOf(request: Request): Texts {
  const query: Record<string, string> = {}
  for (const [name, value] of new URL(request.url).searchParams) {
    if (Object.hasOwn(query, name)) throw new InvalidInputError(name.slice(0, 50), 'must occur only once')
    query[name] = value
  }
  return query
}

function toType(text: string, type: string | undefined): unknown {
  if (type === 'integer' && INTEGER.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

const typesOfSchemas = new WeakMap<z.ZodType, ReadonlyMap<string, string>>()

/** The JSON types of a schema's members. */
function typesOf(schema: z.ZodType): ReadonlyMap<string, string> {
  let types = typesOfSchemas.get(schema)
  if (types === undefined) {
    const { properties = {} } = z.toJSONSchema(schema, { io: 'input' })
    const entries = Object.entries(properties).map(([name, property]): [string, string] => {
      return [name, typeof property === 'object' ? String(property.type) : '']
    })
    types = new Map(entries)
    typesOfSchemas.set(schema, types)
  }
  return types
}

/** A result up to this old answers without a new check. */
const FRESH_MS = 1_000
/** A result up to this old answers while a new check runs. */
const STALE_MS = 3_000

/**
 * Shares checks of an engine's health among requests, so that a flood of requests costs nothing. One check runs at a
 * time. Its result answers for one second, and for three seconds while the next check runs.
 */
function shareHealth(check: () => Promise<Health>): () => Promise<Health> {
  let last: { readonly health: Health; readonly at: number } | undefined
  let running: Promise<Health> | undefined
  const runCheck = async (): Promise<Health> => {
    try {
      const health = await check()
      last = { health, at: performance.now() }
      return health
    } finally {
      running = undefined
    }
  }
  return async () => {
    const previous = last
    const ageMs = previous === undefined ? Number.POSITIVE_INFINITY : performance.now() - previous.at
    if (previous !== undefined && ageMs < FRESH_MS) return previous.health
    // A check that ends clears `running`.
    const current = (running ??= runCheck())
    if (previous === undefined || ageMs > STALE_MS) return await current
    // A later request gets its result.
    current.catch(() => undefined)
    return previous.health
  }
}

/** Says where the operations are. A framework may have cut the base path off, which its mounting must not do. */
function noOperation(path: string, basePath: string): string {
  const isBelow = `${path}/`.startsWith(`${basePath}/`)
  const hint = isBelow ? `GET ${basePath}/openapi.json lists all` : `all paths begin with the basePath ${basePath}`
  return `no operation has the path ${path.slice(0, 200)}; ${hint}`
}

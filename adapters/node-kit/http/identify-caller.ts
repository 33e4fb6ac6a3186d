import {
  AlcoveError,
  type Engine,
  ForbiddenError,
  InvalidInputError,
  type Origin,
  type Principal,
  type Session,
} from '../../../src/index.js'
import { errorReason } from '../../../src/ports/index.js'
import { refuseCrossSite } from './cross-site.js'
import type { Authenticate, CheckedLogin, LoginInfo } from './login.js'
import { HttpError, statusOf } from './problem.js'

/** The caller of a request, with the operations of its principal. */
export interface RequestCaller {
  readonly principal: Principal
  readonly session: Session
  /** Client id of the API key. Undefined for a caller of the host's login. */
  readonly clientId?: string | undefined
  /** The application of the token. Undefined for a caller of the host's login, who may use all. */
  readonly targetApp?: string | undefined
  /** Checks that the caller still has its rights. @throws UnauthenticatedError @throws ForbiddenError */
  readonly renew: () => Promise<void>
}

/** An application that tokens are for; `any` takes the tokens of all. */
type Access = 'assistant' | 'tenant' | 'any'

/** @throws InvalidInputError for an `authenticate` that is no function, and for options with which every request would get 401 */
export function checkLogin({
  authenticate,
  bearerTokens = true,
  allowsCrossSite = false,
  cookieLogin,
}: CheckedLogin): void {
  if (authenticate !== undefined && typeof authenticate !== 'function')
    throw new InvalidInputError('authenticate', 'must be a function that gets the request and returns a principal')
  if (typeof bearerTokens !== 'boolean') throw new InvalidInputError('bearerTokens', 'must be true or false')
  if (typeof allowsCrossSite !== 'boolean') throw new InvalidInputError('allowsCrossSite', 'must be true or false')
  if (!bearerTokens && authenticate === undefined && cookieLogin === undefined)
    throw new InvalidInputError(
      'bearerTokens',
      'can be false only together with authenticate: otherwise every request would get 401',
    )
}

/**
 * Finds the caller of a request: first by the host's login, then by a bearer token or a cookie of this server.
 *
 * @throws HttpError 401 if neither knows the request, 403 for one of another site that the login knows
 * @throws UnauthenticatedError for a token that is not valid
 * @throws ForbiddenError if the caller lost its rights
 * @throws Error if the host's login fails
 */
export async function identifyCaller(
  engine: Engine,
  access: Access,
  request: Request,
  info: LoginInfo,
  options: CheckedLogin,
): Promise<RequestCaller> {
  const { authenticate, bearerTokens = true, cookieLogin } = options
  if (authenticate !== undefined) {
    const session = await logIn(engine, authenticate, request, info)
    if (session !== undefined) {
      refuseCrossSite(request, options)
      const { principal } = session
      const application = access === 'any' ? undefined : access
      const renew = async (): Promise<void> => await engine.authentication.renewPrincipal(principal, application)
      return { principal, session, renew }
    }
  }
  const login = await cookieLogin?.(request)
  if (login !== undefined) {
    // A page must be of this server: an option that names other origins is for tokens and for the host's login.
    refuseCrossSite(request, { publicUrl: options.publicUrl })
    const principal = { ...login.principal, origin: { ...login.principal.origin, ...originOf(info) } }
    const application = access === 'any' ? undefined : access
    const renew = async (): Promise<void> => {
      await login.renew()
      await engine.authentication.renewPrincipal(principal, application)
    }
    return { principal, session: engine.as(principal), clientId: principal.origin.clientId, renew }
  }
  const hasLogin = authenticate !== undefined || cookieLogin !== undefined
  if (!bearerTokens && hasLogin)
    throw new HttpError(401, 'ERR_UNAUTHENTICATED', 'this request belongs to no login: log in first')
  return await identifyToken(engine, request, { origin: originOf(info), hasLogin })
}

async function logIn(
  engine: Engine,
  authenticate: Authenticate,
  request: Request,
  info: LoginInfo,
): Promise<Session | undefined> {
  const { method, headers, signal, url } = request
  let principal: Principal | undefined
  try {
    principal = (await authenticate(new Request(url, { method, headers, signal }), info)) ?? undefined
  } catch (error) {
    throw isAnswer(error) ? error : new Error("the host's authenticate failed", { cause: error })
  }
  if (principal === undefined) return undefined
  try {
    // The request id is always that of the answer, so that one search finds all traces of a request.
    return engine.as({ ...principal, origin: { ...principal.origin, ...originOf(info) } })
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error
    throw new Error("the host's authenticate returned something that is no principal", { cause: error })
  }
}

function originOf({ requestId, remoteAddress }: LoginInfo): Origin {
  return { requestId, ...(remoteAddress !== undefined && { remoteAddress }) }
}

/** Errors that tell the client about itself or about the service. All others are faults of the host. */
const ANSWERED: ReadonlySet<number> = new Set([401, 403, 429, 503])

function isAnswer(error: unknown): boolean {
  return error instanceof AlcoveError && ANSWERED.has(statusOf(error))
}

/** Only the header `Authorization` counts. */
async function identifyToken(
  engine: Engine,
  request: Request,
  { origin, hasLogin }: { readonly origin: Origin; readonly hasLogin: boolean },
): Promise<RequestCaller> {
  const header = request.headers.get('authorization') ?? ''
  const [scheme = '', token = '', ...rest] = header.trim().split(/\s+/)
  if (scheme.toLowerCase() !== 'bearer' || token === '' || rest.length > 0) {
    const detail = hasLogin ? 'log in, or send a bearer token' : 'a bearer token is required'
    throw new HttpError(401, 'ERR_UNAUTHENTICATED', `${detail}: get one by POST /connect/token`, {
      'www-authenticate': 'Bearer',
    })
  }
  const caller = await engine.authentication.authenticate(token)
  const { clientId, targetApp } = caller
  const principal = { ...caller.principal, origin: { ...origin, clientId } }
  const renew = async (): Promise<void> => await engine.authentication.renew(caller)
  return { principal, session: engine.as(principal), clientId, targetApp, renew }
}

/** @throws ForbiddenError for a token of the other application: each API takes only its own tokens */
export function requireApplication(access: Access, { targetApp }: RequestCaller): void {
  if (access === 'any' || targetApp === undefined || targetApp === access) return
  throw new ForbiddenError(
    `the token is for the application ${targetApp}, not ${access}`,
    errorReason('token-of-other-application', { application: targetApp, wanted: access }),
  )
}

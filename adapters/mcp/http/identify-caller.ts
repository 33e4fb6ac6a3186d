import {
  type Engine,
  ForbiddenError,
  InvalidInputError,
  type Origin,
  type Principal,
  type Session,
} from '../../../src/index.js'
import type { McpHandlerOptions, McpRequestInfo } from './mcp-handler-options.js'
import { HttpRefusal } from './refusals.js'

/** @throws InvalidInputError if nobody could call the endpoint */
export function checkLogin({ authenticate, bearerTokens = true }: LoginOptions): void {
  if (bearerTokens || authenticate !== undefined) return
  throw new InvalidInputError(
    'bearerTokens',
    'can be false only together with authenticate: nobody could call the endpoint',
  )
}

type LoginOptions = Pick<McpHandlerOptions, 'authenticate' | 'bearerTokens'>

/**
 * Finds the caller of a request: first by the host's login, then by a bearer token in the header `Authorization`.
 *
 * @throws HttpRefusal 401 without a caller
 * @throws UnauthenticatedError for a token that is not valid
 * @throws ForbiddenError if the caller lost its rights, or for a token of another application
 * @throws Error if the host's login fails
 */
export async function identifyCaller(
  engine: Engine,
  request: Request,
  info: McpRequestInfo,
  { authenticate, bearerTokens = true }: LoginOptions,
): Promise<Session> {
  const { remoteAddress, requestId, noteCaller } = info
  if (authenticate !== undefined) {
    const { url, method, headers, signal } = request
    const principal = await authenticate(new Request(url, { method, headers, signal }), info)
    if (principal !== undefined) return openSession(engine, principal, { remoteAddress, requestId })
  }
  const token = bearerTokens ? bearerTokenOf(request) : undefined
  if (token === undefined) {
    const detail = bearerTokens ? 'a bearer token is required: get one by POST /connect/token' : 'log in first'
    throw new HttpRefusal(401, 'ERR_UNAUTHENTICATED', detail)
  }
  const caller = await engine.authentication.authenticate(token)
  noteCaller?.(caller)
  const { clientId, principal, targetApp } = caller
  if (targetApp !== 'assistant') {
    throw new ForbiddenError(`the token is for the application ${targetApp}, not assistant`)
  }
  return engine.as({ ...principal, origin: { remoteAddress, requestId, clientId } })
}

/** The request is not at fault if the host's login gives something that is no principal. */
function openSession(engine: Engine, principal: Principal, origin: Origin): Session {
  try {
    return engine.as({ ...principal, origin: { ...principal.origin, ...origin } })
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error
    throw new Error("the host's authenticate returned something that is no principal", { cause: error })
  }
}

function bearerTokenOf(request: Request): string | undefined {
  const [scheme = '', token, ...rest] = (request.headers.get('authorization') ?? '').trim().split(/\s+/)
  return scheme.toLowerCase() === 'bearer' && rest.length === 0 ? token : undefined
}

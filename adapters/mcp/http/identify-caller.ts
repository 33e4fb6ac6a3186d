import { type Engine, ForbiddenError, InvalidInputError, type Principal } from '../../../src/index.js'
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
 */
export async function identifyCaller(
  engine: Engine,
  request: Request,
  info: McpRequestInfo,
  { authenticate, bearerTokens = true }: LoginOptions,
): Promise<Principal> {
  const { remoteAddress, requestId, noteCaller } = info
  if (authenticate !== undefined) {
    const { url, method, headers, signal } = request
    const principal = await authenticate(new Request(url, { method, headers, signal }), info)
    if (principal !== undefined) return { ...principal, origin: { ...principal.origin, remoteAddress, requestId } }
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
  return { ...principal, origin: { remoteAddress, requestId, clientId } }
}

function bearerTokenOf(request: Request): string | undefined {
  const [scheme = '', token, ...rest] = (request.headers.get('authorization') ?? '').trim().split(/\s+/)
  return scheme.toLowerCase() === 'bearer' && rest.length === 0 ? token : undefined
}

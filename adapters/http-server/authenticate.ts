import type { Caller, Engine, Origin } from '../../src/index.js'
import { ForbiddenError } from '../../src/index.js'
import { HttpError } from './problem.js'
import type { Route } from './route.js'

/**
 * Finds the caller of a request. Only the header `Authorization` counts.
 *
 * @throws HttpError 401 without a bearer token
 * @throws UnauthenticatedError for a token that is not valid
 * @throws ForbiddenError if the caller lost its rights
 */
export async function authenticate(engine: Engine, request: Request, origin: Origin): Promise<Caller> {
  const header = request.headers.get('authorization') ?? ''
  const [scheme = '', token = '', ...rest] = header.trim().split(/\s+/)
  if (scheme.toLowerCase() !== 'bearer' || token === '' || rest.length > 0) {
    throw new HttpError(401, 'ERR_UNAUTHENTICATED', 'a bearer token is required: get one by POST /connect/token', {
      'www-authenticate': 'Bearer',
    })
  }
  const caller = await engine.authentication.authenticate(token)
  return { ...caller, principal: { ...caller.principal, origin: { ...origin, clientId: caller.clientId } } }
}

/** @throws ForbiddenError for a token of the other application: each API takes only its own tokens */
export function requireApplication({ access }: Route, { targetApp }: Caller): void {
  if (access !== 'any' && targetApp !== access) {
    throw new ForbiddenError(`the token is for the application ${targetApp}, not ${access}`)
  }
}

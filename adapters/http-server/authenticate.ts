import type { Caller, Engine, Origin } from '../../src/index.js'
import { ForbiddenError } from '../../src/index.js'
import { HttpError } from './problem.js'
import type { Route } from './route.js'

/**
 * For whom a request is made. Only the header `Authorization` counts.
 *
 * @throws HttpError 401 without a bearer token
 * @throws UnauthenticatedError @throws ForbiddenError
 */
export async function authenticate(engine: Engine, request: Request, origin: Origin): Promise<Caller> {
  const header = request.headers.get('authorization') ?? ''
  const [scheme = '', token = '', ...rest] = header.trim().split(/\s+/)
  if (scheme.toLowerCase() !== 'bearer' || token === '' || rest.length > 0) {
    throw new HttpError(401, 'ERR_UNAUTHENTICATED', 'a bearer token is required: POST /connect/token gives one', {
      'www-authenticate': 'Bearer',
    })
  }
  const caller = await engine.authentication.authenticate(token)
  return { ...caller, principal: { ...caller.principal, origin: { ...origin, clientId: caller.clientId } } }
}

/** @throws ForbiddenError for a token of the other application (decision 9) */
export function requireApplication({ access }: Route, { targetApp }: Caller): void {
  if (access !== 'any' && targetApp !== access) {
    throw new ForbiddenError(`the token is for the application ${targetApp}, not ${access}`)
  }
}

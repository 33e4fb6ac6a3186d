import { parse, serialize } from 'hono/utils/cookie'
import { type Engine, ForbiddenError, InvalidInputError, UnauthenticatedError } from '../../src/index.js'
import { type Authenticate, type LoginOptions, serviceUrl } from '../node-kit/index.js'
import type { HttpHandlerOptions } from './route.js'

const COOKIE = 'alcove_login'
/** The header by which a page chooses an account of its login. */
const ACCOUNT_HEADER = 'x-alcove-account'

/** The login that a request's cookie names. */
export function loginOf({ headers }: Request): string | undefined {
  return parse(headers.get('cookie') ?? '', COOKIE)[COOKIE]
}

/** Adds the cookie logins to a handler's own login, which comes first. A bearer token also comes before a cookie. */
export function cookieLoginsOf(
  engine: Engine,
  { cookieLogins = false, authenticate }: Pick<HttpHandlerOptions, 'cookieLogins' | 'authenticate'>,
): Pick<LoginOptions, 'authenticate'> {
  if (typeof cookieLogins !== 'boolean') throw new InvalidInputError('cookieLogins', 'must be true or false')
  if (!cookieLogins) return {}
  const byCookie: Authenticate = async (request) => {
    const login = loginOf(request)
    if (login === undefined || request.headers.has('authorization')) return undefined
    try {
      return await engine.authentication.principalOfLogin(login, accountOf(request))
    } catch (error) {
      if (error instanceof UnauthenticatedError) return undefined
      throw error
    }
  }
  return {
    authenticate: async (request, info) => (await authenticate?.(request, info)) ?? (await byCookie(request, info)),
  }
}

/** A header `Set-Cookie` that makes a browser keep a login, or forget it. */
export function cookieOf(
  request: Request,
  login: string | undefined,
  { options, basePath }: { readonly options: HttpHandlerOptions; readonly basePath: string },
): string {
  const isSecure = serviceUrl(request, options.publicUrl).root.startsWith('https:')
  return serialize(COOKIE, login ?? '', {
    httpOnly: true,
    sameSite: 'Strict',
    path: basePath === '' ? '/' : basePath,
    secure: isSecure,
    // With a login, the browser forgets the cookie when it closes.
    ...(login === undefined && { maxAge: 0 }),
  })
}

function accountOf({ headers }: Request): number | undefined {
  const text = headers.get(ACCOUNT_HEADER)
  if (text === null) return undefined
  const id = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(id) && id > 0) return id
  throw new ForbiddenError(`the header ${ACCOUNT_HEADER} names no account: it must be the id of one`)
}

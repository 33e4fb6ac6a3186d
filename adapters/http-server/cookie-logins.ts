import { parse, serialize } from 'hono/utils/cookie'
import { type Engine, ForbiddenError, InvalidInputError, UnauthenticatedError } from '../../src/index.js'
import { type CheckedLogin, serviceUrl } from '../node-kit/index.js'
import type { HttpHandlerOptions } from './route.js'

const COOKIE = 'alcove_login'
/** Browsers take this name only for `https` and the path `/`: no other server of the same site can set it. */
const HOST_COOKIE = `__Host-${COOKIE}`
/** The header by which a page chooses an account of its login. */
const ACCOUNT_HEADER = 'x-alcove-account'

/** The login that a request's cookie names. A bearer token comes before a cookie. */
export function loginOf({ headers }: Request): string | undefined {
  if (/^bearer\s/i.test(headers.get('authorization') ?? '')) return undefined
  const cookies = parse(headers.get('cookie') ?? '')
  return cookies[HOST_COOKIE] ?? cookies[COOKIE]
}

/** The part of a handler's login that knows callers by cookies. @throws InvalidInputError */
export function cookieLoginsOf(
  engine: Engine,
  { cookieLogins = false }: Pick<HttpHandlerOptions, 'cookieLogins'>,
): Pick<CheckedLogin, 'cookieLogin'> {
  if (typeof cookieLogins !== 'boolean') throw new InvalidInputError('cookieLogins', 'must be true or false')
  if (!cookieLogins) return {}
  return {
    cookieLogin: async (request) => {
      const login = loginOf(request)
      if (login === undefined) return undefined
      const accountId = accountOf(request)
      const { authentication } = engine
      try {
        const principal = await authentication.principalOfLogin(login, accountId)
        const renew = async (): Promise<void> => {
          await authentication.principalOfLogin(login, accountId)
        }
        return { principal, renew }
      } catch (error) {
        // The cookie is of another server on this host, or of a login that has ended: it names nobody.
        if (error instanceof UnauthenticatedError) return undefined
        throw error
      }
    },
  }
}

/** A header `Set-Cookie` that makes a browser keep a login, or forget it. */
export function cookieOf(
  request: Request,
  login: string | undefined,
  { options, basePath }: { readonly options: HttpHandlerOptions; readonly basePath: string },
): string {
  const secure = serviceUrl(request, options.publicUrl).root.startsWith('https:')
  const attributes = {
    httpOnly: true,
    sameSite: 'Strict',
    // With a login, the cookie is one of the browser's session.
    ...(login === undefined && { maxAge: 0 }),
  } as const
  if (secure && basePath === '') return serialize(HOST_COOKIE, login ?? '', { ...attributes, secure: true, path: '/' })
  return serialize(COOKIE, login ?? '', { ...attributes, secure, path: basePath === '' ? '/' : basePath })
}

function accountOf({ headers }: Request): number | undefined {
  const text = headers.get(ACCOUNT_HEADER)
  if (text === null) return undefined
  const id = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(id) && id > 0) return id
  throw new ForbiddenError(`the header ${ACCOUNT_HEADER} names no account: it must be the id of one`)
}

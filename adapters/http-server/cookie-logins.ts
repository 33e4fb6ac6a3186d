import { serialize } from 'hono/utils/cookie'
import { type Engine, ForbiddenError, InvalidInputError, UnauthenticatedError } from '../../src/index.js'
import { errorReason } from '../../src/ports/index.js'
import { type CheckedLogin, type PublicUrl, serviceUrl } from '../node-kit/index.js'
import type { HttpHandlerOptions } from './route.js'

const COOKIE = 'alcove_login'
/** Browsers take this name only by `https` and for the path `/`: no other server of the same site can set it. */
const HOST_COOKIE = `__Host-${COOKIE}`
/** The header by which a page chooses an account of its login. */
const ACCOUNT_HEADER = 'x-alcove-account'

/** The parts of a handler that decide about the name and the path of its cookie. */
export interface CookiePlace {
  readonly options: { readonly publicUrl?: PublicUrl | undefined }
  readonly basePath: string
}

/**
 * The login that a request's cookie names. A bearer token comes before a cookie. Two cookies of the name name nobody:
 * one of them may be of another server of the site, and browsers do not say which.
 */
export function loginOf(request: Request, place: CookiePlace): string | undefined {
  if (/^bearer\s/i.test(request.headers.get('authorization') ?? '')) return undefined
  const [login, ...others] = loginsOf(request, place)
  return others.length === 0 ? login : undefined
}

/** The different values of all cookies that have the name of the handler's cookie. */
export function loginsOf(request: Request, place: CookiePlace): readonly string[] {
  const cookies = request.headers.get('cookie')
  if (cookies === null) return []
  const { name } = cookieFor(request, place)
  const pairs = cookies.split(';').map((pair) => pair.trim())
  const values = pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => decoded(pair.slice(name.length + 1)))
  return [...new Set(values.filter((value) => value !== ''))]
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

/** The part of a handler's login that knows callers by cookies. @throws InvalidInputError */
export function cookieLoginsOf(
  engine: Engine,
  { cookieLogins = false, publicUrl }: Pick<HttpHandlerOptions, 'cookieLogins' | 'publicUrl'>,
  basePath: string,
): Pick<CheckedLogin, 'cookieLogin'> {
  if (typeof cookieLogins !== 'boolean') throw new InvalidInputError('cookieLogins', 'must be true or false')
  if (!cookieLogins) return {}
  return {
    cookieLogin: async (request) => {
      const login = loginOf(request, { options: { publicUrl }, basePath })
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
export function cookieOf(request: Request, login: string | undefined, place: CookiePlace): string {
  const { name, ...attributes } = cookieFor(request, place)
  return serialize(name, login ?? '', {
    ...attributes,
    httpOnly: true,
    sameSite: 'Strict',
    // With a login, the cookie is one of the browser's session.
    ...(login === undefined && { maxAge: 0 }),
  })
}

/**
 * The cookie for the address by which clients come. By `https`, browsers send it to all paths of the host, because the
 * prefix of its name asks for that. So handlers with different base paths have different names.
 */
function cookieFor(request: Request, { options: { publicUrl }, basePath }: CookiePlace) {
  const secure = serviceUrl(request, publicUrl).root.startsWith('https:')
  if (!secure) return { name: COOKIE, secure, path: basePath === '' ? '/' : basePath }
  return { name: `${HOST_COOKIE}${encodeURIComponent(basePath)}`, secure, path: '/' }
}

function accountOf({ headers }: Request): number | undefined {
  const text = headers.get(ACCOUNT_HEADER)
  if (text === null) return undefined
  const id = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(id) && id > 0) return id
  throw new ForbiddenError(
    `the header ${ACCOUNT_HEADER} names no account: it must be the id of one`,
    errorReason('account-header-invalid', { header: ACCOUNT_HEADER }),
  )
}

import { errorReason } from '../../../src/ports/index.js'
import type { CheckedLogin } from './login.js'
import { HttpError } from './problem.js'
import { hostOf, type PublicUrl } from './public-url.js'

/** Methods that change nothing. */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses a request that a page of another origin makes with the cookies of the user, and that changes something. Pages
 * cannot set the headers that tell: `Sec-Fetch-Site`, and `Origin` in browsers that do not send it. Programs send
 * neither.
 *
 * @throws HttpError 403
 */
export function refuseCrossSite(
  request: Request,
  { allowsCrossSite, origins, publicUrl }: Pick<CheckedLogin, 'allowsCrossSite' | 'origins' | 'publicUrl'>,
): void {
  const { headers, method } = request
  if (allowsCrossSite === true || SAFE_METHODS.has(method)) return
  const [site, origin] = [headers.get('sec-fetch-site'), headers.get('origin')]
  if (site === 'same-origin' || site === 'none') return
  if (site === null && (origin === null || isOwnHost(origin, request, publicUrl))) return
  // An origin `*` is left out: it is for tokens, which a page must know, and would let every page use the cookies.
  if (origin !== null && (origins?.includes(origin) === true || origin === originOf(publicUrl))) return
  throw new HttpError(
    403,
    'ERR_FORBIDDEN',
    'a page of another origin sent this request: the options of the host can allow its origin',
    {},
    errorReason('page-of-other-origin'),
  )
}

/**
 * A proxy may end TLS, so a page of `https` may come as `http`. A page of `http` is another one if the address of the
 * service is known to begin with `https`: anybody on the network could have written it.
 */
function isOwnHost(origin: string, request: Request, publicUrl: PublicUrl | undefined): boolean {
  if (!URL.canParse(origin)) return false
  const { host, protocol } = new URL(origin)
  if (protocol !== 'https:' && (originOf(publicUrl) ?? request.url).startsWith('https:')) return false
  const own = `${protocol}//${hostOf(request)}`
  return host !== '' && URL.canParse(own) && new URL(own).host === host
}

function originOf(publicUrl: PublicUrl | undefined): string | undefined {
  const url = typeof publicUrl === 'function' ? publicUrl() : publicUrl
  return url !== undefined && URL.canParse(url) ? new URL(url).origin : undefined
}

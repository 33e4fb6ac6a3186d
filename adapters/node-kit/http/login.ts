import type { Principal } from '../../../src/index.js'
import type { PublicUrl } from './public-url.js'

/** The facts about a request that the host's login may use beside its headers. */
export interface LoginInfo {
  /** IP address of the client. */
  readonly remoteAddress?: string | undefined
  /** The `context` that the server gave with the request, such as the session that a framework has read. */
  readonly context?: unknown
  /** The id of the request. The answer has it in `x-request-id`, and the audit trail records it. */
  readonly requestId: string
}

/**
 * The host's own login: finds out who sends a request, by a cookie or any other header. It gets the request without its
 * body, so that it cannot use up an upload.
 *
 * @returns the principal; `undefined` if the login does not know the request
 */
export type Authenticate = (request: Request, info: LoginInfo) => Principal | undefined | Promise<Principal | undefined>

/** The ways in which a request gets a caller, and the pages that may send it. */
export interface LoginOptions {
  /**
   * The host's own login. It decides who calls each operation that needs a caller; `undefined` leaves the request to
   * bearer tokens. The engine checks the rights of its principal at each call. Default: bearer tokens alone.
   *
   * - An `UnauthenticatedError`, `ForbiddenError` or `ThrottledError` that it throws is the answer, as is one of a
   *   service that is away. Any other error, and a value that is no principal, is a fault of the host: 500.
   */
  readonly authenticate?: Authenticate
  /**
   * True: pages of every origin may send requests that change something for a caller of `authenticate`. Browsers send
   * cookies with them, so set it only for a login by a header that no browser adds by itself. Default: false. Such
   * requests get 403 by `Sec-Fetch-Site` and `Origin`, unless an option names the origin; `*` names none.
   */
  readonly allowsCrossSite?: boolean
  /** False: only `authenticate` decides, and bearer tokens are ignored. Default: true. */
  readonly bearerTokens?: boolean
}

/** A caller whom a cookie of this server names. */
interface CookieLogin {
  readonly principal: Principal
  /** Checks that the login has not ended. @throws UnauthenticatedError @throws ForbiddenError */
  readonly renew: () => Promise<void>
}

/** The options of a login, with what its check of origins needs. */
export interface CheckedLogin extends LoginOptions {
  /** Finds the caller by a cookie of this server, if neither `authenticate` nor a bearer token names one. */
  readonly cookieLogin?: ((request: Request) => Promise<CookieLogin | undefined>) | undefined
  /** Origins whose pages may send requests. `*` does not count: it is for tokens, which a page must know. */
  readonly origins?: readonly string[] | undefined
  readonly publicUrl?: PublicUrl | undefined
}

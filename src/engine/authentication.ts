import type { PublicKey } from '../ports/index.js'
import type {
  Caller,
  Introspection,
  PasswordOrigin,
  PasswordReset,
  PasswordSetup,
  TokenRequest,
  TokenResponse,
  TokenStateRequest,
} from '../tenancy/index.js'
import type { EngineParts } from './engine-parts.js'

/**
 * Operations without a principal: they authenticate clients and users. After the engine is closed, they reject with a
 * `ClosedError`.
 */
export interface Authentication {
  /** Issuer of access tokens: `tokenIssuer` of the engine's options. Default: `alcove`. */
  readonly issuer: string
  /**
   * Exchanges an API key for an access token that is valid for 900 s.
   *
   * @param origin origin of the request, so that wrong secrets also count for the network address. Default: they count
   *   for the client id only
   * @throws TokenRequestError with the error code of RFC 6749
   * @throws ThrottledError for a wrong secret, after too many wrong secrets for the client id or from the network
   *   address within a minute. The engine never refuses the right secret for that reason.
   */
  issueToken(request: TokenRequest, origin?: PasswordOrigin): Promise<TokenResponse>
  /**
   * Finds the principal of an access token, and checks its current state.
   *
   * @throws UnauthenticatedError if the token is not authentic, has expired or was revoked, or if its key, user or
   *   company is missing, disabled or revoked
   * @throws ForbiddenError if its permission, role or account is missing, disabled or out of reach
   */
  authenticate(token: string): Promise<Caller>
  /**
   * Revokes an access token before it expires, for all processes at once. Does nothing for a text that is not a valid
   * token.
   *
   * @throws TokenRequestError `invalid_client`; `unauthorized_client` for a token of another client
   * @throws ThrottledError as {@link issueToken}
   */
  revokeToken(request: TokenStateRequest, origin?: PasswordOrigin): Promise<void>
  /**
   * Reads the state of a token of the client's company, or of a company below it.
   *
   * @returns `{ active: false }` for every other token
   * @throws TokenRequestError `invalid_client`
   * @throws ThrottledError as {@link issueToken}
   */
  introspectToken(request: TokenStateRequest, origin?: PasswordOrigin): Promise<Introspection>
  /**
   * Lists the public keys with which other services verify access tokens, as JSON Web Keys. Empty if the signer has no
   * public keys.
   *
   * @throws SigningKeyError if the keys cannot be read
   */
  publicKeys(): Promise<readonly PublicKey[]>
  /**
   * Checks the current state of a caller, for example while the host sends a long answer.
   *
   * @throws UnauthenticatedError @throws ForbiddenError as {@link authenticate}, but not for an expired token
   */
  renew(caller: Caller): Promise<void>
  /**
   * Mails a link for a new password to a known address. The result does not show whether the address is known.
   *
   * @param input the request, or a function that reads it. The engine calls the function after it has counted the
   *   request.
   * @param origin origin of the request, so that it counts for the network address. Default: it does not count
   * @throws InvalidInputError for an invalid request
   * @throws ThrottledError after too many requests about passwords from one network address within a minute
   */
  requestPasswordReset(input: PasswordReset | (() => Promise<PasswordReset>), origin?: PasswordOrigin): Promise<void>
  /**
   * Sets the password of a user with the token of an invitation or of a reset link. All links of the user become
   * invalid. A user who had another password gets a notice by mail.
   *
   * @param input as of {@link requestPasswordReset}
   * @param origin as of {@link requestPasswordReset}
   * @throws InvalidInputError if the token is unknown, used or expired, or if the password breaks a rule; the link of a
   *   refused password stays valid
   * @throws ThrottledError as {@link requestPasswordReset}, and while too many passwords are being set
   */
  setPassword(input: PasswordSetup | (() => Promise<PasswordSetup>), origin?: PasswordOrigin): Promise<void>
  /** Counts a request for the page that sets a password. @throws ThrottledError as {@link requestPasswordReset} */
  countPasswordRequest(origin: PasswordOrigin): Promise<void>
}

export function createAuthentication(parts: EngineParts): Authentication {
  return {
    issuer: parts.tokenIssuer.iss,
    issueToken: async (request, origin) => await parts.tokens.issue(request, origin),
    authenticate: async (token) => await parts.authenticateToken.execute(token),
    renew: async (caller) => {
      await parts.authenticateToken.renew(caller)
    },
    revokeToken: async (request, origin) => {
      await parts.tokens.revoke(request, origin)
    },
    introspectToken: async (request, origin) => await parts.tokens.introspect(request, origin),
    publicKeys: async () => await parts.tokenSigner.publicKeys(parts.clock.now()),
    requestPasswordReset: async (input, origin) => {
      await parts.passwords.requestReset(input, origin)
    },
    setPassword: async (input, origin) => {
      await parts.passwords.setup(input, origin)
    },
    countPasswordRequest: async (origin) => {
      await parts.passwords.countRequest(origin)
    },
  }
}

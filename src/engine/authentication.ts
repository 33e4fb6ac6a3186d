import type { Container } from 'inversify'
import type { PublicKey } from '../ports/index.js'
import {
  AuthenticateToken,
  type Caller,
  type Introspection,
  IntrospectToken,
  IssueToken,
  type PasswordOrigin,
  type PasswordReset,
  type PasswordSetup,
  Passwords,
  RevokeToken,
  type TokenRequest,
  type TokenResponse,
  type TokenStateRequest,
} from '../tenancy/index.js'
import { CLOCK, TOKEN_ISSUER, TOKEN_SIGNER } from './tokens.js'

/** What needs no principal: it is how one becomes known. */
export interface Authentication {
  /** Issuer of access tokens: `tokenIssuer` of the engine's options, or `alcove`. */
  readonly issuer: string
  /**
   * Exchanges an API key for an access token that lives 900 s.
   * @throws TokenRequestError with the error of RFC 6749
   * @param origin from where the request comes, so that wrong secrets are counted for the network address too
   * @throws ThrottledError for a wrong secret, after too many for the client id or from the network address within a
   *   minute; the right secret is never refused for that
   */
  issueToken(request: TokenRequest, origin?: PasswordOrigin): Promise<TokenResponse>
  /**
   * For whom an access token speaks, by live state.
   * @throws UnauthenticatedError @throws ForbiddenError
   */
  authenticate(token: string): Promise<Caller>
  /**
   * Ends an access token before it expires, in all processes at once. Does nothing for what is no valid token.
   * @throws TokenRequestError `invalid_client`, and `unauthorized_client` for a token of another client
   * @throws ThrottledError as {@link issueToken}
   */
  revokeToken(request: TokenStateRequest, origin?: PasswordOrigin): Promise<void>
  /**
   * The state of a token of the client's company, or of one below it; `{ active: false }` for every other.
   * @throws TokenRequestError @throws ThrottledError as {@link issueToken}
   */
  introspectToken(request: TokenStateRequest, origin?: PasswordOrigin): Promise<Introspection>
  /** The keys by which others verify access tokens, as JSON Web Keys; none where the signer has no public ones. */
  publicKeys(): Promise<readonly PublicKey[]>
  /**
   * Checks by live state that a caller may go on, as while a long answer is sent.
   * @throws as {@link authenticate}, but not because the token has expired meanwhile
   */
  renew(caller: Caller): Promise<void>
  /**
   * Mails a link that sets a new password, where the address is known; does not say whether it is.
   * @param input asked for once the request is counted, where it is a function
   * @throws ThrottledError after too many requests about passwords from one network address within a minute
   */
  requestPasswordReset(input: PasswordReset | (() => Promise<PasswordReset>), origin?: PasswordOrigin): Promise<void>
  /**
   * Completes an invitation or a reset with the token of its link.
   * @param input as of {@link requestPasswordReset}
   * @throws InvalidInputError where the token was used or has expired, or the password breaks a rule
   * @throws ThrottledError as {@link requestPasswordReset}, and where too many passwords are being set
   */
  setPassword(input: PasswordSetup | (() => Promise<PasswordSetup>), origin?: PasswordOrigin): Promise<void>
  /** Counts a request for a page that sets a password. @throws ThrottledError as {@link requestPasswordReset} */
  countPasswordRequest(origin: PasswordOrigin): Promise<void>
}

export function authentication(container: Container): Authentication {
  return {
    issuer: container.get(TOKEN_ISSUER).iss,
    issueToken: async (request, origin) => await container.get(IssueToken).execute(request, origin),
    authenticate: async (token) => await container.get(AuthenticateToken).execute(token),
    renew: async (caller) => {
      await container.get(AuthenticateToken).renew(caller)
    },
    revokeToken: async (request, origin) => {
      await container.get(RevokeToken).execute(request, origin)
    },
    introspectToken: async (request, origin) => await container.get(IntrospectToken).execute(request, origin),
    publicKeys: async () => await container.get(TOKEN_SIGNER).publicKeys(container.get(CLOCK).now()),
    requestPasswordReset: async (input, origin) => {
      await container.get(Passwords).requestReset(input, origin)
    },
    setPassword: async (input, origin) => {
      await container.get(Passwords).setup(input, origin)
    },
    countPasswordRequest: async (origin) => {
      await container.get(Passwords).countRequest(origin)
    },
  }
}

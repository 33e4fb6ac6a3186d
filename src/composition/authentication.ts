import type { Container } from 'inversify'
import {
  AuthenticateToken,
  type Caller,
  IssueToken,
  type PasswordReset,
  type PasswordSetup,
  Passwords,
  type TokenRequest,
  type TokenResponse,
} from '../tenancy-authorization/index.js'

/** What needs no principal: it is how one becomes known. */
export interface Authentication {
  /**
   * Exchanges an API key for an access token that lives 900 s.
   * @throws TokenRequestError with the error of RFC 6749
   * @throws ThrottledError after ten wrong secrets of a client id within a minute
   */
  issueToken(request: TokenRequest): Promise<TokenResponse>
  /**
   * For whom an access token speaks, by live state.
   * @throws UnauthenticatedError @throws ForbiddenError
   */
  authenticate(token: string): Promise<Caller>
  /** Mails a link that sets a new password, where the address is known; does not say whether it is. */
  requestPasswordReset(input: PasswordReset): Promise<void>
  /**
   * Completes an invitation or a reset with the token of its link.
   * @throws InvalidInputError where the token was used or has expired
   */
  setPassword(input: PasswordSetup): Promise<void>
}

export function authentication(container: Container): Authentication {
  return {
    issueToken: async (request) => await container.get(IssueToken).execute(request),
    authenticate: async (token) => await container.get(AuthenticateToken).execute(token),
    requestPasswordReset: async (input) => {
      await container.get(Passwords).requestReset(input)
    },
    setPassword: async (input) => {
      await container.get(Passwords).setup(input)
    },
  }
}

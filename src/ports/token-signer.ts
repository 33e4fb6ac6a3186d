/** What an access token says (RFC 9068, section 2.2), times apart. */
export interface TokenClaims {
  /** Who issued it. */
  readonly iss: string
  /** For whom it is. */
  readonly aud: string
  /** The user, by id. */
  readonly sub: string
  readonly client_id: string
  /** Unique. */
  readonly jti: string
  readonly target_app: string
  /** The company of the API key, by id. Tokens of before it was part of them have none. */
  readonly company_id?: number
  readonly account_id: number
  /** The API key, by id. */
  readonly key_id: number
}

/**
 * Makes access tokens that nobody else can make.
 *
 * # Behaviour
 * - What another signer with the same keys signed is authentic too; what anybody else made is not.
 * - After {@link rotate} new tokens are signed by a new key; those of the one before stay valid for 900 s.
 */
export interface TokenSigner {
  /** @returns a token that is valid from `issuedAt` for `lifetimeSeconds` */
  sign(claims: TokenClaims, times: { readonly issuedAt: Date; readonly lifetimeSeconds: number }): Promise<string>
  /**
   * What an authentic token says; `undefined` for one that is forged or altered, is not valid at `now`,
   * or has another issuer or audience. Never throws for what a stranger sends.
   */
  verify(
    token: string,
    expected: { readonly iss: string; readonly aud: string; readonly now: Date },
  ): Promise<TokenClaims | undefined>
  /** Makes a new signing key. @returns its id */
  rotate(now: Date): Promise<{ readonly kid: string }>
}

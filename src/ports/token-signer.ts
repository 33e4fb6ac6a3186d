/** The claims of an access token (RFC 9068, section 2.2), without its times. */
export interface TokenClaims {
  /** The issuer. */
  readonly iss: string
  /** The audience: the service that the token is for. */
  readonly aud: string
  /** Id of the user. */
  readonly sub: string
  /** The `clientId` of the API key. */
  readonly client_id: string
  /** Unique id of the token. */
  readonly jti: string
  /** Key of the application. */
  readonly target_app: string
  /** Id of the API key's company. */
  readonly company_id: number
  /** Id of the application account. */
  readonly account_id: number
  /** Id of the API key. */
  readonly key_id: number
  /** The capabilities that the token is limited to, separated by spaces. Default: no limit. */
  readonly scope?: string
  /** The state of the user and the companies at the time of issue, which a disabling changes. */
  readonly epoch: number
}

/** The claims of a verified token, with its times in seconds since 1970. */
export interface VerifiedClaims extends TokenClaims {
  /** The time of issue. */
  readonly iat: number
  /** The time of expiry. */
  readonly exp: number
}

/** A public key as a JSON Web Key (RFC 7517). It has no private member. */
export interface PublicKey {
  /** `OKP` or `EC`. */
  readonly kty: string
  readonly crv: string
  readonly x: string
  /** Only for `EC`. */
  readonly y?: string
  /** Id of the key, which the header of a token names. */
  readonly kid: string
  /** Signature algorithm, such as `EdDSA`. */
  readonly alg: string
  readonly use: 'sig'
}

/**
 * Signs and verifies access tokens.
 *
 * # Behaviour
 * - A token of another signer with the same keys is authentic. Every other token of another party is not.
 * - After {@link rotate}, the signer uses a new key for new tokens. Tokens of the key before stay valid for 900 s.
 * - {@link publicKeys} returns all keys whose tokens {@link verify} accepts, and no others.
 * - Concurrent calls are allowed.
 * - A signer whose keys cannot be read or written rejects with a `SigningKeyError`.
 */
export interface TokenSigner {
  /**
   * Signs a token.
   *
   * @param times.lifetimeSeconds lifetime of the token in seconds, from `issuedAt` on
   */
  sign(claims: TokenClaims, times: { readonly issuedAt: Date; readonly lifetimeSeconds: number }): Promise<string>
  /**
   * Verifies a token. Never throws because of the token's content.
   *
   * @returns the claims; `undefined` if the token is forged or changed, is not valid at `now`, or has another issuer or
   *   audience
   */
  verify(
    token: string,
    expected: { readonly iss: string; readonly aud: string; readonly now: Date },
  ): Promise<VerifiedClaims | undefined>
  /**
   * Lists the public keys with which other services verify tokens, the current signing key first. Empty for a signer
   * that has secret keys only.
   */
  publicKeys(now: Date): Promise<readonly PublicKey[]>
  /** Creates a new signing key, and uses it from now on. @returns the id of the key */
  rotate(now: Date): Promise<{ readonly kid: string }>
}

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
  /** Capabilities that the token has at most, with a space between them; omitted, it is not narrowed. */
  readonly scope?: string
}

/** What a verified token says, with its times in seconds since 1970. */
export interface VerifiedClaims extends TokenClaims {
  readonly iat: number
  readonly exp: number
}

/** A public key as a JSON Web Key (RFC 7517). It has no private member. */
export interface PublicKey {
  /** `OKP` or `EC`. */
  readonly kty: string
  readonly crv: string
  readonly x: string
  /** For `EC` alone. */
  readonly y?: string
  /** Id of the key, as the header of a token names it. */
  readonly kid: string
  /** Algorithm of the signatures, such as `EdDSA`. */
  readonly alg: string
  readonly use: 'sig'
}

/**
 * Makes access tokens that nobody else can make.
 *
 * # Behaviour
 * - What another signer with the same keys signed is authentic too; what anybody else made is not.
 * - After {@link rotate} new tokens are signed by a new key; those of the one before stay valid for 900 s.
 * - {@link publicKeys} gives every key whose tokens {@link verify} accepts, and no other.
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
  ): Promise<VerifiedClaims | undefined>
  /**
   * The keys by which others verify tokens, the one that signs first. A signer whose keys are all secret gives none.
   */
  publicKeys(now: Date): Promise<readonly PublicKey[]>
  /** Makes a new signing key. @returns its id */
  rotate(now: Date): Promise<{ readonly kid: string }>
}

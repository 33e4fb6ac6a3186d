/** A token that was revoked before it expires. */
export interface RevokedToken {
  /** SHA-256 of the token's id (`jti`), in hexadecimal digits. */
  readonly tokenHash: string
  /** When the token expires by itself, in milliseconds. */
  readonly expiresMs: number
}

/** Tokens that were revoked, for as long as they would live, which all processes on a storage share. */
export interface RevokedTokenRepository {
  /** Adds a token. Adding one that is there changes nothing. @returns whether it was not there before */
  add(token: RevokedToken): Promise<boolean>
  /** Looks whether a token was revoked. */
  has(tokenHash: string): Promise<boolean>
  /** Removes tokens that have expired, at most `limit` of them. @returns how many were removed */
  removeExpired(options: { readonly now: Date; readonly limit: number }): Promise<number>
}

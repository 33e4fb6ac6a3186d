/** Hashes passwords slowly, so that a stolen hash is of little use. Concurrent calls are allowed. */
export interface PasswordHasher {
  /** Maximum number of calls at a time for all clients of a process: each takes a processor. Default: 2. */
  readonly concurrency?: number
  /** Hashes a password. @returns a text with everything that {@link verify} needs; a different one at every call */
  hash(password: string): Promise<string>
  /** @returns true if `hash` is a hash of the password; false also for a text that is not a hash */
  verify(hash: string, password: string): Promise<boolean>
}

/** Knows the passwords that people choose most often. */
export interface CommonPasswords {
  /**
   * Checks whether a password is one of the 10,000 commonest. A list may have more.
   *
   * - Ignores case, and white space around the password.
   * - Accepts any text, also an empty one or one of 1,000 characters.
   * - The first call loads the list. Before that, the list costs neither time nor memory.
   * - Never sends the password to another system, and never logs or stores it.
   * - Concurrent calls are allowed.
   */
  has(password: string): Promise<boolean>
}

/**
 * Time-based one-time passwords (RFC 6238) as authenticator apps show them: SHA-1, 6 digits, a new code every 30 s.
 *
 * # Behaviour
 * - A secret is base32 without padding.
 * - A time step is the number of whole 30 seconds since 1970-01-01T00:00:00Z.
 * - Errors contain no part of a secret or a code.
 * - Concurrent calls are allowed.
 */
export interface OneTimePasswords {
  /** Creates a secret of 160 random bits. */
  createSecret(): Promise<string>
  /**
   * Returns the secret as a URI `otpauth://totp/…`, which apps read as a QR code.
   *
   * @param label.issuer name of the service, as the app shows it; a colon becomes a space
   * @param label.account name of the user, as the app shows it; a colon becomes a space
   * @param label.secret base32 without padding
   */
  uriOf(label: { readonly issuer: string; readonly account: string; readonly secret: string }): Promise<string>
  /**
   * Finds the time step of a code, among the step of `now` and `window` steps before and after it. The comparison takes
   * the same time for every text of 6 digits.
   *
   * @returns the time step; `undefined` if no such step has this code
   */
  stepOf(secret: string, code: string, now: Date, window: number): Promise<number | undefined>
}

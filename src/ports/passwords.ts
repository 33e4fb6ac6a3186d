/** Hashes passwords so slowly that a stolen hash is of little use. */
export interface PasswordHasher {
  /** @returns a text with everything that {@link verify} needs; another one at every call */
  hash(password: string): Promise<string>
  /** Whether the password is the one that was hashed; false for a text that is no hash. */
  verify(hash: string, password: string): Promise<boolean>
}

/** Knows the passwords that people choose most often. */
export interface CommonPasswords {
  /**
   * Tells whether a password is one of the 10,000 commonest; a list may hold more.
   *
   * - Upper and lower case are the same, and white space around the password does not count.
   * - Any text has an answer: the empty one, one of 1,000 characters.
   * - The first call loads the list; until then it costs neither time nor memory.
   * - The password leaves neither the process nor a trace.
   */
  has(password: string): Promise<boolean>
}

/**
 * Time-based one-time passwords (RFC 6238) as authenticator apps show them: SHA-1, 6 digits, a new one every 30 seconds.
 *
 * # Behaviour
 * - A secret is base32 without padding.
 * - A time step is the number of whole 30 seconds since 1970-01-01T00:00:00Z.
 * - Nothing of a secret or a code is in an error.
 */
export interface OneTimePasswords {
  /** @returns a new secret of 160 random bits */
  createSecret(): Promise<string>
  /**
   * The secret as a URI `otpauth://totp/…`, which apps read as a QR code.
   *
   * @param label.issuer the service, as the app shows it; a colon in it becomes a space
   * @param label.account the user, as the app shows it; likewise
   */
  uriOf(label: { readonly issuer: string; readonly account: string; readonly secret: string }): Promise<string>
  /**
   * The time step whose code this is, among that of `now` and `window` steps before and behind it; `undefined` for
   * every other text. The comparison takes the same time for every text of 6 digits.
   */
  stepOf(secret: string, code: string, now: Date, window: number): Promise<number | undefined>
}

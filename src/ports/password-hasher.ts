/** Hashes passwords so slowly that a stolen hash is of little use. */
export interface PasswordHasher {
  /** @returns a text with everything that {@link verify} needs; another one at every call */
  hash(password: string): Promise<string>
  /** Whether the password is the one that was hashed; false for a text that is no hash. */
  verify(hash: string, password: string): Promise<boolean>
}

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

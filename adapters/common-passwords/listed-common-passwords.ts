import type { CommonPasswords } from '../../src/ports/index.js'

/**
 * The most common passwords of leaks, in lower case: the 49,233 of `@zxcvbn-ts/language-common`, the most common first.
 * All of them are used. Only 25 of the first 10,000 have 12 characters or more, and `password1234` has rank 18,530.
 */
export class ListedCommonPasswords implements CommonPasswords {
  #passwords: Promise<ReadonlySet<string>> | undefined

  async has(password: string): Promise<boolean> {
    this.#passwords ??= this.#load()
    return (await this.#passwords).has(password.trim().toLowerCase())
  }

  /** Loads the list with the first use: it takes 40 ms and 3 MB, and most processes never need it. */
  async #load(): Promise<ReadonlySet<string>> {
    try {
      const { dictionary } = await import('@zxcvbn-ts/language-common')
      return new Set(dictionary['passwords-common'])
    } catch (error) {
      // The next call retries a failed load.
      this.#passwords = undefined
      throw error
    }
  }
}

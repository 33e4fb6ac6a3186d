import type { CommonPasswords } from '../../src/ports/index.js'

/**
 * The passwords that leaks contain most often, in lower case: the 49,233 of `@zxcvbn-ts/language-common`, ordered by
 * how common they are. All of them count, not the first 10,000 alone: only 25 of those have 12 characters or more, and
 * `password1234` has rank 18,530.
 */
export class ListedCommonPasswords implements CommonPasswords {
  #passwords: Promise<ReadonlySet<string>> | undefined

  async has(password: string): Promise<boolean> {
    this.#passwords ??= this.#load()
    return (await this.#passwords).has(password.trim().toLowerCase())
  }

  /** The list takes 40 ms and 3 MB, which most processes never need. */
  async #load(): Promise<ReadonlySet<string>> {
    try {
      const { dictionary } = await import('@zxcvbn-ts/language-common')
      return new Set(dictionary['passwords-common'])
    } catch (error) {
      // A list that was not found, or read, is looked for again.
      this.#passwords = undefined
      throw error
    }
  }
}

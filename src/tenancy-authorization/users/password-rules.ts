import type { z } from 'zod'
import type { CommonPasswords, UserRecord } from '../../ports/index.js'
import { InvalidInputError } from '../../shared/errors.js'
import { textSchema, validate } from '../../shared/validate.js'
import { foldCase } from './email-address.js'

const LEAST_CHARACTERS = 12
const MOST_CHARACTERS = 1_000
/** Matches a text that is one piece, of fewer characters than a password needs, two times or more. */
const REPEATED_PIECE: RegExp = new RegExp(`^(.{1,${LEAST_CHARACTERS - 1}}?)\\1+$`, 'su')

/** The length of a new password, in code points: length is what counts (NIST SP 800-63B, section 5.1.1.2). */
export const newPasswordSchema: z.ZodType<string> = textSchema({ min: LEAST_CHARACTERS, max: MOST_CHARACTERS })

/**
 * Judges new passwords. Passwords that users have already are not judged: they keep working.
 *
 * - A password has 12 to 1,000 characters.
 * - It is not one of the commonest, whatever its case.
 * - It is not the user's e-mail address, nor the part of it before the `@`.
 * - It is not one short piece again and again: that is as easy to guess as the piece.
 */
export class PasswordRules {
  readonly #commonPasswords: CommonPasswords

  constructor(commonPasswords: CommonPasswords) {
    this.#commonPasswords = commonPasswords
  }

  /** @throws InvalidInputError of the field `password`, with the rule that is broken and without the password */
  async require(password: string, { email, emailKey }: Pick<UserRecord, 'email' | 'emailKey'>): Promise<void> {
    validate(newPasswordSchema, password, 'password')
    const folded = foldCase(password.trim())
    const own = [foldCase(email), emailKey].flatMap((address) => [address, address.slice(0, address.lastIndexOf('@'))])
    if (own.includes(folded)) refuse('must be neither the e-mail address nor the part of it before the @')
    if (REPEATED_PIECE.test(folded)) refuse('must not be a few characters that are repeated: choose other words')
    if (await this.#commonPasswords.has(password)) {
      refuse('is one of the most common passwords, which are guessed first: choose another one')
    }
  }
}

function refuse(problem: string): never {
  throw new InvalidInputError('password', problem)
}

import type { z } from 'zod'
import { InvalidInputError, ThrottledError } from '../../kernel/errors.js'
import { FairTurns } from '../../kernel/fair-turns.js'
import { Places } from '../../kernel/places.js'
import { textSchema, validate } from '../../kernel/validate.js'
import type { CommonPasswords, PasswordHasher, UserRecord } from '../../ports/index.js'
import type { Origin } from '../access/principal.js'
import { networkOf } from '../throttles/throttle.js'
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

/** A hash takes tens of MB and a thread of the host's pool, which files and look-ups of names need too. */
const AT_A_TIME = 2
/** Passwords that are hashed or wait: from one network address, and in all. */
const MOST_OF_ADDRESS = 16
const MOST = 128
const RETRY_AFTER_SECONDS = 2

/** Hashes passwords a few at a time; network addresses take turns. */
export class PasswordHashing {
  readonly #hasher: PasswordHasher
  readonly #turns = new FairTurns(AT_A_TIME)
  readonly #places = new Places()

  constructor(hasher: PasswordHasher) {
    this.#hasher = hasher
  }

  /**
   * Does work for a stranger once it is its turn.
   * @throws ThrottledError where too many wait already
   */
  async forStranger<Result>(
    origin: Pick<Origin, 'remoteAddress'> | undefined,
    work: (hasher: PasswordHasher) => Promise<Result>,
  ): Promise<Result> {
    const group = origin?.remoteAddress === undefined ? '' : networkOf(origin.remoteAddress)
    const free = this.#places.take({ all: MOST, ...(group !== '' && { [`of ${group}`]: MOST_OF_ADDRESS }) })
    if (typeof free === 'string') {
      throw new ThrottledError('too many passwords are being checked or set: wait a moment', RETRY_AFTER_SECONDS)
    }
    try {
      return await this.#inTurn(group, work)
    } finally {
      free()
    }
  }

  /** Does work that the host asks for by itself, once it is its turn. */
  async forHost<Result>(work: (hasher: PasswordHasher) => Promise<Result>): Promise<Result> {
    return await this.#inTurn('the host', work)
  }

  async #inTurn<Result>(group: string, work: (hasher: PasswordHasher) => Promise<Result>): Promise<Result> {
    return await this.#turns.one({ group, member: '' }, async () => await work(this.#hasher), undefined)
  }
}

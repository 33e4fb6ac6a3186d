import type { z } from 'zod'
import { InvalidInputError, ThrottledError } from '../../kernel/errors.js'
import { FairScheduler, Places } from '../../kernel/scheduling/fair-scheduler.js'
import { textSchema, validate } from '../../kernel/validate.js'
import type { CommonPasswords, PasswordHasher, UserRecord } from '../../ports/index.js'
import type { Origin } from '../access/principal.js'
import { networkOf } from '../throttle.js'
import { foldCase } from './identity.js'

const MIN_CHARACTERS = 12
const MAX_CHARACTERS = 1_000
/** Matches a text that repeats one piece two times or more. The piece is shorter than a password must be. */
const REPEATED_PIECE: RegExp = new RegExp(`^(.{1,${MIN_CHARACTERS - 1}}?)\\1+$`, 'su')

/** A new password, measured in code points. Length is the most important property (NIST SP 800-63B, 5.1.1.2). */
export const newPasswordSchema: z.ZodType<string> = textSchema({ min: MIN_CHARACTERS, max: MAX_CHARACTERS })

/**
 * Rules for new passwords. Existing passwords are not checked: they keep working.
 *
 * - A password has 12 to 1,000 characters.
 * - It is not one of the most common passwords. Case does not matter.
 * - It is not the user's e-mail address, nor the part of it before the `@`.
 * - It does not repeat one short piece, because that is as easy to guess as the piece.
 */
export class PasswordRules {
  readonly #commonPasswords: CommonPasswords

  constructor(commonPasswords: CommonPasswords) {
    this.#commonPasswords = commonPasswords
  }

  /** @throws InvalidInputError for the field `password`; the message names the broken rule, never the password */
  async require(password: string, { email, emailKey }: Pick<UserRecord, 'email' | 'emailKey'>): Promise<void> {
    validate(newPasswordSchema, password, 'password')
    const folded = foldCase(password.trim())
    const addresses = [foldCase(email), emailKey]
    const localParts = addresses.map((address) => address.slice(0, address.lastIndexOf('@')))
    if ([...addresses, ...localParts].includes(folded))
      refuse('must be neither the e-mail address nor the part of it before the @')
    if (REPEATED_PIECE.test(folded)) refuse('must not be a few characters that are repeated: choose other words')
    if (await this.#commonPasswords.has(password)) {
      refuse('is one of the most common passwords, which are guessed first: choose another one')
    }
  }
}

function refuse(problem: string): never {
  throw new InvalidInputError('password', problem)
}

/** A hash needs tens of MB and a thread of the host's pool, which files and DNS lookups need too. */
const CONCURRENT_HASHES = 2
/** Passwords that are being hashed or wait: from one network address, and in total. */
const MAX_PER_ADDRESS = 16
const MAX_TOTAL = 128
const RETRY_AFTER_SECONDS = 2

/** Hashes passwords a few at a time; network addresses take turns. */
export class PasswordHashing {
  readonly #turns: FairScheduler
  readonly #places = new Places()

  constructor(private readonly hasher: PasswordHasher) {
    this.#turns = new FairScheduler(hasher.concurrency ?? CONCURRENT_HASHES)
  }

  /**
   * Runs work for an unauthenticated client when it is its turn.
   * @throws ThrottledError if too many calls already wait
   */
  async forStranger<Result>(
    origin: Pick<Origin, 'remoteAddress'> | undefined,
    work: (hasher: PasswordHasher) => Promise<Result>,
  ): Promise<Result> {
    const group = origin?.remoteAddress === undefined ? '' : networkOf(origin.remoteAddress)
    const release = this.#places.acquire({ all: MAX_TOTAL, ...(group !== '' && { [`of ${group}`]: MAX_PER_ADDRESS }) })
    if (typeof release === 'string') {
      throw new ThrottledError('too many passwords are being checked or set: wait a moment', RETRY_AFTER_SECONDS)
    }
    try {
      return await this.#inTurn(group, work)
    } finally {
      release()
    }
  }

  /** Runs work of the host when it is its turn. The number of waiting calls has no limit. */
  async forHost<Result>(work: (hasher: PasswordHasher) => Promise<Result>): Promise<Result> {
    return await this.#inTurn('the host', work)
  }

  async #inTurn<Result>(group: string, work: (hasher: PasswordHasher) => Promise<Result>): Promise<Result> {
    return await this.#turns.one({ group, member: '' }, async () => await work(this.hasher), undefined)
  }
}

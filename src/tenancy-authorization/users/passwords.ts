import type { z } from 'zod'
import type { Clock, PasswordHasher, Storage, UserRecord } from '../../ports/index.js'
import { InvalidInputError, NotFoundError } from '../../shared/errors.js'
import { pause } from '../../shared/pause.js'
import { randomToken, sha256Hex } from '../../shared/random.js'
import { objectSchema, parseId, textSchema, validate } from '../../shared/validate.js'
import type { MailQueue } from '../mail/mail-queue.js'
import { toUser, type User } from '../records.js'
import { parseEmailAddress } from './email-address.js'

/** What a new password must be: length is what counts (NIST SP 800-63B, section 5.1.1.2). */
const PASSWORD = textSchema({ min: 8, max: 1_000 })

/** What sets a password (`POST /auth/setup`). */
export const passwordSetupSchema: z.ZodType<PasswordSetup> = objectSchema({
  token: textSchema({ min: 1, max: 200 }),
  password: PASSWORD,
})

/** What asks for a new one (`POST /auth/reset`). */
export const passwordResetSchema: z.ZodType<PasswordReset> = objectSchema({ email: textSchema({ min: 1, max: 320 }) })

export interface PasswordSetup {
  /** From the link of an invitation or a reset. */
  readonly token: string
  /** 8 to 1,000 characters. */
  readonly password: string
}

export interface PasswordReset {
  readonly email: string
}

/** Links that wait for one user, sent or not; more are not made. */
const MOST_LINKS = 5
/** Neither known nor unknown addresses are answered sooner: the time tells nothing. */
const RESET_TAKES_MS = 200

/** Sets, resets and checks passwords. */
export class Passwords {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #hasher: PasswordHasher
  readonly #mailQueue: MailQueue
  #decoy: Promise<string> | undefined

  constructor(storage: Storage, clock: Clock, hasher: PasswordHasher, mailQueue: MailQueue) {
    this.#storage = storage
    this.#clock = clock
    this.#hasher = hasher
    this.#mailQueue = mailQueue
  }

  /** Sends a link where the address is known; says nothing about whether it is. @throws InvalidInputError */
  async requestReset(input: PasswordReset): Promise<void> {
    const { email } = validate(passwordResetSchema, input)
    await Promise.all([this.#reset(email), pause(RESET_TAKES_MS)])
  }

  async #reset(email: string): Promise<void> {
    const mailId = await this.#storage.transaction(async (repositories) => {
      const emailKey = keyOf(email)
      const user = emailKey === undefined ? undefined : await repositories.users.findByEmailKey(emailKey)
      if (user === undefined) return undefined
      const sent = await repositories.passwordTokens.countOfUser(user.id, this.#clock.now().toISOString())
      if (sent + (await repositories.mails.countOfUser(user.id)) >= MOST_LINKS) return undefined
      const purpose = user.passwordHash === null ? 'invitation' : 'reset'
      return await this.#mailQueue.enqueue(repositories, user.id, purpose)
    })
    if (mailId !== undefined) await this.#mailQueue.committed(mailId)
  }

  /**
   * Sets the password of the user whose link it was; all links of that user end.
   * @throws InvalidInputError where the token is unknown, used or old
   */
  async setup(input: PasswordSetup): Promise<void> {
    const { token, password } = validate(passwordSetupSchema, input)
    const tokenHash = await sha256Hex(token)
    // A look before the slow hash: guessing tokens must not cost the host its processor.
    await this.#storage.read(async ({ passwordTokens }) => this.#requireToken(await passwordTokens.find(tokenHash)))
    const passwordHash = await this.#hasher.hash(password)
    await this.#storage.transaction(async ({ passwordTokens, users }) => {
      const found = await passwordTokens.find(tokenHash)
      // Of two who use it at once, one removes it.
      const { userId } = this.#requireToken((await passwordTokens.remove(tokenHash)) ? found : undefined)
      await users.update(userId, { passwordHash })
      await passwordTokens.removeOfUser(userId)
    })
  }

  /**
   * Completes a user's setup without a mail: for hosts that check users themselves.
   * @param password default: one that nobody knows; a user who has a password keeps it then
   */
  async completeSetup(userId: number, password?: string): Promise<User> {
    const id = parseId(userId, 'id')
    const chosen = password === undefined ? randomToken(32) : validate(PASSWORD, password, 'password')
    const passwordHash = await this.#hasher.hash(chosen)
    return await this.#storage.transaction(async ({ users, passwordTokens }) => {
      const user = await users.get(id)
      if (user === undefined) throw new NotFoundError('user', id)
      if (user.passwordHash !== null && password === undefined) return toUser(user)
      await users.update(id, { passwordHash })
      await passwordTokens.removeOfUser(id)
      return toUser({ ...user, passwordHash })
    })
  }

  /** The user with that address and password. Takes as long for an unknown address as for a wrong password. */
  async verify(email: string, password: string): Promise<User | undefined> {
    const emailKey = keyOf(email)
    const user = await this.#storage.read(async ({ users }): Promise<UserRecord | undefined> => {
      return emailKey === undefined ? undefined : await users.findByEmailKey(emailKey)
    })
    this.#decoy ??= this.#hasher.hash(randomToken(32))
    const isRight = await this.#hasher.verify(user?.passwordHash ?? (await this.#decoy), password)
    if (user?.passwordHash == null || !isRight) return undefined
    const lastAccess = this.#clock.now().toISOString()
    await this.#storage.transaction(({ users }) => users.update(user.id, { lastAccess }))
    return toUser({ ...user, lastAccess })
  }

  #requireToken<Token extends { readonly expires: string }>(token: Token | undefined): Token {
    if (token !== undefined && new Date(token.expires) > this.#clock.now()) return token
    throw new InvalidInputError('token', 'is not valid: it was used, or has expired; ask for a new mail')
  }
}

function keyOf(email: string): string | undefined {
  try {
    return parseEmailAddress(email).emailKey
  } catch {
    return undefined
  }
}

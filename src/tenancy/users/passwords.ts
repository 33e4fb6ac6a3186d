import type { z } from 'zod'
import { type AuditActor, type AuditRefusals, recordChange } from '../../audit/index.js'
import { pause } from '../../kernel/abort.js'
import { CompanyRequiredError, InvalidInputError, NotFoundError, ThrottledError } from '../../kernel/errors.js'
import { randomToken, sha256Hex } from '../../kernel/random.js'
import { closedObjectSchema, idSchema, objectSchema, parseId, textSchema, validate } from '../../kernel/validate.js'
import type { Clock, PasswordHasher, Repositories, Storage, UserRecord } from '../../ports/index.js'
import type { Origin } from '../access/principal.js'
import { type Reach, UNLIMITED } from '../access/reach.js'
import type { MailQueue } from '../mail/mail-queue.js'
import { otpMethodOf, type SecondFactor } from '../one-time-passwords/second-factor.js'
import { toUser, type User } from '../records.js'
import { type FailureThrottle, networkOf, type PasswordRequests } from '../throttles/throttle.js'
import { counterOf, type IdentityName, identitiesWithPassword, listIdentities } from './find-identity.js'
import { newPasswordSchema, PasswordHashing, type PasswordRules } from './password-rules.js'

/** What sets a password (`POST /auth/setup`). */
export const passwordSetupSchema: z.ZodType<PasswordSetup> = objectSchema({
  token: textSchema({ min: 1, max: 200 }),
  password: newPasswordSchema,
})

/** What asks for a new one (`POST /auth/reset`). */
export const passwordResetSchema: z.ZodType<PasswordReset> = objectSchema({
  email: textSchema({ min: 1, max: 320 }),
  customerId: idSchema().optional(),
})

export interface PasswordSetup {
  /** From the link of an invitation or a reset. */
  readonly token: string
  /** 12 to 1,000 characters, and none that is guessed first: a common one, the e-mail address, a repeated piece. */
  readonly password: string
}

export interface PasswordReset {
  readonly email: string
  /** Company of the user. Default: a link for each company that has a user with this address, five at the most. */
  readonly customerId?: number | undefined
}

/** From where a request about a password comes; without it, only names are counted. */
export type PasswordOrigin = Omit<Origin, 'clientId'>

/** What a password is checked with. */
export interface PasswordCheck extends PasswordOrigin {
  /** The user's company. Default: the one whose user has this address and this password. */
  readonly companyId?: number | undefined
  /** A one-time password or a recovery code, as the user has entered it: where one is required. */
  readonly otp?: string | undefined
}

const CHECK_TEXT = textSchema({ max: 1_000 }).optional()
/** Closed: a login whose company is misspelt is none without a company. */
const PASSWORD_CHECK: z.ZodType<PasswordCheck> = closedObjectSchema({
  companyId: idSchema().optional(),
  otp: CHECK_TEXT,
  remoteAddress: CHECK_TEXT,
  requestId: CHECK_TEXT,
})

/** Users of one address for whom one refused login is recorded. */
const MOST_RECORDED = 8
/** Characters of a counter's name. */
const MOST_OF_COUNTER = 200
/** Users of one address who get a link by one reset that names no company. */
const MOST_RESETS = 5
/** Neither known nor unknown addresses are answered sooner: the time tells nothing. */
const RESET_TAKES_MS = 200

/**
 * Users in whose companies a wrong password is recorded; `undefined` where nobody's is. Each company sees what it would
 * see if no other one had this address. Where none is named, it sees nothing of somebody whom it has added and who never
 * set a password there.
 */
function recordedOf(
  identities: readonly UserRecord[],
  { companyId }: IdentityName,
): readonly (UserRecord | undefined)[] {
  const isRecorded = ({ passwordHash }: UserRecord): boolean => companyId !== undefined || passwordHash !== null
  const recorded = identities.filter(isRecorded).slice(0, MOST_RECORDED)
  return recorded.length === 0 ? [undefined] : recorded
}

/** Sets, resets and checks passwords. */
export class Passwords {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #hashing: PasswordHashing
  readonly #rules: PasswordRules
  readonly #mailQueue: MailQueue
  readonly #failures: FailureThrottle
  readonly #requests: PasswordRequests
  readonly #refusals: AuditRefusals
  readonly #secondFactor: SecondFactor
  #decoy: Promise<string> | undefined

  constructor(
    storage: Storage,
    clock: Clock,
    hasher: PasswordHasher,
    rules: PasswordRules,
    mailQueue: MailQueue,
    failures: FailureThrottle,
    requests: PasswordRequests,
    refusals: AuditRefusals,
    secondFactor: SecondFactor,
  ) {
    this.#secondFactor = secondFactor
    this.#refusals = refusals
    this.#storage = storage
    this.#clock = clock
    this.#hashing = new PasswordHashing(hasher)
    this.#rules = rules
    this.#mailQueue = mailQueue
    this.#failures = failures
    this.#requests = requests
  }

  /**
   * Sends a link where the address is known; says nothing about whether it is.
   * @param input read once the request is counted, where it is a function
   * @throws InvalidInputError @throws ThrottledError after too many requests from one network address
   */
  async requestReset(input: PasswordReset | (() => Promise<PasswordReset>), origin?: PasswordOrigin): Promise<void> {
    await this.#requests.count(origin)
    const { email, customerId } = validate(passwordResetSchema, typeof input === 'function' ? await input() : input)
    const name = { email, companyId: customerId }
    await Promise.all([this.#reset(name, { ...origin, kind: 'anonymous' }), pause(RESET_TAKES_MS)])
  }

  async #reset(name: IdentityName, by: AuditActor): Promise<void> {
    let identities: readonly UserRecord[] = []
    let at = 0
    do {
      try {
        await this.#sendReset(async (repositories) => {
          // One transaction finds and writes: known and unknown addresses wait for the same locks.
          if (at === 0) identities = await listIdentities(repositories, name)
          const user = await repositories.users.get(identities[at]?.id ?? 0)
          // Whom a company has added, and who never set a password there, has not come to that company.
          const isOfCompany = name.companyId !== undefined || user?.passwordHash != null
          return user && { user, by: isOfCompany ? by : { kind: 'anonymous' } }
        })
      } catch (error) {
        // Whoever asks for too many learns nothing: neither that the address is known, nor that it is not.
        if (!(error instanceof ThrottledError)) throw error
      }
      at += 1
    } while (at < Math.min(identities.length, MOST_RESETS))
  }

  async #sendReset(
    find: (repositories: Repositories) => Promise<{ readonly user: UserRecord; readonly by: AuditActor } | undefined>,
  ): Promise<void> {
    const mailId = await this.#storage.transaction(async (repositories) => {
      const found = await find(repositories)
      if (found === undefined) return undefined
      const { user, by } = found
      const purpose = user.passwordHash === null ? 'invitation' : 'reset'
      await recordChange(repositories, by, this.#clock.now(), {
        action: 'password.reset-requested',
        companyId: user.companyId,
        targetId: user.id,
        details: {},
      })
      return await this.#mailQueue.enqueue(repositories, { user, purpose, isByStranger: true })
    })
    if (mailId !== undefined) await this.#mailQueue.committed(mailId)
  }

  /**
   * Sets the password of the user whose link it was; all links of that user end. A user who had another one is told.
   * @throws InvalidInputError where the token is unknown, used or old; where the password breaks a rule, which leaves
   *   the link as it is
   * @throws ThrottledError after too many requests from one network address, and where too many passwords are being set
   */
  async setup(input: PasswordSetup | (() => Promise<PasswordSetup>), origin?: PasswordOrigin): Promise<void> {
    await this.#requests.count(origin)
    const { token, password } = validate(passwordSetupSchema, typeof input === 'function' ? await input() : input)
    const tokenHash = await sha256Hex(token)
    // A look before the slow hash: guessing tokens must not cost the host its processor.
    const owner = await this.#storage.read(async ({ passwordTokens, users }) => {
      return await users.get(this.#requireToken(await passwordTokens.find(tokenHash)).userId)
    })
    if (owner !== undefined) await this.#rules.require(password, owner)
    const passwordHash = await this.#hashing.forStranger(origin, async (hasher) => await hasher.hash(password))
    const mailId = await this.#storage.transaction(async (repositories) => {
      const { passwordTokens, users } = repositories
      const found = await passwordTokens.find(tokenHash)
      // Of two who use it at once, one removes it.
      const { userId } = this.#requireToken((await passwordTokens.remove(tokenHash)) ? found : undefined)
      const user = await users.get(userId)
      await users.update(userId, { passwordHash })
      await passwordTokens.removeOfUser(userId)
      const companyId = user?.companyId
      await recordChange(repositories, { ...origin, kind: 'user', userId, companyId }, this.#clock.now(), {
        action: 'password.set',
        companyId: companyId ?? null,
        targetId: userId,
        details: { by: 'link' },
      })
      return await this.#tellOfChange(repositories, user)
    })
    if (mailId !== undefined) await this.#mailQueue.committed(mailId)
  }

  /**
   * Completes a user's setup without an invitation: for hosts that check users themselves. A user who had another
   * password is told by mail.
   * @param password default: one that nobody knows; a user who has a password keeps it then
   * @throws NotFoundError @throws InvalidInputError where the password breaks a rule
   */
  async completeSetup(userId: number, password?: string, { by }: Pick<Reach, 'by'> = UNLIMITED): Promise<User> {
    const id = parseId(userId, 'id')
    const chosen = password === undefined ? randomToken(32) : await this.#requireChosen(id, password)
    const passwordHash = await this.#hashing.forHost(async (hasher) => await hasher.hash(chosen))
    const { completed, mailId } = await this.#storage.transaction(async (repositories) => {
      const { users, passwordTokens } = repositories
      const user = await users.get(id)
      if (user === undefined) throw new NotFoundError('user', id)
      if (user.passwordHash !== null && password === undefined) {
        return { completed: toUser(user, await otpMethodOf(repositories, id)) }
      }
      await users.update(id, { passwordHash })
      await passwordTokens.removeOfUser(id)
      await recordChange(repositories, by, this.#clock.now(), {
        action: 'password.set',
        companyId: user.companyId,
        targetId: id,
        details: { by: 'host' },
      })
      const completed = toUser({ ...user, passwordHash }, await otpMethodOf(repositories, id))
      return { completed, mailId: await this.#tellOfChange(repositories, user) }
    })
    if (mailId !== undefined) await this.#mailQueue.committed(mailId)
    return completed
  }

  async #requireChosen(userId: number, password: string): Promise<string> {
    const user = await this.#storage.read(({ users }) => users.get(userId))
    if (user === undefined) throw new NotFoundError('user', userId)
    await this.#rules.require(password, user)
    return password
  }

  /** @param before the user as they were; a first password is no change */
  async #tellOfChange(repositories: Repositories, before: UserRecord | undefined): Promise<number | undefined> {
    if (before === undefined || before.passwordHash === null) return undefined
    return await this.#mailQueue.notify(repositories, { user: before, purpose: 'password-changed' })
  }

  /**
   * The user with that address and password, and the one-time password where the user has them: of the company that is
   * named, or of the only one where both are right. Takes as long for an unknown address as for a wrong password; of
   * several users with a password each takes its time.
   *
   * @throws CompanyRequiredError where no company is named, and users of several have this address and this password
   * @throws OneTimePasswordRequiredError where the password is right, and `otp` is missing
   * @throws SecretUnreadableError where the password is right, and the user's secret was altered
   * @throws ThrottledError after too many wrong passwords for the e-mail address, or from the network address, within a
   *   minute, also for the right password: a throttle that lets it pass would not slow down those who guess; and where
   *   too many passwords are being checked; after too many wrong one-time passwords of the user, where the password is right
   */
  async verify(email: string, password: string, check: PasswordCheck = {}): Promise<User | undefined> {
    const { companyId, otp, ...origin } = validate(PASSWORD_CHECK, check, 'options')
    const name = { email, companyId }
    const failure = { kind: 'password', name: counterOf(name), origin } as const
    // Before it waits for its turn, and when it has come: as many guesses at once are not more guesses.
    await this.#failures.check(failure)
    const user = await this.#hashing.forStranger(origin, async (hasher) => {
      await this.#failures.check(failure)
      const identities = await this.#storage.read((repositories) => listIdentities(repositories, name))
      this.#decoy ??= hasher.hash(randomToken(32))
      const [found, ...others] = await identitiesWithPassword(hasher, identities, {
        password,
        decoy: await this.#decoy,
      })
      if (found !== undefined && others.length === 0) return found
      if (found !== undefined) {
        await this.#recordRefusal(undefined, 'company-required', origin)
        throw new CompanyRequiredError()
      }
      for (const user of recordedOf(identities, name)) await this.#recordRefusal(user, 'wrong-password', origin)
      await this.#failures.failed(failure)
      return undefined
    })
    if (user === undefined) return undefined
    const otpMethod = await this.#secondFactor.check(user, otp, origin)
    if (otpMethod === undefined) {
      await this.#recordRefusal(user, 'wrong-otp', origin)
      await this.#failures.failed(failure)
      return undefined
    }
    const lastAccess = this.#clock.now().toISOString()
    await this.#storage.transaction(({ users }) => users.update(user.id, { lastAccess }))
    return toUser({ ...user, lastAccess }, otpMethod)
  }

  /** An address that nobody has is counted, and recorded, as one that somebody has. */
  async #recordRefusal(
    user: UserRecord | undefined,
    reason: 'wrong-password' | 'wrong-otp' | 'company-required',
    { remoteAddress, requestId }: PasswordOrigin,
  ): Promise<void> {
    const counter = `login:${user?.companyId ?? ''}:${networkOf(remoteAddress ?? '')}`.slice(0, MOST_OF_COUNTER)
    const refusal = { companyId: user?.companyId ?? null, targetId: user?.id ?? null, reason }
    await this.#refusals.record(counter, async () => ({
      by: { kind: 'anonymous', remoteAddress, requestId },
      refusal: { action: 'login.refused', ...refusal },
    }))
  }

  /** Counts a request for the page that sets a password. @throws ThrottledError as {@link setup} */
  async countRequest(origin?: PasswordOrigin): Promise<void> {
    await this.#requests.count(origin)
  }

  #requireToken<Token extends { readonly expires: string }>(token: Token | undefined): Token {
    if (token !== undefined && new Date(token.expires) > this.#clock.now()) return token
    throw new InvalidInputError('token', 'is not valid: it was used, or has expired; ask for a new mail')
  }
}

import { type AuditActor, type AuditRefusals, recordChange } from '../../audit/index.js'
import { randomToken, sha256Hex } from '../../kernel/crypto.js'
import { CompanyRequiredError, InvalidInputError, NotFoundError, ThrottledError } from '../../kernel/errors.js'
import { isBeforeEnd } from '../../kernel/lifetimes.js'
import { pause } from '../../kernel/scheduling/abort.js'
import { parseId, validate } from '../../kernel/validate.js'
import type { Clock, PasswordHasher, Repositories, Storage, UserRecord } from '../../ports/index.js'
import type { RequestOrigin } from '../access/principal.js'
import { type Reach, UNLIMITED } from '../access/reach.js'
import type { MailQueue } from '../mail-queue.js'
import { toUser, type User } from '../records.js'
import { MAX_LINK_LIFETIME_MS } from '../send-mail.js'
import { counterName, type FailureThrottle, type PasswordRequests } from '../throttle.js'
import { counterNameOf, type IdentityName, identitiesWithPassword, listIdentities } from './identity.js'
import {
  PASSWORD_CHECK,
  type PasswordCheck,
  type PasswordReset,
  type PasswordSetup,
  passwordResetSchema,
  passwordSetupSchema,
} from './password-input.js'
import { PasswordHashing, type PasswordRules } from './password-rules.js'
import { otpMethodOf, type SecondFactor } from './second-factor.js'

/** Users of one address for whom one refused login is recorded. */
const MAX_RECORDED_USERS = 8

/** Users of one address who get a link by one reset without a company. */
const MAX_RESETS = 5

/** Every reset takes at least this long, so that the time does not reveal whether an address is known. */
const MIN_RESET_MS = 200

/** Sets, resets and checks passwords. */
export class Passwords {
  readonly #hashing: PasswordHashing
  #decoy: Promise<string> | undefined

  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    hasher: PasswordHasher,
    private readonly rules: PasswordRules,
    private readonly mailQueue: MailQueue,
    private readonly failures: FailureThrottle,
    private readonly requests: PasswordRequests,
    private readonly refusals: AuditRefusals,
    private readonly secondFactor: SecondFactor,
  ) {
    this.#hashing = new PasswordHashing(hasher)
  }

  /**
   * Sends a link if the address is known. The caller does not learn whether it is.
   * @param input a function is called after the request is counted
   * @throws InvalidInputError @throws ThrottledError after too many requests from one network address
   */
  async requestReset(input: PasswordReset | (() => Promise<PasswordReset>), origin?: RequestOrigin): Promise<void> {
    await this.requests.count(origin)
    const { email, customerId } = validate(passwordResetSchema, typeof input === 'function' ? await input() : input)
    const name = { email, companyId: customerId }
    await Promise.all([this.#reset(name, { ...origin, kind: 'anonymous' }), pause(MIN_RESET_MS)])
  }

  async #reset(name: IdentityName, by: AuditActor): Promise<void> {
    let identities: readonly UserRecord[] = []
    let index = 0
    do {
      try {
        await this.#sendReset(async (repositories) => {
          // One transaction both finds and writes, so that known and unknown addresses wait for the same locks.
          if (index === 0) identities = await listIdentities(repositories, name)
          const user = await repositories.users.get(identities[index]?.id ?? 0)
          // A user without a password has never joined the company that added them. Without a named company, that
          // company does not learn where the request came from.
          const isOriginRecorded = name.companyId !== undefined || user?.passwordHash != null
          return user && { user, by: isOriginRecorded ? by : { kind: 'anonymous' } }
        })
      } catch (error) {
        // A throttled caller must not learn whether the address is known.
        if (!(error instanceof ThrottledError)) throw error
      }
      index += 1
    } while (index < Math.min(identities.length, MAX_RESETS))
  }

  async #sendReset(
    find: (repositories: Repositories) => Promise<{ readonly user: UserRecord; readonly by: AuditActor } | undefined>,
  ): Promise<void> {
    const mailId = await this.storage.transaction(async (repositories) => {
      const found = await find(repositories)
      if (found === undefined) return undefined
      const { user, by } = found
      const purpose = user.passwordHash === null ? 'invitation' : 'reset'
      await recordChange(repositories, by, this.clock.now(), {
        action: 'password.reset-requested',
        companyId: user.companyId,
        targetId: user.id,
        details: {},
      })
      return await this.mailQueue.enqueue(repositories, { user, purpose, isByStranger: true })
    })
    if (mailId !== undefined) await this.mailQueue.afterCommit(mailId)
  }

  /**
   * Sets the password of the link's user. All links of the user become invalid. A user who had another password is
   * notified by mail.
   * @throws InvalidInputError if the token is unknown, used or expired, and if the password breaks a rule; the link
   *   stays valid then
   * @throws ThrottledError after too many requests from one network address, and if too many passwords are being set
   */
  async setup(input: PasswordSetup | (() => Promise<PasswordSetup>), origin?: RequestOrigin): Promise<void> {
    await this.requests.count(origin)
    const { token, password } = validate(passwordSetupSchema, typeof input === 'function' ? await input() : input)
    const tokenHash = await sha256Hex(token)
    // This read comes before the slow hash, so that guessed tokens do not use up the host's processor.
    const tokenUser = await this.storage.read(async ({ passwordTokens, users }) => {
      return await users.get(this.#requireToken(await passwordTokens.find(tokenHash)).userId)
    })
    if (tokenUser !== undefined) await this.rules.require(password, tokenUser)
    const passwordHash = await this.#hashing.forStranger(origin, async (hasher) => await hasher.hash(password))
    const mailId = await this.storage.transaction(async (repositories) => {
      const { passwordTokens, users } = repositories
      const found = await passwordTokens.find(tokenHash)
      // If two requests use the token at the same time, only one of them removes it.
      const { userId } = this.#requireToken((await passwordTokens.remove(tokenHash)) ? found : undefined)
      const user = await users.get(userId)
      await users.update(userId, { passwordHash })
      await passwordTokens.removeOfUser(userId)
      const companyId = user?.companyId
      await recordChange(repositories, { ...origin, kind: 'user', userId, companyId }, this.clock.now(), {
        action: 'password.set',
        companyId: companyId ?? null,
        targetId: userId,
        details: { by: 'link' },
      })
      return await this.#enqueueChangeNotice(repositories, user)
    })
    if (mailId !== undefined) await this.mailQueue.afterCommit(mailId)
  }

  /**
   * Completes a user's setup without an invitation: for hosts that check users themselves. A user who had another
   * password is notified by mail.
   * @param password default: a random one that nobody knows; a user who has a password then keeps it
   * @throws NotFoundError @throws InvalidInputError if the password breaks a rule
   */
  async completeSetup(userId: number, password?: string, { by }: Pick<Reach, 'by'> = UNLIMITED): Promise<User> {
    const id = parseId(userId, 'id')
    const newPassword = password === undefined ? randomToken(32) : await this.#requireAllowed(id, password)
    const passwordHash = await this.#hashing.forHost(async (hasher) => await hasher.hash(newPassword))
    const { completed, mailId } = await this.storage.transaction(async (repositories) => {
      const { users, passwordTokens } = repositories
      const user = await users.get(id)
      if (user === undefined) throw new NotFoundError('user', id)
      if (user.passwordHash !== null && password === undefined) {
        return { completed: toUser(user, await otpMethodOf(repositories, id)) }
      }
      await users.update(id, { passwordHash })
      await passwordTokens.removeOfUser(id)
      await recordChange(repositories, by, this.clock.now(), {
        action: 'password.set',
        companyId: user.companyId,
        targetId: id,
        details: { by: 'host' },
      })
      const completed = toUser({ ...user, passwordHash }, await otpMethodOf(repositories, id))
      return { completed, mailId: await this.#enqueueChangeNotice(repositories, user) }
    })
    if (mailId !== undefined) await this.mailQueue.afterCommit(mailId)
    return completed
  }

  async #requireAllowed(userId: number, password: string): Promise<string> {
    const user = await this.storage.read(({ users }) => users.get(userId))
    if (user === undefined) throw new NotFoundError('user', userId)
    await this.rules.require(password, user)
    return password
  }

  /** @param previous the user before the change; a first password, and a user without an address, need no notice */
  async #enqueueChangeNotice(
    repositories: Repositories,
    previous: UserRecord | undefined,
  ): Promise<number | undefined> {
    if (previous === undefined || previous.passwordHash === null || previous.email === '') return undefined
    return await this.mailQueue.enqueueNotice(repositories, { user: previous, purpose: 'password-changed' })
  }

  /**
   * The user with that address, password and, if the user has one-time passwords, that `otp`. Without a company, the
   * only company counts whose user has this address and password. An unknown address takes as long as a wrong password.
   * With several users of an address, each comparison adds its time.
   *
   * @throws CompanyRequiredError if no company is named, and users of several companies have this address and password
   * @throws OneTimePasswordRequiredError if the password is right, and `otp` is missing
   * @throws SecretUnreadableError if the password is right, and the user's secret was altered
   * @throws ThrottledError
   *   - after too many wrong passwords for the e-mail address or from the network address within a minute. It is thrown
   *     for the right password too, because letting that pass would not slow down guessing
   *   - if too many passwords are being checked
   *   - after too many wrong one-time passwords of the user, if the password is right
   */
  async verify(email: string, password: string, check: PasswordCheck = {}): Promise<User | undefined> {
    const { companyId, otp, ...origin } = validate(PASSWORD_CHECK, check, 'options')
    const name = { email, companyId }
    const failure = { kind: 'password', name: counterNameOf(name), origin } as const
    // The check runs before the wait for a turn and after it, so that parallel calls get no additional guesses.
    await this.failures.check(failure)
    const user = await this.#hashing.forStranger(origin, async (hasher) => {
      await this.failures.check(failure)
      const identities = await this.storage.read((repositories) => listIdentities(repositories, name))
      this.#decoy ??= hasher.hash(randomToken(32)).catch((error: unknown) => {
        // The next call makes another one.
        this.#decoy = undefined
        throw error
      })
      const decoy = await this.#decoy
      const [found, ...others] = await identitiesWithPassword(hasher, identities, { password, decoy })
      if (found !== undefined && others.length === 0) return found
      if (found !== undefined) {
        await this.#recordRefusal(undefined, 'company-required', origin)
        throw new CompanyRequiredError()
      }
      const recorded = await this.storage.read(async (repositories) => {
        return await identitiesToRecord(repositories, identities, name)
      })
      for (const identity of recorded) {
        await this.#recordRefusal(identity, 'wrong-password', origin)
      }
      await this.failures.countFailure(failure)
      return undefined
    })
    if (user === undefined) return undefined
    const otpMethod = await this.secondFactor.check(user, otp, origin)
    if (otpMethod === undefined) {
      await this.#recordRefusal(user, 'wrong-otp', origin)
      await this.failures.countFailure(failure)
      return undefined
    }
    const lastAccess = this.clock.now().toISOString()
    await this.storage.transaction(({ users }) => users.update(user.id, { lastAccess }))
    return toUser({ ...user, lastAccess }, otpMethod)
  }

  /** @param user undefined for an unknown address, which is counted and recorded in the same way as a known one */
  async #recordRefusal(
    user: UserRecord | undefined,
    reason: 'wrong-password' | 'wrong-otp' | 'company-required',
    { remoteAddress, requestId }: RequestOrigin,
  ): Promise<void> {
    const counter = counterName(`login:${user?.companyId ?? ''}`, remoteAddress)
    const refusal = { companyId: user?.companyId ?? null, targetId: user?.id ?? null, reason }
    await this.refusals.record(counter, async () => ({
      by: { kind: 'anonymous', remoteAddress, requestId },
      refusal: { action: 'login.refused', ...refusal },
    }))
  }

  /** Counts a request for the page that sets a password. @throws ThrottledError as {@link setup} */
  async countRequest(origin?: RequestOrigin): Promise<void> {
    await this.requests.count(origin)
  }

  #requireToken<Token extends { readonly expires: string }>(token: Token | undefined): Token {
    if (token !== undefined && isBeforeEnd(new Date(token.expires), this.clock.now(), MAX_LINK_LIFETIME_MS))
      return token
    throw new InvalidInputError('token', 'is not valid: it was used, or has expired; request a new mail')
  }
}

/**
 * Users for whom a wrong password is recorded; `undefined` stands for an unknown address. Each company sees the same
 * entries as if no other company had this address. Without a named company, users who never set a password are left
 * out: they have not joined the company that added them. The root company sees the entries of all companies, so its
 * users are always recorded.
 */
async function identitiesToRecord(
  { companies }: Repositories,
  identities: readonly UserRecord[],
  { companyId }: IdentityName,
): Promise<readonly (UserRecord | undefined)[]> {
  const areRecorded = await Promise.all(
    identities.map(async (user) => {
      if (companyId !== undefined || user.passwordHash !== null) return true
      return (await companies.get(user.companyId))?.parentId === null
    }),
  )
  const recorded = identities.filter((_, index) => areRecorded[index]).slice(0, MAX_RECORDED_USERS)
  return recorded.length === 0 ? [undefined] : recorded
}

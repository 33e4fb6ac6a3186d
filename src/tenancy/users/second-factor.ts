import { recordChange } from '../../audit/index.js'
import { type SecretBox, sha256Hex } from '../../kernel/crypto.js'
import { OneTimePasswordRequiredError, SecretUnreadableError, ThrottledError } from '../../kernel/errors.js'
import { textSchema, validate } from '../../kernel/validate.js'
import type {
  Clock,
  OneTimePasswords,
  RateLimit,
  Repositories,
  Storage,
  Telemetry,
  TransactionOptions,
  UserRecord,
} from '../../ports/index.js'
import type { Origin } from '../access/principal.js'

/** A user's second factor: none, or time-based one-time passwords (RFC 6238). */
export type OtpMethod = 'none' | 'totp'

const OTP = textSchema({ max: 1_000 }).optional()
/** Serialises the attempts of one user with a row lock, so that parallel attempts get no additional guesses. */
const WITH_USER_LOCKED: TransactionOptions = { isolation: 'read committed' }

/** The entered text: a code of the app (`step` is undefined if it is wrong), or a recovery code. */
type Attempt = { readonly step: number | undefined; readonly secret: string } | { readonly recoveryHash: string }

type Outcome = 'right' | 'wrong' | { readonly waitMs: number }

/** Checks the second factor of a login, after the password. */
export class SecondFactor {
  readonly #secrets: OtpSecrets

  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    secrets: OtpSecrets,
  ) {
    this.#secrets = secrets
  }

  /**
   * All processes together accept each code, and each recovery code, only once.
   *
   * @param otp the entered one-time password or recovery code
   * @returns the user's method; undefined for a wrong code, and for one that was accepted before
   * @throws OneTimePasswordRequiredError if the user has a method, and `otp` is missing or empty
   * @throws ThrottledError after too many wrong codes of the user; recovery codes still work
   * @throws SecretUnreadableError if the user's secret was altered; recovery codes still work
   */
  async check(user: UserRecord, otp: string | undefined, origin: Origin = {}): Promise<OtpMethod | undefined> {
    const record = await this.storage.read(({ oneTimePasswords }) => oneTimePasswords.get(user.id))
    if (record === undefined || record.secret === null) return 'none'
    const entered = normalizeCode(validate(OTP, otp, 'otp') ?? '')
    if (entered === '') throw new OneTimePasswordRequiredError()
    const attempt = await this.#attemptOf(user.id, record.secret, entered)
    const outcome = await this.storage.transaction(
      async (repositories) => await this.#settle(repositories, user, attempt, origin),
      WITH_USER_LOCKED,
    )
    if (typeof outcome === 'string') return outcome === 'right' ? 'totp' : undefined
    throw new ThrottledError(
      'too many wrong one-time passwords of this user: wait, or enter a recovery code',
      Math.ceil(outcome.waitMs / 1_000),
    )
  }

  async #attemptOf(userId: number, secret: string, entered: string): Promise<Attempt> {
    if (!/^[0-9]{6}$/.test(entered)) return { recoveryHash: await hashOfRecoveryCode(userId, entered) }
    return { step: await this.#secrets.stepOf(userId, secret, entered), secret }
  }

  async #settle(
    repositories: Repositories,
    { id, companyId }: UserRecord,
    attempt: Attempt,
    { remoteAddress, requestId }: Origin,
  ): Promise<Outcome> {
    const { oneTimePasswords } = repositories
    const now = this.clock.now()
    await oneTimePasswords.lock(id)
    if ('recoveryHash' in attempt) {
      if (!(await oneTimePasswords.consumeRecoveryCode(id, attempt.recoveryHash))) return 'wrong'
      await recordChange(repositories, { kind: 'user', userId: id, companyId, remoteAddress, requestId }, now, {
        action: 'otp.recovery-code-used',
        companyId,
        targetId: id,
        details: { left: await oneTimePasswords.countRecoveryCodes(id) },
      })
      return 'right'
    }
    const waitMs = await otpWaitMs(repositories, id, now)
    if (waitMs > 0) return { waitMs }
    const { step, secret } = attempt
    if (step !== undefined && (await oneTimePasswords.consumeStep(id, secret, step))) return 'right'
    await countWrongOtp(repositories, id, now)
    return 'wrong'
  }
}

const MINUTE_MS = 60_000

/**
 * Limits of wrong codes of one user. Three codes of a million are right at a time, so that 20 guesses find one with a
 * chance of 6 in 100,000. The password comes first, so that a stranger cannot lock a user out.
 */
const LIMITS = [
  { name: 'otp-15-minutes', most: 5, windowMs: 15 * MINUTE_MS },
  { name: 'otp-day', most: 20, windowMs: 24 * 60 * MINUTE_MS },
] as const

type Rates = Pick<Repositories, 'rates'>

/** Milliseconds until the next code of the user is checked; 0 if it is checked now. */
async function otpWaitMs({ rates }: Rates, userId: number, now: Date): Promise<number> {
  let waitMs = 0
  for (const [name, limit] of limitsOf(userId, now)) {
    waitMs = Math.max(waitMs, (await rates.peek(name, limit)).retryAfterMs)
  }
  return waitMs
}

async function countWrongOtp({ rates }: Rates, userId: number, now: Date): Promise<void> {
  for (const [name, limit] of limitsOf(userId, now)) await rates.consume(name, limit)
}

/** Resets the counters when the secret changes: the counted codes were for the earlier secret. */
export async function forgetWrongOtps({ rates }: Rates, userId: number, now: Date): Promise<void> {
  for (const [name] of limitsOf(userId, now)) await rates.forget(name)
}

function limitsOf(userId: number, now: Date): [name: string, limit: RateLimit][] {
  return LIMITS.map(({ name, most, windowMs }) => [`${name}:${userId}`, { most, windowMs, now }])
}

export async function otpMethodOf(
  { oneTimePasswords }: Pick<Repositories, 'oneTimePasswords'>,
  userId: number,
): Promise<OtpMethod> {
  const record = await oneTimePasswords.get(userId)
  return record === undefined || record.secret === null ? 'none' : 'totp'
}

/**
 * Reads the methods of many users with one query.
 * @param userIds default: all users
 * @returns a function that maps a user id to the method
 */
export async function readOtpMethods(
  { oneTimePasswords }: Pick<Repositories, 'oneTimePasswords'>,
  userIds?: readonly number[],
): Promise<(userId: number) => OtpMethod> {
  const withSecrets = new Set(await oneTimePasswords.listUserIds(userIds))
  return (userId) => (withSecrets.has(userId) ? 'totp' : 'none')
}

/** Steps of 30 s. Clocks of phones differ, and codes take time to type (RFC 6238, section 5.2). */
const STEPS_OF_DRIFT = 1

/** Creates secrets of one-time passwords, and compares codes with them. Stored secrets are sealed. */
export class OtpSecrets {
  readonly #secretBox: SecretBox

  constructor(
    private readonly algorithm: OneTimePasswords,
    secretBox: SecretBox,
    private readonly clock: Clock,
    private readonly telemetry: Telemetry,
  ) {
    this.#secretBox = secretBox
  }

  async create(label: {
    readonly issuer: string
    readonly account: string
  }): Promise<{ readonly secret: string; readonly uri: string; readonly sealed: string }> {
    const secret = await this.algorithm.createSecret()
    const uri = await this.algorithm.uriOf({ ...label, secret })
    return { secret, uri, sealed: await this.#secretBox.seal(secret) }
  }

  /**
   * The time step whose code the user entered; `undefined` for a wrong code.
   * @throws SecretUnreadableError if the secret was altered; telemetry gets the error too
   */
  async stepOf(userId: number, sealed: string, entered: string): Promise<number | undefined> {
    const secret = await this.#open(userId, sealed)
    return await this.algorithm.stepOf(secret, normalizeCode(entered), this.clock.now(), STEPS_OF_DRIFT)
  }

  async #open(userId: number, sealed: string): Promise<string> {
    try {
      return await this.#secretBox.open(sealed)
    } catch (cause) {
      const error = new SecretUnreadableError(
        `the secret of the one-time passwords of user ${userId} cannot be decrypted: ` +
          'disable the one-time passwords of this user, and set them up again',
        { cause },
      )
      this.telemetry.record({ name: 'otp.secret.unreadable', level: 'error', fields: { userId }, error })
      throw error
    }
  }
}

/** Codes that replace a one-time password, each of them once. They cannot be read a second time. */
export interface RecoveryCodes {
  /** 10 codes such as `7KQM-XW2D-4HTA-9RPE`. Case, spaces and dashes do not matter when a user enters one. */
  readonly recoveryCodes: readonly string[]
}

const RECOVERY_CODE_COUNT = 10
/** 32 characters that people do not confuse with each other. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
/** 16 characters have 80 random bits, so that nobody can reverse a plain hash by trying all codes. */
const GROUPS = 4
const GROUP_LENGTH = 4

/** Creates the recovery codes of a user. @returns the codes, and the hashes to store */
export async function newRecoveryCodes(
  userId: number,
): Promise<RecoveryCodes & { readonly hashes: readonly string[] }> {
  const recoveryCodes = Array.from({ length: RECOVERY_CODE_COUNT }, newCode)
  const hashes = await Promise.all(recoveryCodes.map(async (code) => await hashOfRecoveryCode(userId, code)))
  return { recoveryCodes, hashes }
}

/** The hash of an entered code. It includes the user id, so that equal codes of two users have different hashes. */
async function hashOfRecoveryCode(userId: number, entered: string): Promise<string> {
  return await sha256Hex(`${userId}:${normalizeCode(entered)}`)
}

/** The form in which entered codes are compared. */
function normalizeCode(entered: string): string {
  return entered
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[\s\p{Pd}]/gu, '')
}

function newCode(): string {
  const random = crypto.getRandomValues(new Uint8Array(GROUPS * GROUP_LENGTH))
  const characters = Array.from(random, (byte) => ALPHABET[byte % ALPHABET.length]).join('')
  return characters.match(/.{4}/g)?.join('-') ?? characters
}

import type { z } from 'zod'
import { recordChange } from '../../audit/index.js'
import { InvalidInputError, NotFoundError } from '../../kernel/errors.js'
import { closedObjectSchema, parseId, textSchema, validate } from '../../kernel/validate.js'
import type { Clock, Storage } from '../../ports/index.js'
import type { Reach } from '../access/reach.js'
import { toUser, type User } from '../records.js'
import type { OtpSecrets } from './otp-secrets.js'
import { newRecoveryCodes, type RecoveryCodes } from './recovery-codes.js'
import { forgetWrongOtps, otpMethodOf } from './second-factor.js'

/** One-time passwords of users, by the host's own hand. All throw NotFoundError for an unknown user. */
export interface OneTimePasswordOperations {
  /**
   * Makes a secret, to be shown to the user once, as a QR code of its URI. Nothing changes for logins until it is
   * confirmed: a secret in use stays in use. A second call makes another secret in place of the one that waits.
   *
   * @throws InvalidInputError
   */
  begin(id: number, label?: OneTimePasswordLabel): Promise<OneTimePasswordSetup>
  /**
   * Puts the secret in use, by a code that the app shows for it: from now on a login needs a code. Earlier recovery
   * codes end.
   *
   * @throws InvalidInputError where the code is wrong, and where no secret waits
   */
  confirm(id: number, code: string): Promise<RecoveryCodes>
  /**
   * Makes recovery codes in place of all earlier ones.
   * @throws InvalidInputError where the user has no secret in use
   */
  renewRecoveryCodes(id: number): Promise<RecoveryCodes>
  /** Removes the secret and the recovery codes: the password alone is enough again. Does nothing where there are none. */
  disable(id: number): Promise<User>
}

const LABEL: z.ZodType<OneTimePasswordLabel> = closedObjectSchema({
  issuer: textSchema({ min: 1, max: 100, isLine: true }).optional(),
})

export interface OneTimePasswordLabel {
  /** The service, as the authenticator app shows it: 1 to 100 characters; default the name of the user's company. */
  readonly issuer?: string | undefined
}

/** What a user needs to set up an authenticator app. It is shown this once. */
export interface OneTimePasswordSetup {
  /** 160 random bits in base32, to be typed where no QR code can be read. */
  readonly secret: string
  /** The same as `otpauth://totp/…`, to be shown as a QR code. */
  readonly uri: string
}

/** Makes a secret that waits to be confirmed. */
export class BeginOneTimePassword {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #secrets: OtpSecrets

  constructor(storage: Storage, clock: Clock, secrets: OtpSecrets) {
    this.#storage = storage
    this.#clock = clock
    this.#secrets = secrets
  }

  /** @throws InvalidInputError @throws NotFoundError */
  async execute(userId: number, label: OneTimePasswordLabel | undefined, { by }: Reach): Promise<OneTimePasswordSetup> {
    const id = parseId(userId, 'id')
    const { issuer } = validate(LABEL, label ?? {}, 'label')
    const { user, company } = await this.#storage.read(async ({ users, companies }) => {
      const found = await users.get(id)
      if (found === undefined) throw new NotFoundError('user', id)
      return { user: found, company: await companies.get(found.companyId) }
    })
    const named = { issuer: issuer ?? company?.name ?? '', account: user.email }
    const { secret, uri, sealed } = await this.#secrets.create(named)
    await this.#storage.transaction(async (repositories) => {
      if ((await repositories.users.get(id)) === undefined) throw new NotFoundError('user', id)
      await repositories.oneTimePasswords.putPending(id, sealed)
      await recordChange(repositories, by, this.#clock.now(), {
        action: 'otp.begun',
        companyId: user.companyId,
        targetId: id,
        details: {},
      })
    })
    return { secret, uri }
  }
}

const CODE = textSchema({ min: 1, max: 1_000 })

/** Puts a secret in use, by a code of it. */
export class ConfirmOneTimePassword {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #secrets: OtpSecrets

  constructor(storage: Storage, clock: Clock, secrets: OtpSecrets) {
    this.#storage = storage
    this.#clock = clock
    this.#secrets = secrets
  }

  /**
   * The code that confirms is accepted by no login after that.
   *
   * @throws InvalidInputError where the code is wrong, and where no secret waits
   * @throws NotFoundError
   * @throws SecretUnreadableError where the secret that waits was altered
   */
  async execute(userId: number, code: string, { by }: Reach): Promise<RecoveryCodes> {
    const id = parseId(userId, 'id')
    const entered = validate(CODE, code, 'code')
    const { companyId, waiting } = await this.#storage.read(async ({ users, oneTimePasswords }) => {
      const user = await users.get(id)
      if (user === undefined) throw new NotFoundError('user', id)
      return { companyId: user.companyId, waiting: (await oneTimePasswords.get(id))?.pendingSecret ?? undefined }
    })
    if (waiting === undefined) throw nothingWaits(id)
    const step = await this.#secrets.stepOf(id, waiting, entered)
    if (step === undefined) {
      throw new InvalidInputError(
        'code',
        'is wrong: enter the 6 digits that the authenticator app shows now, on a device whose clock is right',
      )
    }
    const { recoveryCodes, hashes } = await newRecoveryCodes(id)
    await this.#storage.transaction(async (repositories) => {
      const now = this.#clock.now()
      // Somebody else may have begun again, or confirmed, meanwhile.
      if (!(await repositories.oneTimePasswords.activate(id, waiting, step))) throw nothingWaits(id)
      await repositories.oneTimePasswords.replaceRecoveryCodes(id, hashes)
      await forgetWrongOtps(repositories, id, now)
      await recordChange(repositories, by, now, { action: 'otp.enabled', companyId, targetId: id, details: {} })
    })
    return { recoveryCodes }
  }
}

function nothingWaits(id: number): InvalidInputError {
  return new InvalidInputError('id', `no secret of the user ${id} waits to be confirmed: begin again`)
}

/** Removes a user's secrets and recovery codes. */
export class DisableOneTimePassword {
  readonly #storage: Storage
  readonly #clock: Clock

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  /** Leaves no entry where there was nothing to remove. @throws InvalidInputError @throws NotFoundError */
  async execute(userId: number, { by }: Reach): Promise<User> {
    const id = parseId(userId, 'id')
    return await this.#storage.transaction(async (repositories) => {
      const user = await repositories.users.get(id)
      if (user === undefined) throw new NotFoundError('user', id)
      const enabled = (await otpMethodOf(repositories, id)) !== 'none'
      const now = this.#clock.now()
      if (await repositories.oneTimePasswords.removeOf({ userId: id })) {
        await forgetWrongOtps(repositories, id, now)
        await recordChange(repositories, by, now, {
          action: 'otp.disabled',
          companyId: user.companyId,
          targetId: id,
          details: { enabled },
        })
      }
      return toUser(user, 'none')
    })
  }
}

/** Makes recovery codes in place of earlier ones. */
export class RenewRecoveryCodes {
  readonly #storage: Storage
  readonly #clock: Clock

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  /** @throws InvalidInputError where the user has no secret in use @throws NotFoundError */
  async execute(userId: number, { by }: Reach): Promise<RecoveryCodes> {
    const id = parseId(userId, 'id')
    const { recoveryCodes, hashes } = await newRecoveryCodes(id)
    await this.#storage.transaction(async (repositories) => {
      const user = await repositories.users.get(id)
      if (user === undefined) throw new NotFoundError('user', id)
      if ((await otpMethodOf(repositories, id)) === 'none') {
        throw new InvalidInputError('id', `the user ${id} has no one-time passwords: begin and confirm them first`)
      }
      await repositories.oneTimePasswords.replaceRecoveryCodes(id, hashes)
      await recordChange(repositories, by, this.#clock.now(), {
        action: 'otp.recovery-codes-renewed',
        companyId: user.companyId,
        targetId: id,
        details: {},
      })
    })
    return { recoveryCodes }
  }
}

import type { z } from 'zod'
import { recordChange } from '../../audit/index.js'
import { InvalidInputError, NotFoundError } from '../../kernel/errors.js'
import { closedObjectSchema, parseId, textSchema, validate } from '../../kernel/validate.js'
import type { Clock, Repositories, Storage, UserRecord } from '../../ports/index.js'
import type { Reach } from '../access/reach.js'
import { toUser, type User } from '../records.js'
import { forgetWrongOtps, newRecoveryCodes, type OtpSecrets, otpMethodOf, type RecoveryCodes } from './second-factor.js'

/** The host's operations on one-time passwords of users. All throw NotFoundError for an unknown user. */
export interface OneTimePasswordOperations {
  /**
   * Creates a secret. Show it to the user once, as a QR code of its URI. Logins do not change until the secret is
   * confirmed: a secret in use stays in use. A second call replaces an unconfirmed secret.
   *
   * @throws InvalidInputError
   */
  begin(id: number, label?: OneTimePasswordLabel): Promise<OneTimePasswordSetup>
  /**
   * Puts the secret in use, by a code that the authenticator app shows for it. From now on a login needs a code.
   * Earlier recovery codes become invalid.
   *
   * @throws InvalidInputError if the code is wrong, or there is no unconfirmed secret
   */
  confirm(id: number, code: string): Promise<RecoveryCodes>
  /**
   * Creates recovery codes, which replace all earlier ones.
   * @throws InvalidInputError if the user has no secret in use
   */
  renewRecoveryCodes(id: number): Promise<RecoveryCodes>
  /**
   * Removes the secret and the recovery codes, so that a login needs only the password. Does nothing without them.
   * @throws InvalidInputError for an id that is no number
   * @throws NotFoundError `ERR_USER_NOT_FOUND`
   */
  disable(id: number): Promise<User>
}

export interface OneTimePasswordLabel {
  /** Name of the service in the authenticator app, 1 to 100 characters. Default: the name of the user's company. */
  readonly issuer?: string | undefined
}

/** The data for the user's authenticator app. It cannot be read a second time. */
export interface OneTimePasswordSetup {
  /** 160 random bits in base32, for users who cannot scan a QR code. */
  readonly secret: string
  /** The same secret as `otpauth://totp/…`, to be shown as a QR code. */
  readonly uri: string
}

const LABEL: z.ZodType<OneTimePasswordLabel> = closedObjectSchema({
  issuer: textSchema({ min: 1, max: 100, isLine: true }).optional(),
})

const CODE = textSchema({ min: 1, max: 1_000 })

/** Implements {@link OneTimePasswordOperations}. */
export class UserOneTimePasswords {
  readonly #secrets: OtpSecrets

  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    secrets: OtpSecrets,
  ) {
    this.#secrets = secrets
  }

  /** @throws InvalidInputError @throws NotFoundError */
  async begin(userId: number, label: OneTimePasswordLabel | undefined, { by }: Reach): Promise<OneTimePasswordSetup> {
    const id = parseId(userId, 'id')
    const { issuer } = validate(LABEL, label ?? {}, 'label')
    const { user, company } = await this.storage.read(async (repositories) => {
      const found = await requireUser(repositories, id)
      return { user: found, company: await repositories.companies.get(found.companyId) }
    })
    const secretLabel = {
      issuer: issuer ?? company?.name ?? '',
      account: user.email || user.name || (user.externalId ?? `${user.id}`),
    }
    const { secret, uri, sealed } = await this.#secrets.create(secretLabel)
    await this.storage.transaction(async (repositories) => {
      await requireUser(repositories, id)
      await repositories.oneTimePasswords.putPending(id, sealed)
      await recordChange(repositories, by, this.clock.now(), {
        action: 'otp.begun',
        companyId: user.companyId,
        targetId: id,
        details: {},
      })
    })
    return { secret, uri }
  }

  /**
   * No login accepts the confirming code after that.
   *
   * @throws InvalidInputError if the code is wrong, or there is no unconfirmed secret
   * @throws NotFoundError
   * @throws SecretUnreadableError if the unconfirmed secret was altered
   */
  async confirm(userId: number, code: string, { by }: Reach): Promise<RecoveryCodes> {
    const id = parseId(userId, 'id')
    const entered = validate(CODE, code, 'code')
    const { companyId, pendingSecret } = await this.storage.read(async (repositories) => {
      const user = await requireUser(repositories, id)
      const record = await repositories.oneTimePasswords.get(id)
      return { companyId: user.companyId, pendingSecret: record?.pendingSecret ?? undefined }
    })
    if (pendingSecret === undefined) throw noPendingSecret(id)
    const step = await this.#secrets.stepOf(id, pendingSecret, entered)
    if (step === undefined) {
      throw new InvalidInputError(
        'code',
        'is wrong: enter the 6 digits that the authenticator app shows now, on a device whose clock is right',
      )
    }
    const { recoveryCodes, hashes } = await newRecoveryCodes(id)
    await this.storage.transaction(async (repositories) => {
      const now = this.clock.now()
      // Another caller may have replaced or confirmed the secret since it was read.
      if (!(await repositories.oneTimePasswords.activate(id, pendingSecret, step))) throw noPendingSecret(id)
      await repositories.oneTimePasswords.replaceRecoveryCodes(id, hashes)
      await forgetWrongOtps(repositories, id, now)
      await recordChange(repositories, by, now, { action: 'otp.enabled', companyId, targetId: id, details: {} })
    })
    return { recoveryCodes }
  }

  /** @throws InvalidInputError if the user has no secret in use @throws NotFoundError */
  async renewRecoveryCodes(userId: number, { by }: Reach): Promise<RecoveryCodes> {
    const id = parseId(userId, 'id')
    const { recoveryCodes, hashes } = await newRecoveryCodes(id)
    await this.storage.transaction(async (repositories) => {
      const { companyId } = await requireUser(repositories, id)
      if ((await otpMethodOf(repositories, id)) === 'none') {
        throw new InvalidInputError('id', `the user ${id} has no one-time passwords: begin and confirm them first`)
      }
      await repositories.oneTimePasswords.replaceRecoveryCodes(id, hashes)
      await recordChange(repositories, by, this.clock.now(), {
        action: 'otp.recovery-codes-renewed',
        companyId,
        targetId: id,
        details: {},
      })
    })
    return { recoveryCodes }
  }

  /**
   * Removes secrets and recovery codes. Records no entry if there are none.
   * @throws InvalidInputError @throws NotFoundError
   */
  async disable(userId: number, { by }: Reach): Promise<User> {
    const id = parseId(userId, 'id')
    return await this.storage.transaction(async (repositories) => {
      const user = await requireUser(repositories, id)
      const enabled = (await otpMethodOf(repositories, id)) !== 'none'
      const now = this.clock.now()
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

/** @throws NotFoundError */
async function requireUser({ users }: Repositories, id: number): Promise<UserRecord> {
  const user = await users.get(id)
  if (user === undefined) throw new NotFoundError('user', id)
  return user
}

function noPendingSecret(id: number): InvalidInputError {
  return new InvalidInputError('id', `the user ${id} has no secret to confirm: begin the setup first`)
}

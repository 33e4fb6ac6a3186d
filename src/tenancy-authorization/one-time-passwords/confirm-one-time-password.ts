import { recordChange } from '../../audit/index.js'
import type { Clock, Storage } from '../../ports/index.js'
import { InvalidInputError, NotFoundError } from '../../shared/errors.js'
import { parseId, textSchema, validate } from '../../shared/validate.js'
import type { Reach } from '../access/reach.js'
import { forgetWrongOtps } from './otp-guesses.js'
import type { OtpSecrets } from './otp-secrets.js'
import { newRecoveryCodes, type RecoveryCodes } from './recovery-codes.js'

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

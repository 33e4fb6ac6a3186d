import { recordChange } from '../../audit/index.js'
import type { Clock, Storage } from '../../ports/index.js'
import { InvalidInputError, NotFoundError } from '../../shared/errors.js'
import { parseId } from '../../shared/validate.js'
import type { Reach } from '../access/reach.js'
import { otpMethodOf } from './otp-method.js'
import { newRecoveryCodes, type RecoveryCodes } from './recovery-codes.js'

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

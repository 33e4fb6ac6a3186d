import { recordChange } from '../../audit/index.js'
import type { Clock, Storage } from '../../ports/index.js'
import { NotFoundError } from '../../shared/errors.js'
import { parseId } from '../../shared/validate.js'
import type { Reach } from '../access/reach.js'
import { toUser, type User } from '../records.js'
import { forgetWrongOtps } from './otp-guesses.js'
import { otpMethodOf } from './otp-method.js'

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

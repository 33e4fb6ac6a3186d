import { recordChange } from '../../audit/index.js'
import type { Clock, Storage } from '../../ports/index.js'
import { parseId } from '../../shared/validate.js'
import type { Reach } from '../access/reach.js'
import { Rights } from '../access/rights.js'
import { endLinks } from '../mail/end-links.js'
import { otpMethodOf } from '../one-time-passwords/otp-method.js'
import { toUser, type User } from '../records.js'
import { requireNotOwner } from './delete-user.js'

/** Disables a user, who is refused at once as one that does not exist, or enables them. */
export class DisableUser {
  readonly #storage: Storage
  readonly #clock: Clock

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  /**
   * Disabling ends the links of mails, and takes back mails that wait. Doing it twice changes nothing.
   *
   * @throws NotFoundError @throws ForbiddenError @throws LastManagerError as deleting the user does
   * @throws InUseError for the owner of the installation
   */
  async execute(userId: number, isDisabled: boolean, reach: Reach): Promise<User> {
    const id = parseId(userId, 'id')
    return await this.#storage.transaction(async (repositories) => {
      const now = this.#clock.now()
      const rights = await Rights.of(repositories, reach, now)
      return await rights.changeUser(id, async (user) => {
        if (isDisabled) {
          await requireNotOwner(repositories, user)
          await endLinks(repositories, { userId: id })
        }
        await repositories.users.update(id, { isDisabled })
        await recordChange(repositories, rights.reach.by, now, {
          action: isDisabled ? 'user.disabled' : 'user.enabled',
          companyId: user.companyId,
          targetId: id,
          details: {},
        })
        return toUser({ ...user, isDisabled }, await otpMethodOf(repositories, id))
      })
    })
  }
}

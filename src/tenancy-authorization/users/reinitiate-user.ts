import { recordChange } from '../../audit/index.js'
import type { Clock, Storage } from '../../ports/index.js'
import { InvalidInputError } from '../../shared/errors.js'
import { parseId } from '../../shared/validate.js'
import type { Reach } from '../access/reach.js'
import { Rights } from '../access/rights.js'
import { ifUsable } from '../access/usable-user.js'
import type { MailQueue } from '../mail/mail-queue.js'

/** Sends the invitation once more. Links of earlier ones end. */
export class ReinitiateUser {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #mailQueue: MailQueue

  constructor(storage: Storage, clock: Clock, mailQueue: MailQueue) {
    this.#storage = storage
    this.#clock = clock
    this.#mailQueue = mailQueue
  }

  /**
   * @throws NotFoundError for unknown users and those out of reach alike
   * @throws ForbiddenError within a limited reach, where the user has a right that the caller may not take
   * @throws InvalidInputError where the user has completed the setup, or they or their company are disabled
   * @throws ThrottledError where it would be one mail too many; links of earlier ones stay then
   */
  async execute(userId: number, reach: Reach): Promise<void> {
    const id = parseId(userId, 'id')
    const mailId = await this.#storage.transaction(async (repositories) => {
      const now = this.#clock.now()
      const rights = await Rights.of(repositories, reach, now)
      const user = await rights.userToInvite(id)
      if ((await ifUsable(repositories, user)) === undefined)
        throw new InvalidInputError('id', `the user ${id}, or their company, is disabled: no mail is sent`)
      if (user.passwordHash !== null)
        throw new InvalidInputError('id', `the user ${id} has completed the setup already`)
      await repositories.passwordTokens.removeOfUser(id)
      await recordChange(repositories, rights.reach.by, now, {
        action: 'user.reinitiated',
        companyId: user.companyId,
        targetId: id,
        details: {},
      })
      return await this.#mailQueue.enqueue(repositories, { user, purpose: 'invitation', causedBy: reach.companyId })
    })
    await this.#mailQueue.committed(mailId)
  }
}

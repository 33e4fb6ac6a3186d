import type { Storage } from '../../ports/index.js'
import { InvalidInputError, NotFoundError } from '../../shared/errors.js'
import { parseId } from '../../shared/validate.js'
import { covers, type Reach } from '../access/reach.js'
import type { MailQueue } from '../mail/mail-queue.js'

/** Sends the invitation once more. Links of earlier ones end. */
export class ReinitiateUser {
  readonly #storage: Storage
  readonly #mailQueue: MailQueue

  constructor(storage: Storage, mailQueue: MailQueue) {
    this.#storage = storage
    this.#mailQueue = mailQueue
  }

  /**
   * @throws NotFoundError for unknown users and those out of reach alike
   * @throws InvalidInputError where the user has completed the setup
   */
  async execute(userId: number, reach: Reach): Promise<void> {
    const id = parseId(userId, 'id')
    const mailId = await this.#storage.transaction(async (repositories) => {
      const user = await repositories.users.get(id)
      if (user === undefined || !(await covers(reach, repositories, user.companyId)))
        throw new NotFoundError('user', id)
      if (user.passwordHash !== null)
        throw new InvalidInputError('id', `the user ${id} has completed the setup already`)
      await repositories.passwordTokens.removeOfUser(id)
      return await this.#mailQueue.enqueue(repositories, id, 'invitation')
    })
    await this.#mailQueue.committed(mailId)
  }
}

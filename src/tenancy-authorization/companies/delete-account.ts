import { recordChange } from '../../audit/index.js'
import type { Clock, Storage } from '../../ports/index.js'
import { InUseError } from '../../shared/errors.js'
import { parseId } from '../../shared/validate.js'
import type { Reach } from '../access/reach.js'
import { Rights } from '../access/rights.js'
import type { ContextRemoval } from '../context-removal.js'
import { readOwner } from '../initialize.js'

/** Deletes an account: nobody has a right on it any more, and its contexts go with their documents. */
export class DeleteAccount {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #contexts: ContextRemoval

  constructor(storage: Storage, clock: Clock, contexts: ContextRemoval) {
    this.#storage = storage
    this.#clock = clock
    this.#contexts = contexts
  }

  /**
   * @param reach the host's own
   * @throws NotFoundError @throws InUseError for the account that the owner of the installation acts in
   */
  async execute(accountId: number, reach: Reach): Promise<void> {
    const id = parseId(accountId, 'id')
    await this.#storage.transaction(async (repositories) => {
      const now = this.#clock.now()
      const rights = await Rights.of(repositories, reach, now)
      if ((await readOwner(repositories))?.accountId === id) {
        throw new InUseError(`the owner of this installation acts in the account ${id}: it stays`)
      }
      const { companyId } = await rights.endAccount(id)
      await this.#contexts.removeOfAccount(repositories, id, reach.by)
      await repositories.accounts.remove(id, now.toISOString())
      await recordChange(repositories, reach.by, now, {
        action: 'account.deleted',
        companyId,
        targetId: id,
        details: {},
      })
    })
  }
}

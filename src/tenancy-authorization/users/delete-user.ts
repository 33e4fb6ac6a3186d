import { recordChange } from '../../audit/index.js'
import type { Clock, Repositories, Storage, UserRecord } from '../../ports/index.js'
import { InUseError } from '../../shared/errors.js'
import { choiceSchema, objectSchema, parseId, validate } from '../../shared/validate.js'
import type { Reach } from '../access/reach.js'
import { Rights } from '../access/rights.js'
import type { ContextRemoval } from '../context-removal.js'
import { readOwner } from '../initialize.js'
import { endLinks } from '../mail/end-links.js'

const OPTIONS = objectSchema({ contexts: choiceSchema(['keep', 'delete']).default('keep') })

export interface DeleteUserOptions {
  /**
   * What becomes of the contexts that the user has made, in whichever account. `keep`, the default: they belong to
   * their accounts, and stay there. `delete`: they go, with their documents.
   */
  readonly contexts?: 'keep' | 'delete'
}

/**
 * Deletes a user, and erases what is known of them. The row stays without a name and an address, for contexts, documents
 * and the audit trail refer to its id. The address can be added again.
 */
export class DeleteUser {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #contexts: ContextRemoval

  constructor(storage: Storage, clock: Clock, contexts: ContextRemoval) {
    this.#storage = storage
    this.#clock = clock
    this.#contexts = contexts
  }

  /**
   * @throws NotFoundError for unknown users and those out of reach alike
   * @throws ForbiddenError within a limited reach, where the user has a right that the caller may not take
   * @throws LastManagerError within a limited reach, where nobody could manage a company afterwards
   * @throws InUseError for the owner of the installation
   */
  async execute(userId: number, reach: Reach, options: DeleteUserOptions = {}): Promise<void> {
    const id = parseId(userId, 'id')
    const { contexts } = validate(OPTIONS, options, 'options')
    await this.#storage.transaction(async (repositories) => {
      const now = this.#clock.now()
      const rights = await Rights.of(repositories, reach, now)
      await rights.endUser(id, async (user) => {
        await requireNotOwner(repositories, user)
        if (contexts === 'delete') await this.#contexts.removeMadeBy(repositories, id, rights.reach.by)
        await revokeKeys(repositories, id, rights.reach, now)
        await endLinks(repositories, { userId: id })
        await repositories.oneTimePasswords.removeOf({ userId: id })
        await repositories.permissions.eraseCreators({ userId: id })
        await repositories.users.erase({ userId: id }, now.toISOString())
        await recordChange(repositories, rights.reach.by, now, {
          action: 'user.deleted',
          companyId: user.companyId,
          targetId: id,
          details: { contexts },
        })
      })
    })
  }
}

/** @throws InUseError */
export async function requireNotOwner(repositories: Repositories, { id }: Pick<UserRecord, 'id'>): Promise<void> {
  if ((await readOwner(repositories))?.userId !== id) return
  throw new InUseError(
    `the user ${id} is the owner of this installation, for whom its host and the command line act: the owner stays`,
  )
}

async function revokeKeys(repositories: Repositories, userId: number, { by }: Reach, now: Date): Promise<void> {
  const keys = await repositories.apiKeys.list({ userId })
  for (const { id, companyId } of keys.filter(({ revoked }) => revoked === null)) {
    await recordChange(repositories, by, now, {
      action: 'api-key.revoked',
      companyId,
      targetId: id,
      details: { userId },
    })
  }
  await repositories.apiKeys.deleteOf({ userId })
}

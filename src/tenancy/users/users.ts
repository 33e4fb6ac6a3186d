import { recordChange } from '../../audit/index.js'
import { InUseError, InvalidInputError } from '../../kernel/errors.js'
import { RowList } from '../../kernel/lists.js'
import { choiceSchema, objectSchema, parseId, validate } from '../../kernel/validate.js'
import type { Clock, PermissionDetails, Repositories, Storage, UserRecord } from '../../ports/index.js'
import type { AccessRecorder } from '../access/access-recorder.js'
import type { TenantAccess } from '../access/authorizer.js'
import { ifUsable } from '../access/principal.js'
import { type Reach, requireCompany } from '../access/reach.js'
import { Rights } from '../access/rights.js'
import type { ContextRemoval } from '../context-removal.js'
import { readOwner } from '../initialize.js'
import { endLinks, type MailQueue } from '../mail/mail-queue.js'
import { otpMethodOf, otpMethods } from '../one-time-passwords/second-factor.js'
import { toListedUser, toUser, type User, type UserWithPermissions } from '../records.js'

/** Lists the users of a company, with their permissions on accounts that the caller reaches. */
export class ListUsers {
  readonly #storage: Storage
  readonly #recorder: AccessRecorder

  constructor(storage: Storage, recorder: AccessRecorder) {
    this.#storage = storage
    this.#recorder = recorder
  }

  /**
   * Reading it throws an InvalidInputError, or a ForbiddenError where the company is out of reach, or missing.
   *
   * @param authorize tells what the caller reaches now
   * @param companyId default: the caller's own
   */
  execute(authorize: () => Promise<TenantAccess>, companyId?: number): RowList<UserWithPermissions> {
    type Listing<T> = (repositories: Repositories, id: number, reach: Reach) => Promise<T>
    const read = async <T>(list: Listing<T>): Promise<T> => {
      const { principal, reach } = await authorize()
      const id = parseId(companyId ?? principal.companyId, 'cid')
      return await this.#storage.read(async (repositories) => {
        await requireCompany(repositories, reach, id)
        return await list(repositories, id, reach)
      })
    }
    return new RowList({
      read: async (page) => {
        await this.#recorder.flush()
        return await read(async (repositories, id, reach) => {
          return await join(repositories, reach, await repositories.users.list({ companyId: id }, page))
        })
      },
      ids: async (page) => await read(async ({ users }, id) => await users.listIds({ companyId: id }, page)),
    })
  }

  /** One user, as the list shows it. */
  async one({ reach }: TenantAccess, userId: number): Promise<UserWithPermissions | undefined> {
    return await this.#storage.read(async (repositories) => {
      const user = await repositories.users.get(userId)
      const users = user === undefined ? [] : [user]
      return (await join(repositories, reach, users))[0]
    })
  }
}

async function join(
  repositories: Repositories,
  reach: Reach,
  users: readonly UserRecord[],
): Promise<UserWithPermissions[]> {
  const userIds = users.map(({ id }) => id)
  const permissions = await repositories.permissions.listDetails(userIds)
  const otpMethod = await otpMethods(repositories, userIds)
  const reached = await reach.within(
    repositories,
    permissions.map(({ account }) => account.companyId),
  )
  const ofUser = new Map<number, PermissionDetails[]>(users.map(({ id }) => [id, []]))
  for (const permission of permissions) {
    if (reached.has(permission.account.companyId)) ofUser.get(permission.userId)?.push(permission)
  }
  return users.map((user) => toListedUser(user, otpMethod(user.id), ofUser.get(user.id) ?? []))
}

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
async function requireNotOwner(repositories: Repositories, { id }: Pick<UserRecord, 'id'>): Promise<void> {
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

import { recordChange, recordChanges } from '../../audit/index.js'
import { ForbiddenError, InvalidInputError, NotFoundError } from '../../kernel/errors.js'
import { pages } from '../../kernel/lists.js'
import type { AccountRecord, PermissionRecord, Repositories, RoleRecord, UserRecord } from '../../ports/index.js'
import type { Actor } from './authorizer.js'
import { requireManagers } from './last-manager.js'
import { covers, type Reach, requireKeysWithin } from './reach.js'

/** A permission to be made. */
interface NewRight {
  readonly userId: number
  readonly accountId: number
  readonly roleId: number
  readonly isDisabled?: boolean
  /** ISO 8601. */
  readonly created: string
}

/**
 * Every change of somebody's rights, and what it is judged by. No other module writes permissions, or takes a user's
 * rights away: a test reads the sources for it. A use case begins its transaction with {@link Rights.of}, and makes
 * its change by one of the methods here. A new kind of change becomes a method here.
 *
 * What a limited reach is held to:
 * - The caller's own rights are read again in the transaction of the change.
 * - The caller holds every capability of the role that a permission has, and of the role that it gets. What counts is
 *   the caller's role on the account of the application `tenant`.
 * - The permission's account is within reach, and a user who gets one too.
 * - Nobody changes a suspended permission of their own: neither enables nor replaces it.
 * - A company that somebody could manage is managed by somebody afterwards.
 *
 * The host's own reach is held to none of these.
 */
export class Rights {
  /** The caller's reach as of this transaction. */
  readonly reach: Reach
  readonly #repositories: Repositories
  readonly #now: Date

  private constructor(repositories: Repositories, reach: Reach, now: Date) {
    this.#repositories = repositories
    this.reach = reach
    this.#now = now
  }

  /**
   * @param repositories those of the transaction that makes the change
   * @param reach the caller's reach, as it was when the call was authorized
   * @throws UnauthenticatedError @throws ForbiddenError where the caller has lost it since
   */
  static async of(repositories: Repositories, reach: Reach, now: Date): Promise<Rights> {
    return new Rights(repositories, await reach.renewed(repositories), now)
  }

  /**
   * Gives a user a role on an account. Checks account, user, role and pair, in this order.
   *
   * @throws InvalidInputError where the role is unknown, disabled, another company's or not valid for the application
   * @throws ForbiddenError within a limited reach, where the account is missing or out of it, or the caller does not
   *   hold what the role allows
   * @throws NotFoundError where the user, or without a limit the account, does not exist
   * @throws AlreadyExistsError where the user has a permission on the account
   */
  async grant(right: NewRight, { id, email }: Actor): Promise<PermissionRecord> {
    const account = await this.#account(right.accountId)
    await this.user(right.userId)
    this.requireHeld(await this.#role(right.roleId, account))
    const permission = await this.#repositories.permissions.insert({
      isDisabled: false,
      ...right,
      createdBy: JSON.stringify({ id, email }),
      lastAccess: null,
    })
    const { userId, accountId, roleId, isDisabled: disabled } = permission
    await this.#record({
      action: 'permission.created',
      companyId: account.companyId,
      targetId: permission.id,
      details: { userId, accountId, roleId, disabled },
    })
    return permission
  }

  /**
   * Gives a permission another role.
   * @throws NotFoundError where the permission is missing or out of reach
   * @throws InvalidInputError as {@link grant} @throws ForbiddenError @throws LastManagerError
   */
  async changeRole(permissionId: number, roleId: number): Promise<PermissionRecord> {
    const { permission, account } = await this.#permission(permissionId)
    const role = await this.#role(roleId, account)
    await this.#requireChangeable(permission)
    this.requireHeld(role)
    await this.#requireManagersWithout([permission], role)
    await this.#repositories.permissions.setRole(permission.id, roleId)
    const { id, userId, accountId, roleId: oldRoleId } = permission
    await this.#record({
      action: 'permission.role-changed',
      companyId: account.companyId,
      targetId: id,
      details: { userId, accountId, oldRoleId, newRoleId: roleId },
    })
    return { ...permission, roleId }
  }

  /**
   * Suspends a permission, or ends its suspension. Two at once leave it as it was.
   * @throws NotFoundError where the permission is missing or out of reach @throws ForbiddenError @throws LastManagerError
   */
  async toggle(permissionId: number): Promise<PermissionRecord> {
    const { permission, account } = await this.#permission(permissionId)
    await this.#requireChangeable(permission)
    await this.#requireManagersWithout([permission])
    await this.#repositories.permissions.toggle(permission.id)
    const { id, isDisabled, ...of } = permission
    await this.#record({
      action: isDisabled ? 'permission.resumed' : 'permission.suspended',
      companyId: account.companyId,
      targetId: id,
      details: detailsOf(of),
    })
    return { ...permission, isDisabled: !permission.isDisabled }
  }

  /** Removes a permission. @throws NotFoundError @throws ForbiddenError @throws LastManagerError as {@link toggle} */
  async revoke(permissionId: number): Promise<PermissionRecord> {
    const { permission, account } = await this.#permission(permissionId)
    await this.#requireChangeable(permission)
    await this.#requireManagersWithout([permission])
    await this.#remove(permission, account)
    return permission
  }

  /**
   * Changes all rights of a user at once, as disabling, enabling or deleting the user does. Within a limited reach each
   * of the user's permissions, wherever it is, must be one that the caller may revoke.
   *
   * @param change makes the change, in the same transaction; it is not called where the change is refused
   * @throws NotFoundError where the user is missing or out of reach @throws ForbiddenError @throws LastManagerError
   */
  async changeUser<T>(userId: number, change: (user: UserRecord) => Promise<T>): Promise<T> {
    const { user, permissions } = await this.#changeableUser(userId)
    await this.#requireManagersWithout(permissions)
    return await change(user)
  }

  /**
   * A user to whom the way in is sent once more, which ends the earlier one: a user whom the caller may change.
   * @throws NotFoundError where the user is missing or out of reach @throws ForbiddenError
   */
  async userToInvite(userId: number): Promise<UserRecord> {
    return (await this.#changeableUser(userId)).user
  }

  /**
   * Takes all rights of a user for good, and then the user, as deleting the user does. Within a limited reach the
   * companies of the user's API keys are within it, too.
   * @param end deletes the user, in the same transaction; it is not called where that is refused
   * @throws as {@link changeUser}
   */
  async endUser(userId: number, end: (user: UserRecord) => Promise<void>): Promise<void> {
    await this.changeUser(userId, async (user) => {
      await requireKeysWithin(this.#repositories, this.reach, user)
      for (const permission of await this.#repositories.permissions.list({ userId: user.id })) {
        await this.#remove(permission, await this.#repositories.accounts.get(permission.accountId))
      }
      await end(user)
    })
  }

  /** Takes all rights on an account for good: the host's own to do. @throws NotFoundError @throws ForbiddenError */
  async endAccount(accountId: number): Promise<AccountRecord> {
    this.#requireHost()
    const account = await this.#account(accountId)
    for (const permission of await this.#repositories.permissions.list({ accountId: account.id })) {
      await this.#remove(permission, account)
    }
    return account
  }

  /**
   * Takes all rights on accounts of a company, and all rights of its users: the host's own to do. The entry of the
   * company's deletion stands for them, except for rights on accounts of other companies, which have entries there.
   * @throws ForbiddenError
   */
  async endCompany(companyId: number): Promise<void> {
    this.#requireHost()
    const { permissions } = this.#repositories
    for await (const abroad of pages(ROWS_AT_ONCE, async (page) => await permissions.listAbroad(companyId, page))) {
      await recordChanges(this.#repositories, this.reach.by, this.#now, abroad.map(revocationOf))
    }
    await this.#repositories.permissions.deleteOfCompany(companyId)
  }

  /** A user within reach. @throws NotFoundError for a missing one and one out of reach alike */
  async user(userId: number): Promise<UserRecord> {
    const user = await this.#repositories.users.get(userId)
    if (user !== undefined && (await covers(this.reach, this.#repositories, user.companyId))) return user
    throw new NotFoundError('user', userId)
  }

  /** @throws ForbiddenError where a role allows what the caller may not hand on */
  requireHeld({ id, capabilities }: RoleRecord): void {
    const lacking = capabilities.filter((capability) => !this.reach.mayGrant([capability]))
    if (lacking.length === 0) return
    throw new ForbiddenError(
      `the role ${id} has capabilities that you do not have (${lacking.join(', ')}): ${SOMEBODY_ELSE}`,
    )
  }

  /** @throws ForbiddenError alike for a missing account and one out of reach @throws NotFoundError without a limit */
  async #account(accountId: number): Promise<AccountRecord> {
    const account = await this.#repositories.accounts.get(accountId)
    if (account !== undefined && (await covers(this.reach, this.#repositories, account.companyId))) return account
    if (this.reach.isLimited) {
      throw new ForbiddenError(`the account ${accountId} does not belong to an accessible company`)
    }
    throw new NotFoundError('account', accountId)
  }

  async #permission(id: number): Promise<{ readonly permission: PermissionRecord; readonly account: AccountRecord }> {
    const permission = await this.#repositories.permissions.get(id)
    const account = permission && (await this.#repositories.accounts.get(permission.accountId))
    const isReached = account !== undefined && (await covers(this.reach, this.#repositories, account.companyId))
    if (permission === undefined || !isReached) throw new NotFoundError('permission', id)
    return { permission, account }
  }

  /** A user whose permissions, wherever they are, the caller may change. */
  async #changeableUser(userId: number): Promise<{ user: UserRecord; permissions: readonly PermissionRecord[] }> {
    const user = await this.user(userId)
    const permissions = await this.#repositories.permissions.list({ userId: user.id })
    for (const permission of permissions) {
      const account = await this.#repositories.accounts.get(permission.accountId)
      const isReached = account !== undefined && (await covers(this.reach, this.#repositories, account.companyId))
      if (!isReached && this.reach.isLimited) {
        throw new ForbiddenError(`the user ${user.id} has rights that you do not have: ${SOMEBODY_ELSE}`)
      }
      await this.#requireChangeable(permission)
    }
    return { user, permissions }
  }

  /** A role that an account may use. @throws InvalidInputError */
  async #role(roleId: number, { companyId, application }: AccountRecord): Promise<RoleRecord> {
    const role = await this.#repositories.roles.get(roleId)
    if (role === undefined || (role.companyId !== null && role.companyId !== companyId)) {
      throw new InvalidInputError(
        'appRoleId',
        `the role ${roleId} is neither one of the account's company nor system-wide`,
      )
    }
    if (role.isDisabled) throw new InvalidInputError('appRoleId', `the role ${roleId} is disabled`)
    if (role.applications.includes(application)) return role
    throw new InvalidInputError('appRoleId', `the role ${roleId} is not valid for the application ${application}`)
  }

  /** Whoever may change a permission holds what its role allows, and is not its suspended owner. */
  async #requireChangeable(permission: PermissionRecord): Promise<void> {
    if (!this.reach.isLimited) return
    const role = await this.#repositories.roles.get(permission.roleId)
    if (role === undefined) throw new ForbiddenError(`the role of the permission ${permission.id} does not exist`)
    this.requireHeld(role)
    if (!permission.isDisabled || permission.userId !== this.reach.userId) return
    throw new ForbiddenError(
      `the permission ${permission.id} is your own and suspended: somebody else must end its suspension`,
    )
  }

  async #remove(permission: PermissionRecord, account: AccountRecord | undefined): Promise<void> {
    await this.#repositories.permissions.delete(permission.id)
    await this.#record(revocationOf({ ...permission, companyId: account?.companyId ?? null }))
  }

  #requireHost(): void {
    if (this.reach.isLimited) throw new ForbiddenError('only the host may do this')
  }

  async #record(change: Parameters<typeof recordChange>[3]): Promise<void> {
    await recordChange(this.#repositories, this.reach.by, this.#now, change)
  }

  async #requireManagersWithout(permissions: readonly PermissionRecord[], newRole?: RoleRecord): Promise<void> {
    if (this.reach.isLimited) await requireManagers(this.#repositories, permissions, newRole, this.#now)
  }
}

type Granted = Pick<PermissionRecord, 'userId' | 'accountId' | 'roleId'>

function detailsOf({ userId, accountId, roleId }: Granted) {
  return { userId, accountId, roleId }
}

function revocationOf({ id, companyId, ...of }: Granted & { readonly id: number; readonly companyId: number | null }) {
  return { action: 'permission.revoked', companyId, targetId: id, details: detailsOf(of) } as const
}

const ROWS_AT_ONCE = 500
const SOMEBODY_ELSE = 'somebody who has them must do this'

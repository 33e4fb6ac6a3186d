import { recordChange, recordChanges } from '../../audit/index.js'
import { pages } from '../../kernel/lists.js'
import type { AccountRecord, PermissionRecord, Repositories, RoleRecord, UserRecord } from '../../ports/index.js'
import type { Actor } from './authorizer.js'
import { type Reach, requireKeysWithin } from './reach.js'
import { RightsCheck } from './rights-check.js'

/** A permission to be granted. */
interface NewRight {
  readonly userId: number
  readonly accountId: number
  readonly roleId: number
  readonly isDisabled?: boolean
  /** ISO 8601. */
  readonly created: string
}

/**
 * All changes of users' rights, with the rules for them. No other module writes permissions; a test reads the sources
 * to check that. A use case starts its transaction with {@link Rights.of} and calls one of the methods here. A new kind
 * of change becomes a method here.
 *
 * Rules for a limited reach:
 * - The transaction of the change reads the caller's own rights a second time.
 * - The caller has every capability of the permission's role, and of its new role. The caller's role on the account of
 *   the application `tenant` counts.
 * - The permission's account is within reach, and so is a user who gets a permission.
 * - Users cannot resume or replace a suspended permission of their own.
 * - A company that had a manager still has one after the change.
 *
 * The host's own reach has no rules.
 */
export class Rights {
  /** The caller's reach, read in this transaction. */
  readonly reach: Reach
  readonly #check: RightsCheck

  private constructor(
    private readonly repositories: Repositories,
    reach: Reach,
    private readonly now: Date,
  ) {
    this.reach = reach
    this.#check = new RightsCheck(repositories, reach, now)
  }

  /**
   * @param repositories the repositories of the transaction that makes the change
   * @param reach the caller's reach at the time of the authorization
   * @throws UnauthenticatedError @throws ForbiddenError if the caller has lost the reach since
   */
  static async of(repositories: Repositories, reach: Reach, now: Date): Promise<Rights> {
    return new Rights(repositories, await reach.renew(repositories), now)
  }

  /**
   * Gives a user a role on an account. Checks account, user, role and pair, in this order.
   *
   * @throws InvalidInputError if the role is unknown, disabled, another company's or not valid for the application
   * @throws ForbiddenError within a limited reach, if the account is missing or out of reach, or the caller lacks a
   *   capability of the role
   * @throws NotFoundError if the user does not exist; without a limit, also if the account does not exist
   * @throws AlreadyExistsError if the user has a permission on the account
   */
  async grant(right: NewRight, { id, email }: Actor): Promise<PermissionRecord> {
    const account = await this.#check.requireAccount(right.accountId)
    await this.#check.requireUser(right.userId)
    this.#check.requireHeld(await this.#check.requireRole(right.roleId, account))
    const permission = await this.repositories.permissions.insert({
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
   * @throws NotFoundError if the permission is missing or out of reach
   * @throws InvalidInputError as {@link grant} @throws ForbiddenError @throws LastManagerError
   */
  async changeRole(permissionId: number, roleId: number): Promise<PermissionRecord> {
    const { permission, account } = await this.#check.requirePermission(permissionId)
    const role = await this.#check.requireRole(roleId, account)
    await this.#check.requireChangeable(permission)
    this.#check.requireHeld(role)
    await this.#check.requireManagersWithout([permission], role)
    await this.repositories.permissions.setRole(permission.id, roleId)
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
   * Suspends a permission, or resumes it. Two calls at the same time leave it as it was.
   * @throws NotFoundError if the permission is missing or out of reach @throws ForbiddenError @throws LastManagerError
   */
  async toggle(permissionId: number): Promise<PermissionRecord> {
    const { permission, account } = await this.#check.requirePermission(permissionId)
    await this.#check.requireChangeable(permission)
    await this.#check.requireManagersWithout([permission])
    await this.repositories.permissions.toggle(permission.id)
    const { id, isDisabled } = permission
    await this.#record({
      action: isDisabled ? 'permission.resumed' : 'permission.suspended',
      companyId: account.companyId,
      targetId: id,
      details: detailsOf(permission),
    })
    return { ...permission, isDisabled: !isDisabled }
  }

  /** Removes a permission. @throws NotFoundError @throws ForbiddenError @throws LastManagerError as {@link toggle} */
  async revoke(permissionId: number): Promise<PermissionRecord> {
    const { permission, account } = await this.#check.requirePermission(permissionId)
    await this.#check.requireChangeable(permission)
    await this.#check.requireManagersWithout([permission])
    await this.#delete(permission, account)
    return permission
  }

  /**
   * Changes a user in a way that affects all their rights: disabling, enabling, deleting. Within a limited reach, the
   * caller must be able to revoke each permission of the user, on every account.
   *
   * @param change makes the change, in the same transaction; it is not called if the change is refused
   * @throws NotFoundError if the user is missing or out of reach @throws ForbiddenError @throws LastManagerError
   */
  async changeUser<T>(userId: number, change: (user: UserRecord) => Promise<T>): Promise<T> {
    const { user, permissions } = await this.#check.requireChangeableUser(userId)
    await this.#check.requireManagersWithout(permissions)
    return await change(user)
  }

  /**
   * A user whom the caller may invite a second time. The new invitation invalidates the earlier one, so the caller
   * must be able to revoke each permission of the user.
   * @throws NotFoundError if the user is missing or out of reach @throws ForbiddenError
   */
  async userToInvite(userId: number): Promise<UserRecord> {
    return (await this.#check.requireChangeableUser(userId)).user
  }

  /**
   * A user for whom the caller may make an API key. The key acts with the rights of its user, so the caller must be able
   * to revoke each permission of the user. The caller's own user may have permissions out of reach, where the key gives
   * no access. But no key gives its maker more than the maker's role, as a scope narrows it.
   *
   * @param targets the applications of the key
   * @throws NotFoundError if the user is missing or out of reach @throws ForbiddenError
   */
  async userToActFor(userId: number, targets: readonly string[]): Promise<UserRecord> {
    const { accounts, permissions, users } = this.repositories
    const own = userId === this.reach.userId ? await users.get(userId) : undefined
    if (own === undefined) return (await this.#check.requireChangeableUser(userId)).user
    for (const permission of await permissions.list({ userId })) {
      const account = await accounts.get(permission.accountId)
      if (account !== undefined && targets.includes(account.application)) await this.#check.requireRoleHeld(permission)
    }
    return own
  }

  /**
   * Revokes all permissions of a user, and then deletes the user. Within a limited reach, the companies of the user's
   * API keys must be within it too.
   * @param deleteRow deletes the user, in the same transaction; it is not called if the deletion is refused
   * @throws as {@link changeUser}
   */
  async deleteUser(userId: number, deleteRow: (user: UserRecord) => Promise<void>): Promise<void> {
    await this.changeUser(userId, async (user) => {
      await requireKeysWithin(this.repositories, this.reach, user)
      for (const permission of await this.repositories.permissions.list({ userId: user.id })) {
        await this.#delete(permission, await this.repositories.accounts.get(permission.accountId))
      }
      await deleteRow(user)
    })
  }

  /** Revokes all permissions on an account. Only the host may do this. @throws NotFoundError @throws ForbiddenError */
  async revokeAllOnAccount(accountId: number): Promise<AccountRecord> {
    this.#check.requireHost()
    const account = await this.#check.requireAccount(accountId)
    for (const permission of await this.repositories.permissions.list({ accountId: account.id })) {
      await this.#delete(permission, account)
    }
    return account
  }

  /**
   * Revokes all permissions on accounts of a company, and all permissions of its users. Only the host may do this.
   * Permissions on accounts of other companies get entries in those companies' audit trails. The others get no entries
   * of their own, because the entry of the company's deletion covers them.
   * @throws ForbiddenError
   */
  async revokeAllOfCompany(companyId: number): Promise<void> {
    this.#check.requireHost()
    const { permissions } = this.repositories
    for await (const abroad of pages(ROWS_PER_PAGE, async (page) => await permissions.listAbroad(companyId, page))) {
      await recordChanges(this.repositories, this.reach.by, this.now, abroad.map(revocationOf))
    }
    await this.repositories.permissions.deleteOfCompany(companyId)
  }

  /** @throws ForbiddenError if a role has capabilities that the caller may not grant */
  requireHeld(role: RoleRecord): void {
    this.#check.requireHeld(role)
  }

  async #delete(permission: PermissionRecord, account: AccountRecord | undefined): Promise<void> {
    await this.repositories.permissions.delete(permission.id)
    await this.#record(revocationOf({ ...permission, companyId: account?.companyId ?? null }))
  }

  async #record(change: Parameters<typeof recordChange>[3]): Promise<void> {
    await recordChange(this.repositories, this.reach.by, this.now, change)
  }
}

type PermissionIds = Pick<PermissionRecord, 'userId' | 'accountId' | 'roleId'>

function detailsOf({ userId, accountId, roleId }: PermissionIds) {
  return { userId, accountId, roleId }
}

function revocationOf(permission: PermissionIds & { readonly id: number; readonly companyId: number | null }) {
  const { id, companyId } = permission
  return { action: 'permission.revoked', companyId, targetId: id, details: detailsOf(permission) } as const
}

const ROWS_PER_PAGE = 500

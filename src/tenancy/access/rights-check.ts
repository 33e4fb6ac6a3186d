import { errorReason, ForbiddenError, InvalidInputError, NotFoundError } from '../../kernel/errors.js'
import type { AccountRecord, PermissionRecord, Repositories, RoleRecord, UserRecord } from '../../ports/index.js'
import { requireManagers } from './last-manager.js'
import { covers, type Reach } from './reach.js'

const NEEDS_ANOTHER_USER = 'a user who has them must do this'

/** The rules for a change of rights within the caller's reach: see `Rights`. A method throws an error if it refuses the change. */
export class RightsCheck {
  constructor(
    private readonly repositories: Repositories,
    private readonly reach: Reach,
    private readonly now: Date,
  ) {}

  /** @throws ForbiddenError if a role has capabilities that the caller may not grant */
  requireHeld({ id, capabilities }: RoleRecord): void {
    const lacking = capabilities.filter((capability) => !this.reach.mayGrant([capability]))
    if (lacking.length === 0) return
    throw new ForbiddenError(
      `the role ${id} has capabilities that you do not have (${lacking.join(', ')}): ${NEEDS_ANOTHER_USER}`,
      errorReason('role-with-more-rights', { role: id, capabilities: lacking.join(', ') }),
    )
  }

  /** @throws NotFoundError if the user is missing or out of reach */
  async requireUser(userId: number): Promise<UserRecord> {
    const user = await this.repositories.users.get(userId)
    if (user !== undefined && (await covers(this.reach, this.repositories, user.companyId))) return user
    throw new NotFoundError('user', userId)
  }

  /**
   * @throws ForbiddenError within a limited reach, if the account is missing or out of reach
   * @throws NotFoundError without a limit, if the account is missing
   */
  async requireAccount(accountId: number): Promise<AccountRecord> {
    const account = await this.repositories.accounts.get(accountId)
    if (account !== undefined && (await covers(this.reach, this.repositories, account.companyId))) return account
    if (this.reach.isLimited) {
      throw new ForbiddenError(
        `the account ${accountId} does not belong to an accessible company`,
        errorReason('account-not-accessible', { account: accountId }),
      )
    }
    throw new NotFoundError('account', accountId)
  }

  /** @throws NotFoundError if the permission is missing, or its account is out of reach */
  async requirePermission(
    id: number,
  ): Promise<{ readonly permission: PermissionRecord; readonly account: AccountRecord }> {
    const permission = await this.repositories.permissions.get(id)
    const account = permission && (await this.repositories.accounts.get(permission.accountId))
    const isReached = account !== undefined && (await covers(this.reach, this.repositories, account.companyId))
    if (permission === undefined || !isReached) throw new NotFoundError('permission', id)
    return { permission, account }
  }

  /**
   * Finds a user whose permissions, on every account, the caller may change.
   * @throws NotFoundError @throws ForbiddenError
   */
  async requireChangeableUser(
    userId: number,
  ): Promise<{ readonly user: UserRecord; readonly permissions: readonly PermissionRecord[] }> {
    const user = await this.requireUser(userId)
    const permissions = await this.repositories.permissions.list({ userId: user.id })
    for (const permission of permissions) {
      const account = await this.repositories.accounts.get(permission.accountId)
      const isReached = account !== undefined && (await covers(this.reach, this.repositories, account.companyId))
      if (!isReached && this.reach.isLimited) {
        throw new ForbiddenError(
          `the user ${user.id} has rights that you do not have: ${NEEDS_ANOTHER_USER}`,
          errorReason('user-with-more-rights', { user: user.id }),
        )
      }
      await this.requireChangeable(permission)
    }
    return { user, permissions }
  }

  /** @throws InvalidInputError if the account may not use the role */
  async requireRole(roleId: number, account: AccountRecord): Promise<RoleRecord> {
    return await requireUsableRole(this.repositories, roleId, account, 'appRoleId')
  }

  /**
   * @throws ForbiddenError if the caller lacks a capability of the permission's role, or the permission is the caller's
   *   own and suspended
   */
  async requireChangeable(permission: PermissionRecord): Promise<void> {
    if (!this.reach.isLimited) return
    await this.requireRoleHeld(permission)
    if (!permission.isDisabled || permission.userId !== this.reach.userId) return
    throw new ForbiddenError(
      `the permission ${permission.id} is your own and suspended: another user must resume it`,
      errorReason('own-permission-suspended', { permission: permission.id }),
    )
  }

  /** @throws ForbiddenError */
  async requireRoleHeld({ id, roleId }: PermissionRecord): Promise<void> {
    const role = await this.repositories.roles.get(roleId)
    if (role === undefined) {
      throw new ForbiddenError(
        `the role of the permission ${id} does not exist`,
        errorReason('role-of-permission-missing', { permission: id }),
      )
    }
    this.requireHeld(role)
  }

  /** @throws ForbiddenError within a limited reach */
  requireHost(): void {
    if (this.reach.isLimited) throw new ForbiddenError('only the host may do this', errorReason('host-only'))
  }

  /**
   * @param newRole the role that the permissions get; they are lost without it
   * @throws LastManagerError within a limited reach, if a company would have no manager without these permissions
   */
  async requireManagersWithout(permissions: readonly PermissionRecord[], newRole?: RoleRecord): Promise<void> {
    if (this.reach.isLimited) await requireManagers(this.repositories, permissions, newRole, this.now)
  }
}

/** A role that an account may use. @throws InvalidInputError with the caller's name of the field */
export async function requireUsableRole(
  { roles }: Repositories,
  roleId: number,
  { companyId, application }: AccountRecord,
  field: string,
): Promise<RoleRecord> {
  const role = await roles.get(roleId)
  if (role === undefined || (role.companyId !== null && role.companyId !== companyId)) {
    throw new InvalidInputError(field, `the role ${roleId} is neither one of the account's company nor system-wide`)
  }
  if (role.isDisabled) throw new InvalidInputError(field, `the role ${roleId} is disabled`)
  if (role.applications.includes(application)) return role
  throw new InvalidInputError(field, `the role ${roleId} is not valid for the application ${application}`)
}

import { z } from 'zod'
import type { AccountRecord, Clock, Repositories, RoleRecord, Storage } from '../../ports/index.js'
import { ForbiddenError, InvalidInputError, NotFoundError } from '../../shared/errors.js'
import { idSchema, objectSchema, validate } from '../../shared/validate.js'
import type { Actor } from '../access/authorizer.js'
import { covers, type Reach, UNLIMITED } from '../access/reach.js'
import { type Permission, toPermission } from '../records.js'
import { insertPermission } from './insert-permission.js'

/** What creates a permission (`POST /permission`). */
export const newPermissionSchema: z.ZodType<NewPermission & { readonly disabled: boolean }> = objectSchema({
  userIdentityId: idSchema(),
  appAccountId: idSchema(),
  appRoleId: idSchema(),
  disabled: z.boolean({ error: 'must be true or false' }).default(false),
})

export interface NewPermission {
  readonly userIdentityId: number
  readonly appAccountId: number
  readonly appRoleId: number
  /** Default false. */
  readonly disabled?: boolean
}

/** Gives a user a role on an application account. */
export class GrantPermission {
  readonly #storage: Storage
  readonly #clock: Clock

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  /**
   * Checks in this order: input, account, user, role, pair (decision 22).
   *
   * @throws InvalidInputError where the role is unknown, another company's or not valid for the application
   * @throws ForbiddenError within a limited reach, where the account is missing or out of it, or the role
   *   allows more than the caller may hand on
   * @throws NotFoundError where the user, or without a limit the account, does not exist
   * @throws AlreadyExistsError where the user has a permission on the account
   */
  async execute(input: NewPermission, actor: Actor, reach: Reach = UNLIMITED): Promise<Permission> {
    const { userIdentityId, appAccountId, appRoleId, disabled } = validate(newPermissionSchema, input)
    return await this.#storage.transaction(async (repositories) => {
      const account = await requireAccount(repositories, reach, appAccountId)
      const user = await repositories.users.get(userIdentityId)
      if (user === undefined || !(await covers(reach, repositories, user.companyId)))
        throw new NotFoundError('user', userIdentityId)
      requireRole(await repositories.roles.get(appRoleId), appRoleId, account, reach)
      const created = this.#clock.now().toISOString()
      const granted = {
        userId: userIdentityId,
        accountId: appAccountId,
        roleId: appRoleId,
        isDisabled: disabled,
        created,
      }
      return toPermission(await insertPermission(repositories, granted, actor))
    })
  }
}

/** @throws ForbiddenError @throws NotFoundError */
async function requireAccount(repositories: Repositories, reach: Reach, accountId: number): Promise<AccountRecord> {
  const account = await repositories.accounts.get(accountId)
  if (account !== undefined && (await covers(reach, repositories, account.companyId))) return account
  if (reach.isLimited) throw new ForbiddenError(`the account ${accountId} does not belong to an accessible company`)
  throw new NotFoundError('account', accountId)
}

/** Rule 5 of the specification's Authentication section, and decision 23. */
export function requireRole(role: RoleRecord | undefined, roleId: number, account: AccountRecord, reach: Reach): void {
  const fail = (problem: string): never => {
    throw new InvalidInputError('appRoleId', problem)
  }
  if (role === undefined || (role.companyId !== null && role.companyId !== account.companyId)) {
    return fail(`the role ${roleId} is neither one of the account's company nor system-wide`)
  }
  if (!role.applications.includes(account.application)) {
    return fail(`the role ${roleId} is not valid for the application ${account.application}`)
  }
  if (!reach.mayGrant(role.capabilities)) {
    throw new ForbiddenError(`the role ${roleId} has capabilities that you do not have`)
  }
}

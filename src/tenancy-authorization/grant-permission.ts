import { z } from 'zod'
import type { AccountRecord, Clock, RoleRecord, Storage } from '../ports/index.js'
import { InvalidInputError, NotFoundError } from '../shared/errors.js'
import { idSchema, objectSchema, validate } from '../shared/validate.js'
import type { Actor } from './add-user.js'
import { type Permission, toPermission } from './records.js'

const SCHEMA = objectSchema({
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
   * @throws InvalidInputError where the role is another company's or not valid for the application
   * @throws NotFoundError where the account, the user or the role does not exist
   * @throws AlreadyExistsError where the user has a permission on the account
   */
  async execute(input: NewPermission, actor: Actor): Promise<Permission> {
    const { userIdentityId, appAccountId, appRoleId, disabled } = validate(SCHEMA, input)
    return await this.#storage.transaction(async ({ accounts, users, roles, permissions }) => {
      const account = await accounts.get(appAccountId)
      if (account === undefined) throw new NotFoundError('account', appAccountId)
      if ((await users.get(userIdentityId)) === undefined) throw new NotFoundError('user', userIdentityId)
      const role = await roles.get(appRoleId)
      if (role === undefined) throw new NotFoundError('role', appRoleId)
      checkRole(role, account)
      const permission = await permissions.insert({
        userId: userIdentityId,
        accountId: appAccountId,
        roleId: appRoleId,
        isDisabled: disabled,
        created: this.#clock.now().toISOString(),
        createdBy: JSON.stringify(actor),
        lastAccess: null,
      })
      return toPermission(permission)
    })
  }
}

/** Rule 5 of the specification's Authentication section. */
function checkRole(role: RoleRecord, account: AccountRecord): void {
  if (role.companyId !== null && role.companyId !== account.companyId) {
    throw new InvalidInputError('appRoleId', `the role ${role.id} belongs to another company than the account`)
  }
  if (!role.applications.includes(account.application)) {
    throw new InvalidInputError(
      'appRoleId',
      `the role ${role.id} is not valid for the application ${account.application}`,
    )
  }
}

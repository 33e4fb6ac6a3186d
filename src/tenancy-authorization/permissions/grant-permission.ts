import { z } from 'zod'
import type { Clock, Storage } from '../../ports/index.js'
import { idSchema, objectSchema, validate } from '../../shared/validate.js'
import type { Actor } from '../access/authorizer.js'
import { type Reach, UNLIMITED } from '../access/reach.js'
import { Rights } from '../access/rights.js'
import { type Permission, toPermission } from '../records.js'

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
   * Checks in this order: input, account, user, role, what the caller holds of the role, pair.
   *
   * @throws InvalidInputError @throws ForbiddenError @throws NotFoundError @throws AlreadyExistsError as
   *   {@link Rights.grant} says
   */
  async execute(input: NewPermission, actor: Actor, reach: Reach = UNLIMITED): Promise<Permission> {
    const { userIdentityId, appAccountId, appRoleId, disabled } = validate(newPermissionSchema, input)
    const now = this.#clock.now()
    return await this.#storage.transaction(async (repositories) => {
      const rights = await Rights.of(repositories, reach, now)
      const granted = {
        userId: userIdentityId,
        accountId: appAccountId,
        roleId: appRoleId,
        isDisabled: disabled,
        created: now.toISOString(),
      }
      return toPermission(await rights.grant(granted, actor))
    })
  }
}

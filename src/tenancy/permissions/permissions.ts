import { z } from 'zod'
import { idSchema, objectSchema, parseId, validate } from '../../kernel/validate.js'
import type { Clock, PermissionRecord, Storage } from '../../ports/index.js'
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

/** What changes a permission's role (`PUT /permission`). */
export const permissionChangeSchema: z.ZodType<PermissionChange> = objectSchema({
  id: idSchema(),
  appRoleId: idSchema(),
})

export interface PermissionChange {
  readonly id: number
  readonly appRoleId: number
}

/**
 * Changes, toggles and deletes permissions. Unknown ones, and those on accounts out of reach, are missing alike.
 * Each throws what {@link Rights} says.
 */
export class ManagePermissions {
  readonly #storage: Storage
  readonly #clock: Clock

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  /** @throws InvalidInputError @throws NotFoundError @throws ForbiddenError @throws LastManagerError */
  async changeRole(input: PermissionChange, reach: Reach): Promise<Permission> {
    const { id, appRoleId } = validate(permissionChangeSchema, input)
    return await this.#change(reach, async (rights) => await rights.changeRole(id, appRoleId))
  }

  /** Flips `disabled`. Two at once leave it as it was. @throws NotFoundError @throws ForbiddenError @throws LastManagerError */
  async toggle(permissionId: number, reach: Reach): Promise<Permission> {
    const id = parseId(permissionId, 'permId')
    return await this.#change(reach, async (rights) => await rights.toggle(id))
  }

  /** @returns the permission as it was @throws NotFoundError @throws ForbiddenError @throws LastManagerError */
  async delete(permissionId: number, reach: Reach): Promise<Permission> {
    const id = parseId(permissionId, 'permId')
    return await this.#change(reach, async (rights) => await rights.revoke(id))
  }

  async #change(reach: Reach, change: (rights: Rights) => Promise<PermissionRecord>): Promise<Permission> {
    return await this.#storage.transaction(async (repositories) => {
      return toPermission(await change(await Rights.of(repositories, reach, this.#clock.now())))
    })
  }
}

import { z } from 'zod'
import { idSchema, objectSchema, parseId, validate } from '../../kernel/validate.js'
import type { Clock, PermissionRecord, Storage } from '../../ports/index.js'
import type { Actor } from '../access/authorizer.js'
import type { Reach } from '../access/reach.js'
import { Rights } from '../access/rights.js'
import { type Permission, toPermission } from '../records.js'

/** Body of `POST /permission`. */
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

/** Body of `PUT /permission`. */
export const permissionChangeSchema: z.ZodType<PermissionChange> = objectSchema({
  id: idSchema(),
  appRoleId: idSchema(),
})

export interface PermissionChange {
  readonly id: number
  readonly appRoleId: number
}

/**
 * Permissions of users on application accounts. Missing permissions, and those on accounts out of reach, get the same
 * answer. Each method also throws the errors of the {@link Rights} method that it calls.
 */
export class Permissions {
  readonly #storage: Storage
  readonly #clock: Clock

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  /** All permissions, ordered by id: for the host. */
  async list(): Promise<Permission[]> {
    return (await this.#storage.read(({ permissions }) => permissions.list())).map(toPermission)
  }

  /**
   * Gives a user a role on an application account. Checks in this order: input, account, user, role, the caller's own
   * capabilities, pair.
   *
   * @throws InvalidInputError @throws ForbiddenError @throws NotFoundError @throws AlreadyExistsError as
   *   {@link Rights.grant}
   */
  async grant(input: NewPermission, actor: Actor, reach: Reach): Promise<Permission> {
    const { userIdentityId, appAccountId, appRoleId, disabled } = validate(newPermissionSchema, input)
    return await this.#change(reach, async (rights, now) => {
      const granted = {
        userId: userIdentityId,
        accountId: appAccountId,
        roleId: appRoleId,
        isDisabled: disabled,
        created: now.toISOString(),
      }
      return await rights.grant(granted, actor)
    })
  }

  /** @throws InvalidInputError @throws NotFoundError @throws ForbiddenError @throws LastManagerError */
  async changeRole(input: PermissionChange, reach: Reach): Promise<Permission> {
    const { id, appRoleId } = validate(permissionChangeSchema, input)
    return await this.#change(reach, async (rights) => await rights.changeRole(id, appRoleId))
  }

  /**
   * Flips `disabled`. Two calls at the same time leave it as it was.
   * @throws NotFoundError @throws ForbiddenError @throws LastManagerError
   */
  async toggle(permissionId: number, reach: Reach): Promise<Permission> {
    const id = parseId(permissionId, 'permId')
    return await this.#change(reach, async (rights) => await rights.toggle(id))
  }

  /** @returns the removed permission @throws NotFoundError @throws ForbiddenError @throws LastManagerError */
  async revoke(permissionId: number, reach: Reach): Promise<Permission> {
    const id = parseId(permissionId, 'permId')
    return await this.#change(reach, async (rights) => await rights.revoke(id))
  }

  async #change(reach: Reach, change: (rights: Rights, now: Date) => Promise<PermissionRecord>): Promise<Permission> {
    return await this.#storage.transaction(async (repositories) => {
      const now = this.#clock.now()
      return toPermission(await change(await Rights.of(repositories, reach, now), now))
    })
  }
}

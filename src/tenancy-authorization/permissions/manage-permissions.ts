import type { z } from 'zod'
import type { Clock, PermissionRecord, Storage } from '../../ports/index.js'
import { idSchema, objectSchema, parseId, validate } from '../../shared/validate.js'
import type { Reach } from '../access/reach.js'
import { Rights } from '../access/rights.js'
import { type Permission, toPermission } from '../records.js'

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

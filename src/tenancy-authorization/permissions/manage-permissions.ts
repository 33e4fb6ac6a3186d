import type { z } from 'zod'
import type { AccountRecord, PermissionRecord, Repositories, Storage } from '../../ports/index.js'
import { NotFoundError } from '../../shared/errors.js'
import { idSchema, objectSchema, parseId, validate } from '../../shared/validate.js'
import { covers, type Reach } from '../access/reach.js'
import { type Permission, toPermission } from '../records.js'
import { requireRole } from './grant-permission.js'

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
 * Changes, toggles and deletes permissions. Unknown ones, and those on accounts out of reach, are
 * missing alike.
 */
export class ManagePermissions {
  readonly #storage: Storage

  constructor(storage: Storage) {
    this.#storage = storage
  }

  /** @throws InvalidInputError @throws NotFoundError @throws ForbiddenError as for granting */
  async changeRole(input: PermissionChange, reach: Reach): Promise<Permission> {
    const { id, appRoleId } = validate(permissionChangeSchema, input)
    return await this.#change(id, reach, async (repositories, account) => {
      requireRole(await repositories.roles.get(appRoleId), appRoleId, account, reach)
      await repositories.permissions.setRole(id, appRoleId)
    })
  }

  /** Flips `disabled`. Two at once leave it as it was. */
  async toggle(permissionId: number, reach: Reach): Promise<Permission> {
    const id = parseId(permissionId, 'permId')
    return await this.#change(id, reach, async ({ permissions }) => {
      await permissions.toggle(id)
    })
  }

  async delete(permissionId: number, reach: Reach): Promise<Permission> {
    const id = parseId(permissionId, 'permId')
    return await this.#change(id, reach, async ({ permissions }) => {
      await permissions.delete(id)
    })
  }

  /** @returns the permission after the change; before it, where it is gone */
  async #change(
    id: number,
    reach: Reach,
    change: (repositories: Repositories, account: AccountRecord) => Promise<void>,
  ): Promise<Permission> {
    return await this.#storage.transaction(async (repositories) => {
      const { permission, account } = await findPermission(repositories, reach, id)
      await change(repositories, account)
      return toPermission((await repositories.permissions.get(id)) ?? permission)
    })
  }
}

async function findPermission(
  repositories: Repositories,
  reach: Reach,
  id: number,
): Promise<{ readonly permission: PermissionRecord; readonly account: AccountRecord }> {
  const permission = await repositories.permissions.get(id)
  const account = permission && (await repositories.accounts.get(permission.accountId))
  if (permission === undefined || account === undefined || !(await covers(reach, repositories, account.companyId))) {
    throw new NotFoundError('permission', id)
  }
  return { permission, account }
}

import { recordChange } from '../../audit/index.js'
import type { Clock, Repositories, RoleRecord, Storage } from '../../ports/index.js'
import { InUseError, NotFoundError } from '../../shared/errors.js'
import { parseId } from '../../shared/validate.js'
import type { Reach } from '../access/reach.js'
import { type Role, toRole } from '../records.js'
import { isSystemRole } from './system-roles.js'

/** Disables, enables and deletes roles: the host's own to do. The roles that every installation has stay as they are. */
export class ManageRoles {
  readonly #storage: Storage
  readonly #clock: Clock

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  /**
   * A disabled role gives nothing to those who have it, at once, and cannot be granted. Doing it twice changes nothing.
   * @throws NotFoundError @throws InUseError for a role that every installation has
   */
  async setDisabled(roleId: number, isDisabled: boolean, { by }: Pick<Reach, 'by'>): Promise<Role> {
    return await this.#change(roleId, async (repositories, role) => {
      await repositories.roles.setDisabled(role.id, isDisabled)
      await recordChange(repositories, by, this.#clock.now(), {
        action: isDisabled ? 'role.disabled' : 'role.enabled',
        companyId: role.companyId,
        targetId: role.id,
        details: {},
      })
      return toRole({ ...role, isDisabled })
    })
  }

  /** @throws NotFoundError @throws InUseError for a role that a permission has, and one that every installation has */
  async delete(roleId: number, { by }: Pick<Reach, 'by'>): Promise<void> {
    await this.#change(roleId, async (repositories, { id, companyId }) => {
      const { length } = await repositories.permissions.list({ roleId: id })
      if (length > 0) {
        const having = length === 1 ? '1 permission has' : `${length} permissions have`
        throw new InUseError(`${having} the role ${id}: first give them another role, or revoke them`)
      }
      await repositories.roles.delete(id)
      await recordChange(repositories, by, this.#clock.now(), {
        action: 'role.deleted',
        companyId,
        targetId: id,
        details: {},
      })
    })
  }

  async #change<T>(roleId: number, change: (repositories: Repositories, role: RoleRecord) => Promise<T>): Promise<T> {
    const id = parseId(roleId, 'id')
    return await this.#storage.transaction(async (repositories) => {
      const role = await repositories.roles.get(id)
      if (role === undefined) throw new NotFoundError('role', id)
      if (await isSystemRole(repositories, role)) {
        throw new InUseError(`the role ${id}, ${role.name}, is one that the engine itself grants: it stays as it is`)
      }
      return await change(repositories, role)
    })
  }
}

import { recordChange } from '../../audit/index.js'
import { InUseError, InvalidInputError, NotFoundError } from '../../kernel/errors.js'
import {
  choiceSchema,
  idSchema,
  listSchema,
  objectSchema,
  parseId,
  textSchema,
  validate,
} from '../../kernel/validate.js'
import type { Clock, Repositories, RoleRecord, Storage, UserRecord } from '../../ports/index.js'
import { CAPABILITIES } from '../access/principal.js'
import { type Reach, UNLIMITED } from '../access/reach.js'
import { Rights } from '../access/rights.js'
import { APPLICATION_KEYS, type Role, toRole } from '../records.js'

type SystemRole = Omit<RoleRecord, 'id' | 'companyId' | 'isDisabled'>

/** Every capability. */
const ADMINISTRATOR: SystemRole = {
  name: 'Administrator',
  applications: APPLICATION_KEYS,
  capabilities: CAPABILITIES,
}

/** Works with contexts and their documents. */
export const MEMBER: SystemRole = {
  name: 'Member',
  applications: APPLICATION_KEYS,
  capabilities: ['context:read', 'context:write', 'document:write', 'search'],
}

/** Reads contexts and searches them. */
const READER: SystemRole = {
  name: 'Reader',
  applications: ['assistant'],
  capabilities: ['context:read', 'search'],
}

/** The system-wide roles that every installation has. */
export const SYSTEM_ROLES: readonly SystemRole[] = [ADMINISTRATOR, MEMBER, READER]

/** Finds a system-wide role; made now where an installation lost it. */
export async function ensureSystemRole({ roles }: Repositories, role: SystemRole): Promise<RoleRecord> {
  const known = (await roles.list()).find((one) => isNamedAs(one, role))
  return known ?? (await roles.insert({ companyId: null, ...role }))
}

/** Whether a role is one that {@link ensureSystemRole} finds. */
async function isSystemRole({ roles }: Repositories, { id }: Pick<RoleRecord, 'id'>): Promise<boolean> {
  const all = await roles.list()
  return SYSTEM_ROLES.some((system) => id === all.find((role) => isNamedAs(role, system))?.id)
}

function isNamedAs({ companyId, name }: RoleRecord, system: SystemRole): boolean {
  return companyId === null && name === system.name
}

const SCHEMA = objectSchema({
  name: textSchema({ min: 1, max: 255, isLine: true }),
  applications: listSchema(choiceSchema(APPLICATION_KEYS), APPLICATION_KEYS.length),
  capabilities: listSchema(choiceSchema(CAPABILITIES), CAPABILITIES.length),
  companyId: idSchema().optional(),
})

export interface NewRole {
  readonly name: string
  /** Keys of the applications it is valid for; at least one. */
  readonly applications: readonly string[]
  /** At least one. */
  readonly capabilities: readonly string[]
  /** Omitted, the role is system-wide. */
  readonly companyId?: number
}

/** Makes a role of a company, or a system-wide one. */
export class CreateRole {
  readonly #storage: Storage
  readonly #clock: Clock

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  /**
   * @throws InvalidInputError
   * @throws NotFoundError where there is no such company
   */
  async execute(input: NewRole, { by }: Pick<Reach, 'by'> = UNLIMITED): Promise<Role> {
    const { name, applications, capabilities, companyId } = validate(SCHEMA, input)
    if (applications.length === 0) throw new InvalidInputError('applications', 'must name at least one application')
    if (capabilities.length === 0) throw new InvalidInputError('capabilities', 'must name at least one capability')
    return await this.#storage.transaction(async (repositories) => {
      const { companies, roles } = repositories
      if (companyId !== undefined && (await companies.get(companyId)) === undefined) {
        throw new NotFoundError('company', companyId)
      }
      const role = await roles.insert({
        companyId: companyId ?? null,
        name,
        applications: [...new Set(applications)],
        capabilities: [...new Set(capabilities)],
      })
      await recordChange(repositories, by, this.#clock.now(), {
        action: 'role.created',
        companyId: role.companyId,
        targetId: role.id,
        details: { capabilities: role.capabilities.join(' ') },
      })
      return toRole(role)
    })
  }
}

/** Gives a new user the role Administrator on all accounts of their company. */
export async function grantAdministrator(
  repositories: Repositories,
  user: UserRecord,
  created: string,
  reach: Reach,
): Promise<void> {
  const administrator = await ensureSystemRole(repositories, ADMINISTRATOR)
  const rights = await Rights.of(repositories, reach, new Date(created))
  for (const account of await repositories.accounts.list({ companyId: user.companyId })) {
    await rights.grant({ userId: user.id, accountId: account.id, roleId: administrator.id, created }, user)
  }
}

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

import { recordChange } from '../../audit/index.js'
import { errorReason, InUseError, InvalidInputError, NotFoundError } from '../../kernel/errors.js'
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
import { APPLICATION_KEYS, type ListedRole, type Role, toRole } from '../records.js'
import { CAPABILITIES } from './principal.js'
import type { Reach } from './reach.js'
import { Rights } from './rights.js'

export interface NewRole {
  readonly name: string
  /** Keys of the applications for which the role is valid; at least one. */
  readonly applications: readonly string[]
  /** At least one. */
  readonly capabilities: readonly string[]
  /** Default: none; the role is system-wide. */
  readonly companyId?: number
}

const SCHEMA = objectSchema({
  name: textSchema({ min: 1, max: 255, isLine: true }),
  applications: listSchema(choiceSchema(APPLICATION_KEYS), APPLICATION_KEYS.length),
  capabilities: listSchema(choiceSchema(CAPABILITIES), CAPABILITIES.length),
  companyId: idSchema().optional(),
})

/** Roles of companies, and system-wide ones. Only the host changes them; the system roles never change. */
export class Roles {
  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws InvalidInputError
   * @throws NotFoundError if the company does not exist
   */
  async create(input: NewRole, { by }: Pick<Reach, 'by'>): Promise<Role> {
    const { name, applications, capabilities, companyId } = validate(SCHEMA, input)
    if (applications.length === 0) throw new InvalidInputError('applications', 'must name at least one application')
    if (capabilities.length === 0) throw new InvalidInputError('capabilities', 'must name at least one capability')
    return await this.storage.transaction(async (repositories) => {
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
      await recordChange(repositories, by, this.clock.now(), {
        action: 'role.created',
        companyId: role.companyId,
        targetId: role.id,
        details: { capabilities: role.capabilities.join(' ') },
      })
      return toRole(role)
    })
  }

  /** All roles, ordered by id: for the host. */
  async listAll(): Promise<Role[]> {
    return (await this.storage.read(({ roles }) => roles.list())).map(toRole)
  }

  /** The system-wide roles and those of the companies within reach, ordered by id. */
  async list(reach: Reach): Promise<ListedRole[]> {
    const filter = reach.companyId === undefined ? undefined : { withinCompanyId: reach.companyId }
    const records = await this.storage.read(({ roles }) => roles.list(filter))
    return records.map((role) => ({ ...toRole(role), grantable: reach.mayGrant(role.capabilities) }))
  }

  /**
   * Disables or enables a role. A disabled role gives its users no access, from now on, and cannot be granted. A second
   * call with the same value changes nothing.
   *
   * @throws NotFoundError
   * @throws InUseError for a system role
   */
  async setDisabled(roleId: number, isDisabled: boolean, { by }: Pick<Reach, 'by'>): Promise<Role> {
    return await this.#change(roleId, async (repositories, role) => {
      await repositories.roles.setDisabled(role.id, isDisabled)
      await recordChange(repositories, by, this.clock.now(), {
        action: isDisabled ? 'role.disabled' : 'role.enabled',
        companyId: role.companyId,
        targetId: role.id,
        details: {},
      })
      return toRole({ ...role, isDisabled })
    })
  }

  /** @throws NotFoundError @throws InUseError for a role that a permission has, and for a system role */
  async delete(roleId: number, { by }: Pick<Reach, 'by'>): Promise<void> {
    await this.#change(roleId, async (repositories, { id, companyId }) => {
      const { length } = await repositories.permissions.list({ roleId: id })
      if (length > 0) {
        const permissionsHave = length === 1 ? '1 permission has' : `${length} permissions have`
        throw new InUseError(
          `${permissionsHave} the role ${id}: first give them another role, or revoke them`,
          errorReason('role-in-use', { role: id, count: length }),
        )
      }
      await repositories.roles.delete(id)
      await recordChange(repositories, by, this.clock.now(), {
        action: 'role.deleted',
        companyId,
        targetId: id,
        details: {},
      })
    })
  }

  async #change<T>(roleId: number, change: (repositories: Repositories, role: RoleRecord) => Promise<T>): Promise<T> {
    const id = parseId(roleId, 'id')
    return await this.storage.transaction(async (repositories) => {
      const role = await repositories.roles.get(id)
      if (role === undefined) throw new NotFoundError('role', id)
      if (await isSystemRole(repositories, role)) {
        throw new InUseError(
          `the role ${id}, ${role.name}, is a system role: it stays as it is`,
          errorReason('role-of-system', { role: id, name: role.name }),
        )
      }
      return await change(repositories, role)
    })
  }
}

type SystemRole = Omit<RoleRecord, 'id' | 'companyId' | 'isDisabled'>

/** Has every capability. */
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

/** The system-wide roles that every installation has. The engine grants them itself. */
export const SYSTEM_ROLES: readonly SystemRole[] = [ADMINISTRATOR, MEMBER, READER]

/** Finds a system role, and creates it if it is missing. */
export async function ensureSystemRole({ roles }: Repositories, systemRole: SystemRole): Promise<RoleRecord> {
  const existing = findSystemRole(await roles.list(), systemRole)
  return existing ?? (await roles.insert({ companyId: null, ...systemRole }))
}

/** True for a role that {@link ensureSystemRole} finds. */
async function isSystemRole({ roles }: Repositories, { id }: Pick<RoleRecord, 'id'>): Promise<boolean> {
  const all = await roles.list()
  return SYSTEM_ROLES.some((systemRole) => id === findSystemRole(all, systemRole)?.id)
}

function findSystemRole(roles: readonly RoleRecord[], systemRole: SystemRole): RoleRecord | undefined {
  return roles.find(({ companyId, name }) => companyId === null && name === systemRole.name)
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
  // Also of a company without accounts, which may get some later.
  rights.requireHeld(administrator)
  for (const account of await repositories.accounts.list({ companyId: user.companyId })) {
    await rights.grant({ userId: user.id, accountId: account.id, roleId: administrator.id, created }, user)
  }
}

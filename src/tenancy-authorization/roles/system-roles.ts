import type { Repositories, RoleRecord } from '../../ports/index.js'
import { CAPABILITIES } from '../access/capability.js'
import { APPLICATION_KEYS } from '../application.js'

type SystemRole = Omit<RoleRecord, 'id' | 'companyId' | 'isDisabled'>

/** Every capability. */
export const ADMINISTRATOR: SystemRole = {
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
export async function isSystemRole({ roles }: Repositories, { id }: Pick<RoleRecord, 'id'>): Promise<boolean> {
  const all = await roles.list()
  return SYSTEM_ROLES.some((system) => id === all.find((role) => isNamedAs(role, system))?.id)
}

function isNamedAs({ companyId, name }: RoleRecord, system: SystemRole): boolean {
  return companyId === null && name === system.name
}

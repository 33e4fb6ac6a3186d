import type { Repositories, UserRecord } from '../../ports/index.js'
import { insertPermission } from '../permissions/insert-permission.js'
import { ADMINISTRATOR, ensureSystemRole } from './system-roles.js'

/** Gives a new user the role Administrator on all accounts of their company. */
export async function grantAdministrator(repositories: Repositories, user: UserRecord, created: string): Promise<void> {
  const administrator = await ensureSystemRole(repositories, ADMINISTRATOR)
  for (const account of await repositories.accounts.list({ companyId: user.companyId })) {
    const permission = { userId: user.id, accountId: account.id, roleId: administrator.id, created }
    await insertPermission(repositories, permission, user)
  }
}

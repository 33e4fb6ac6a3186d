import type { Repositories, UserRecord } from '../../ports/index.js'
import { ADMINISTRATOR, ensureSystemRole } from './system-roles.js'

/** Gives a new user the role Administrator on all accounts of their company. */
export async function grantAdministrator(repositories: Repositories, user: UserRecord, created: string): Promise<void> {
  const administrator = await ensureSystemRole(repositories, ADMINISTRATOR)
  for (const account of await repositories.accounts.list({ companyId: user.companyId })) {
    await repositories.permissions.insert({
      userId: user.id,
      accountId: account.id,
      roleId: administrator.id,
      isDisabled: false,
      created,
      createdBy: JSON.stringify({ id: user.id, email: user.email }),
      lastAccess: null,
    })
  }
}

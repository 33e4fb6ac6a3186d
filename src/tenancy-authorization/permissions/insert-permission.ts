import type { PermissionRecord, Repositories } from '../../ports/index.js'
import type { Actor } from '../access/authorizer.js'

/** Inserts a permission that nobody has used yet. @throws AlreadyExistsError where the user has one on the account */
export async function insertPermission(
  { permissions }: Repositories,
  permission: Pick<PermissionRecord, 'userId' | 'accountId' | 'roleId' | 'created'> & { readonly isDisabled?: boolean },
  actor: Actor,
): Promise<PermissionRecord> {
  const { id, email } = actor
  return await permissions.insert({
    isDisabled: false,
    ...permission,
    createdBy: JSON.stringify({ id, email }),
    lastAccess: null,
  })
}

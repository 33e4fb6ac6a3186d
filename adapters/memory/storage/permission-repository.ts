import {
  type AccessRecord,
  AlreadyExistsError,
  errorReason,
  type PermissionRecord,
  type PermissionRepository,
} from '../../../src/ports/index.js'
import { type MemoryTables, pageOf } from './memory-tables.js'
import { idsOfUsers } from './user-repositories.js'

export function permissionRepository(tables: MemoryTables): PermissionRepository {
  const { permissions, users, accounts, roles, regions, companies } = tables
  const stateOf = (companyId: number) => {
    const company = companies.get(companyId)
    return { isCompanyDisabled: company?.isDisabled ?? false, companyLoginEpoch: company?.loginEpoch ?? 0 }
  }
  const toAccess = (permission: PermissionRecord | undefined): AccessRecord | undefined => {
    if (permission === undefined) return undefined
    const user = users.get(permission.userId)
    const account = accounts.get(permission.accountId)
    const role = roles.get(permission.roleId)
    if (!user || !account || !role) return undefined
    return {
      user: { ...user, ...stateOf(user.companyId) },
      account: { ...account, ...stateOf(account.companyId) },
      permission,
      role,
    }
  }
  const findByUserAndAccount = (userId: number, accountId: number) =>
    permissions.find((permission) => permission.userId === userId && permission.accountId === accountId)
  return {
    insert: async (permission) => {
      if (findByUserAndAccount(permission.userId, permission.accountId)) {
        throw new AlreadyExistsError(
          'Permission already exists for this user and account',
          errorReason('permission-exists'),
        )
      }
      return permissions.insert(permission)
    },
    get: async (id) => permissions.get(id),
    list: async ({ userId, accountId, roleId } = {}) =>
      permissions.filter(
        (permission) =>
          (userId === undefined || permission.userId === userId) &&
          (accountId === undefined || permission.accountId === accountId) &&
          (roleId === undefined || permission.roleId === roleId),
      ),
    setRole: async (id, roleId) => permissions.update(id, { roleId }),
    toggle: async (id) => permissions.update(id, { isDisabled: !permissions.get(id)?.isDisabled }),
    delete: async (id) => permissions.delete(id),
    listAbroad: async (companyId, page) => {
      const found = permissions.filter().flatMap(({ id, userId, accountId, roleId }) => {
        const ownerId = accounts.get(accountId)?.companyId ?? companyId
        const isAbroad = users.get(userId)?.companyId === companyId && ownerId !== companyId
        return isAbroad ? [{ id, userId, accountId, roleId, companyId: ownerId }] : []
      })
      return pageOf(found, page)
    },
    deleteOfCompany: async (companyId) => {
      const permissionsOfCompany = permissions.filter(
        ({ userId, accountId }) =>
          users.get(userId)?.companyId === companyId || accounts.get(accountId)?.companyId === companyId,
      )
      permissions.deleteAll(permissionsOfCompany)
    },
    eraseCreators: async (filter) => {
      const userIds = idsOfUsers(users, filter)
      for (const { id, createdBy } of permissions.filter()) {
        const { id: creatorId = 0 } = JSON.parse(createdBy) as { readonly id?: number }
        if (userIds.has(creatorId)) permissions.update(id, { createdBy: JSON.stringify({ id: creatorId, email: '' }) })
      }
    },
    listDetails: async (userIds) =>
      permissions
        .filter(({ userId }) => userIds.includes(userId))
        .flatMap((permission) => {
          const account = accounts.get(permission.accountId)
          const role = roles.get(permission.roleId)
          const region = account && regions.get(account.regionId)
          return account && role && region ? [{ ...permission, account, role, region }] : []
        }),
    findAccess: async (userId, accountId) => toAccess(findByUserAndAccount(userId, accountId)),
    listAccess: async (userId, application) =>
      permissions
        .filter((permission) => permission.userId === userId)
        .map(toAccess)
        .filter((access) => access?.account.application === application)
        .filter((access) => access !== undefined)
        .sort((one, other) => one.account.id - other.account.id),
    listAccessOfCompany: async (companyId, application) => {
      const companyAccounts = accounts.filter(
        (account) => account.companyId === companyId && account.application === application,
      )
      const accountIds = new Set(companyAccounts.map(({ id }) => id))
      return permissions
        .filter(({ accountId }) => accountIds.has(accountId))
        .map(toAccess)
        .filter((access) => access !== undefined)
    },
    touch: async (id, lastAccess) => {
      permissions.update(id, { lastAccess })
    },
  }
}

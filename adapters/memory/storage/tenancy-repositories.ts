import {
  type AccessRecord,
  type AccountRepository,
  AlreadyExistsError,
  type ApiKeyRepository,
  type CompanyRepository,
  type MailRepository,
  type PasswordTokenRepository,
  type PermissionRecord,
  type PermissionRepository,
  type RegionRepository,
  type RoleRepository,
  type SettingRepository,
  type UserRepository,
} from '../../../src/ports/index.js'
import { isWithin } from './company-tree.js'
import { pageOf } from './memory-table.js'
import type { MemoryTables } from './tables.js'

export function settingRepository({ settings }: MemoryTables): SettingRepository {
  return {
    get: async (key) => settings.find((setting) => setting.key === key)?.value,
    put: async (key, value) => {
      const known = settings.find((setting) => setting.key === key)
      if (known) settings.update(known.id, { value })
      else settings.insert({ key, value })
    },
  }
}

export function companyRepository({ companies }: MemoryTables): CompanyRepository {
  return {
    insert: async (company) => companies.insert(company),
    get: async (id) => companies.get(id),
    list: async () => companies.filter(),
    isWithin: async (id, ancestorId) => isWithin(companies, id, ancestorId),
    within: async (ids, ancestorId) => new Set(ids.filter((id) => isWithin(companies, id, ancestorId))),
    setParent: async (id, parentId) => {
      companies.update(id, { parentId })
    },
  }
}

export function regionRepository({ regions }: MemoryTables): RegionRepository {
  return {
    ensure: async (name) => regions.find((region) => region.name === name) ?? regions.insert({ name }),
    list: async () => regions.filter(),
  }
}

export function accountRepository({ accounts }: MemoryTables): AccountRepository {
  return {
    insert: async (account) => accounts.insert(account),
    get: async (id) => accounts.get(id),
    list: async ({ companyId } = {}) =>
      accounts.filter((account) => companyId === undefined || account.companyId === companyId),
    setActive: async (id, isActive) => accounts.update(id, { isActive }),
  }
}

export function roleRepository({ roles }: MemoryTables): RoleRepository {
  return {
    insert: async (role) => roles.insert(role),
    get: async (id) => roles.get(id),
    list: async (filter) =>
      roles.filter(({ companyId }) => filter === undefined || companyId === null || companyId === filter.usableBy),
  }
}

export function userRepository({ users }: MemoryTables): UserRepository {
  const ofCompany = (companyId: number, emailKey: string) =>
    users.find((user) => user.companyId === companyId && user.emailKey === emailKey)
  const listed = ({ companyId }: { readonly companyId?: number }) =>
    users.filter((user) => companyId === undefined || user.companyId === companyId)
  return {
    insert: async (user) => {
      if (ofCompany(user.companyId, user.emailKey)) {
        throw new AlreadyExistsError('a user with this e-mail address exists')
      }
      return users.insert(user)
    },
    get: async (id) => users.get(id),
    findByEmailKey: async (companyId, emailKey) => ofCompany(companyId, emailKey),
    listByEmailKey: async (emailKey) => users.filter((user) => user.emailKey === emailKey),
    list: async (filter = {}, page) => pageOf(listed(filter), page),
    listIds: async (filter, page) => pageOf(listed(filter), page).map(({ id }) => id),
    count: async (companyId) => listed({ companyId }).length,
    update: async (id, changes) => users.update(id, changes),
  }
}

export function permissionRepository(tables: MemoryTables): PermissionRepository {
  const { permissions, users, accounts, roles, regions } = tables
  const toAccess = (permission: PermissionRecord | undefined): AccessRecord | undefined => {
    const user = permission && users.get(permission.userId)
    const account = permission && accounts.get(permission.accountId)
    const role = permission && roles.get(permission.roleId)
    return user && account && role && { user, account, permission, role }
  }
  const ofPair = (userId: number, accountId: number) =>
    permissions.find((permission) => permission.userId === userId && permission.accountId === accountId)
  return {
    insert: async (permission) => {
      if (ofPair(permission.userId, permission.accountId)) {
        throw new AlreadyExistsError('Permission already exists for this user and account')
      }
      return permissions.insert(permission)
    },
    get: async (id) => permissions.get(id),
    list: async ({ userId } = {}) =>
      permissions.filter((permission) => userId === undefined || permission.userId === userId),
    setRole: async (id, roleId) => permissions.update(id, { roleId }),
    toggle: async (id) => permissions.update(id, { isDisabled: !permissions.get(id)?.isDisabled }),
    delete: async (id) => permissions.delete(id),
    listDetails: async (userIds) =>
      permissions
        .filter(({ userId }) => userIds.includes(userId))
        .flatMap((permission) => {
          const account = accounts.get(permission.accountId)
          const role = roles.get(permission.roleId)
          const region = account && regions.get(account.regionId)
          return account && role && region ? [{ ...permission, account, role, region }] : []
        }),
    findAccess: async (userId, accountId) => toAccess(ofPair(userId, accountId)),
    listAccess: async (userId, application) =>
      permissions
        .filter((permission) => permission.userId === userId)
        .map(toAccess)
        .filter((access) => access?.account.application === application)
        .filter((access) => access !== undefined)
        .sort((one, other) => one.account.id - other.account.id),
    listAccessOfCompany: async (companyId, application) => {
      const ofCompany = accounts.filter((each) => each.companyId === companyId && each.application === application)
      const ids = new Set(ofCompany.map(({ id }) => id))
      return permissions
        .filter(({ accountId }) => ids.has(accountId))
        .map(toAccess)
        .filter((access) => access !== undefined)
    },
    touch: async (id, lastAccess) => {
      permissions.update(id, { lastAccess })
    },
  }
}

export function apiKeyRepository({ apiKeys }: MemoryTables): ApiKeyRepository {
  return {
    insert: async (key) => {
      if (apiKeys.find(({ clientId }) => clientId === key.clientId)) {
        throw new AlreadyExistsError('an API key with this client id exists')
      }
      return apiKeys.insert(key)
    },
    get: async (id) => apiKeys.get(id),
    findByClientId: async (clientId) => apiKeys.find((key) => key.clientId === clientId),
    touch: async (id, lastUsed) => {
      apiKeys.update(id, { lastUsed })
    },
    list: async ({ userId } = {}) => apiKeys.filter((key) => userId === undefined || key.userId === userId),
    countUnrevoked: async (companyId) =>
      apiKeys.filter((key) => key.companyId === companyId && key.revoked === null).length,
    revoke: async (id, revoked) => apiKeys.update(id, { revoked: apiKeys.get(id)?.revoked ?? revoked }),
  }
}

export function passwordTokenRepository({ passwordTokens }: MemoryTables): PasswordTokenRepository {
  const remove = (tokens: readonly { readonly id: number }[]): void => {
    for (const { id } of tokens) passwordTokens.delete(id)
  }
  return {
    insert: async (token) => {
      passwordTokens.insert(token)
    },
    find: async (tokenHash) => passwordTokens.find((token) => token.tokenHash === tokenHash),
    remove: async (tokenHash) => {
      const token = passwordTokens.find((known) => known.tokenHash === tokenHash)
      return token !== undefined && passwordTokens.delete(token.id)
    },
    countOfUser: async (userId, now) =>
      passwordTokens.filter((token) => token.userId === userId && token.expires > now).length,
    removeOfUser: async (userId) => {
      remove(passwordTokens.filter((token) => token.userId === userId))
    },
    removeExpired: async (now) => {
      remove(passwordTokens.filter(({ expires }) => expires <= now))
    },
  }
}

export function mailRepository({ mails }: MemoryTables): MailRepository {
  return {
    insert: async (mail) => mails.insert(mail),
    get: async (id) => mails.get(id),
    countOfUser: async (userId, purposes) =>
      mails.filter((mail) => mail.userId === userId && (purposes?.includes(mail.purpose) ?? true)).length,
    remove: async (id) => {
      mails.delete(id)
    },
  }
}

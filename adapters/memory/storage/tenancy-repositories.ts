import {
  type AccessRecord,
  type AccountRepository,
  AlreadyExistsError,
  type ApiKeyFilter,
  type ApiKeyRepository,
  type CompanyRepository,
  type MailRepository,
  type PasswordTokenRepository,
  type PermissionRecord,
  type PermissionRepository,
  type RegionRepository,
  type RoleRecord,
  type RoleRepository,
  type SettingRepository,
  type UserRecord,
  type UserRepository,
  type UsersFilter,
  type WithinFilter,
} from '../../../src/ports/index.js'
import { isWithin, LivingRows, type MemoryTables, pageOf } from './memory-tables.js'

export function settingRepository({ settings }: MemoryTables): SettingRepository {
  return {
    get: async (key) => settings.find((setting) => setting.key === key)?.value,
    put: async (key, value) => {
      const stored = settings.find((setting) => setting.key === key)
      if (stored) settings.update(stored.id, { value })
      else settings.insert({ key, value })
    },
  }
}

export function companyRepository({ companies }: MemoryTables): CompanyRepository {
  const live = new LivingRows(companies)
  // A deleted company has no companies below it.
  const isLiveWithin = (id: number, ancestorId: number): boolean =>
    live.get(id) !== undefined && isWithin(companies, id, ancestorId)
  const filterLive = ({ withinCompanyId }: WithinFilter) =>
    live.filter(({ id }) => withinCompanyId === undefined || isWithin(companies, id, withinCompanyId))
  return {
    insert: async (company) => live.insert({ ...company, isDisabled: false }),
    get: async (id) => live.get(id),
    list: async (filter = {}, page) => pageOf(filterLive(filter), page),
    listIds: async (filter, page) => pageOf(filterLive(filter), page).map(({ id }) => id),
    isWithin: async (id, ancestorId) => isLiveWithin(id, ancestorId),
    within: async (ids, ancestorId) => new Set(ids.filter((id) => isLiveWithin(id, ancestorId))),
    setParent: async (id, parentId) => {
      live.update(id, { parentId })
    },
    setDisabled: async (id, isDisabled) => live.update(id, { isDisabled }),
    remove: async (id, deleted) => live.update(id, { name: '', isDisabled: true, deleted }),
    isDeleted: async (id) => (companies.get(id)?.deleted ?? null) !== null,
  }
}

export function regionRepository({ regions }: MemoryTables): RegionRepository {
  return {
    ensure: async (name) => regions.find((region) => region.name === name) ?? regions.insert({ name }),
    list: async () => regions.filter(),
  }
}

export function accountRepository({ accounts }: MemoryTables): AccountRepository {
  const live = new LivingRows(accounts)
  return {
    insert: async (account) => live.insert(account),
    get: async (id) => live.get(id),
    list: async ({ companyId } = {}) =>
      live.filter((account) => companyId === undefined || account.companyId === companyId),
    setActive: async (id, isActive) => live.update(id, { isActive }),
    remove: async (id, deleted) => live.update(id, { name: '', isActive: false, deleted }),
    listIds: async (companyId) => accounts.filter((account) => account.companyId === companyId).map(({ id }) => id),
  }
}

export function roleRepository({ roles, companies }: MemoryTables): RoleRepository {
  type Filter = Parameters<RoleRepository['list']>[0]
  const isListed = ({ companyId }: Pick<RoleRecord, 'companyId'>, filter: Filter): boolean => {
    if (filter === undefined || companyId === null) return true
    if ('usableBy' in filter) return companyId === filter.usableBy
    return isWithin(companies, companyId, filter.withinCompanyId)
  }
  return {
    insert: async (role) => roles.insert({ ...role, isDisabled: false }),
    get: async (id) => roles.get(id),
    list: async (filter) => roles.filter((role) => isListed(role, filter)),
    setDisabled: async (id, isDisabled) => roles.update(id, { isDisabled }),
    delete: async (id) => roles.delete(id),
    deleteOfCompany: async (companyId) => {
      for (const { id } of roles.filter((role) => role.companyId === companyId)) roles.delete(id)
    },
  }
}

export function userRepository({ users }: MemoryTables): UserRepository {
  const live = new LivingRows(users)
  const findInCompany = (companyId: number, emailKey: string) =>
    live.filter((user) => user.companyId === companyId && user.emailKey === emailKey)[0]
  const findExternal = (companyId: number, externalId: string) =>
    live.filter((user) => user.companyId === companyId && user.externalId === externalId)[0]
  const requireUnique = (
    changed: { readonly id?: number } & Pick<UserRecord, 'companyId' | 'emailKey' | 'externalId'>,
  ) => {
    const { id, companyId, emailKey, externalId } = changed
    const isOther = (found: { readonly id: number } | undefined) => found !== undefined && found.id !== id
    if (isOther(findInCompany(companyId, emailKey)))
      throw new AlreadyExistsError('a user with this e-mail address exists')
    if (externalId !== null && isOther(findExternal(companyId, externalId)))
      throw new AlreadyExistsError('a user with this external id exists')
  }
  const filterLive = ({ companyId }: { readonly companyId?: number }) =>
    live.filter((user) => companyId === undefined || user.companyId === companyId)
  return {
    insert: async (user) => {
      requireUnique(user)
      return live.insert({ ...user, isDisabled: false })
    },
    get: async (id) => live.get(id),
    getDeleted: async (id) => {
      const user = users.get(id)
      return user === undefined || user.deleted === null ? undefined : { id, companyId: user.companyId }
    },
    findByEmailKey: async (companyId, emailKey) => findInCompany(companyId, emailKey),
    listByEmailKey: async (emailKey) => live.filter((user) => user.emailKey === emailKey),
    findByExternalId: async (companyId, externalId) => findExternal(companyId, externalId),
    listByExternalId: async (externalId) => live.filter((user) => user.externalId === externalId),
    list: async (filter = {}, page) => pageOf(filterLive(filter), page),
    listIds: async (filter, page) => pageOf(filterLive(filter), page).map(({ id }) => id),
    count: async (companyId) => filterLive({ companyId }).length,
    update: async (id, changes) => {
      const user = live.get(id)
      if (user === undefined) return false
      requireUnique({ ...user, ...changes })
      return live.update(id, changes)
    },
    erase: async (filter, deleted) => {
      for (const id of idsOfUsers(users, filter))
        live.update(id, { ...ERASED_MEMBERS, emailKey: `deleted:${id}`, deleted })
    },
  }
}

const ERASED_MEMBERS = {
  email: '',
  externalId: null,
  firstName: '',
  lastName: '',
  name: '',
  lastAccess: null,
  passwordHash: null,
  isDisabled: true,
} as const

/** Ids of the users that a filter names, deleted or not. */
function idsOfUsers(users: MemoryTables['users'], filter: UsersFilter): ReadonlySet<number> {
  const isNamed = ({ id, companyId }: { readonly id: number; readonly companyId: number }): boolean =>
    'userId' in filter ? id === filter.userId : companyId === filter.companyId
  return new Set(users.filter(isNamed).map(({ id }) => id))
}

export function permissionRepository(tables: MemoryTables): PermissionRepository {
  const { permissions, users, accounts, roles, regions, companies } = tables
  const isCompanyDisabled = (companyId: number): boolean => companies.get(companyId)?.isDisabled ?? false
  const toAccess = (permission: PermissionRecord | undefined): AccessRecord | undefined => {
    if (permission === undefined) return undefined
    const user = users.get(permission.userId)
    const account = accounts.get(permission.accountId)
    const role = roles.get(permission.roleId)
    if (!user || !account || !role) return undefined
    return {
      user: { ...user, isCompanyDisabled: isCompanyDisabled(user.companyId) },
      account: { ...account, isCompanyDisabled: isCompanyDisabled(account.companyId) },
      permission,
      role,
    }
  }
  const findByUserAndAccount = (userId: number, accountId: number) =>
    permissions.find((permission) => permission.userId === userId && permission.accountId === accountId)
  return {
    insert: async (permission) => {
      if (findByUserAndAccount(permission.userId, permission.accountId)) {
        throw new AlreadyExistsError('Permission already exists for this user and account')
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
      for (const { id } of permissionsOfCompany) permissions.delete(id)
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

export function apiKeyRepository({ apiKeys, companies, users }: MemoryTables): ApiKeyRepository {
  const filterKeys = ({ userId, withinCompanyId }: ApiKeyFilter) =>
    apiKeys.filter(
      (key) =>
        (userId === undefined || key.userId === userId) &&
        (withinCompanyId === undefined || isWithin(companies, key.companyId, withinCompanyId)),
    )
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
    list: async (filter = {}, page) => pageOf(filterKeys(filter), page),
    listIds: async (filter, page) => pageOf(filterKeys(filter), page).map(({ id }) => id),
    countUsable: async (companyId, now) =>
      apiKeys.filter(
        (key) => key.companyId === companyId && key.revoked === null && (key.expires === null || key.expires > now),
      ).length,
    listAbroad: async (companyId, page) => {
      const userIds = idsOfUsers(users, { companyId })
      const keysOfOtherCompanies = apiKeys.filter(
        (key) => userIds.has(key.userId) && key.companyId !== companyId && key.revoked === null,
      )
      return pageOf(keysOfOtherCompanies, page)
    },
    revoke: async (id, revoked) => apiKeys.update(id, { revoked: apiKeys.get(id)?.revoked ?? revoked }),
    deleteOf: async (filter) => {
      const userIds = idsOfUsers(users, filter)
      const isNamed = ({ userId, companyId }: { readonly userId: number; readonly companyId: number }): boolean =>
        userIds.has(userId) || ('companyId' in filter && companyId === filter.companyId)
      for (const { id } of apiKeys.filter(isNamed)) apiKeys.delete(id)
    },
  }
}

export function passwordTokenRepository({ passwordTokens, users }: MemoryTables): PasswordTokenRepository {
  const removeAll = (tokens: readonly { readonly id: number }[]): void => {
    for (const { id } of tokens) passwordTokens.delete(id)
  }
  return {
    insert: async (token) => {
      passwordTokens.insert(token)
    },
    find: async (tokenHash) => passwordTokens.find((token) => token.tokenHash === tokenHash),
    remove: async (tokenHash) => {
      const token = passwordTokens.find((stored) => stored.tokenHash === tokenHash)
      return token !== undefined && passwordTokens.delete(token.id)
    },
    countOfUser: async (userId, now) =>
      passwordTokens.filter((token) => token.userId === userId && token.expires > now).length,
    removeOfUser: async (userId) => {
      removeAll(passwordTokens.filter((token) => token.userId === userId))
    },
    removeOfCompany: async (companyId) => {
      const userIds = idsOfUsers(users, { companyId })
      removeAll(passwordTokens.filter(({ userId }) => userIds.has(userId)))
    },
    removeExpired: async (now) => {
      removeAll(passwordTokens.filter(({ expires }) => expires <= now))
    },
  }
}

export function mailRepository({ mails, users }: MemoryTables): MailRepository {
  return {
    insert: async ({ destinationId = null, ...mail }) => mails.insert({ ...mail, destinationId }),
    get: async (id) => mails.get(id),
    countOfUser: async (userId, purposes) =>
      mails.filter((mail) => mail.userId === userId && (purposes?.includes(mail.purpose) ?? true)).length,
    removeOf: async (filter) => {
      const userIds = idsOfUsers(users, filter)
      const ids = mails.filter(({ userId }) => userIds.has(userId)).map(({ id }) => id)
      for (const id of ids) mails.delete(id)
      return ids
    },
    remove: async (id) => {
      mails.delete(id)
    },
  }
}

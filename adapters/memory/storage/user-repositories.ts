import {
  AlreadyExistsError,
  errorReason,
  type MailRepository,
  type PasswordTokenRepository,
  type RoleRecord,
  type RoleRepository,
  type UserRecord,
  type UserRepository,
  type UsersFilter,
} from '../../../src/ports/index.js'
import { isWithin, LivingRows, type MemoryTables, pageOf } from './memory-tables.js'

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
      roles.deleteAll(roles.filter((role) => role.companyId === companyId))
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
      throw new AlreadyExistsError('a user with this e-mail address exists', errorReason('email-address-taken'))
    if (externalId !== null && isOther(findExternal(companyId, externalId)))
      throw new AlreadyExistsError('a user with this external id exists', errorReason('external-id-taken'))
  }
  const filterLive = ({ companyId }: { readonly companyId?: number }) =>
    live.filter((user) => companyId === undefined || user.companyId === companyId)
  return {
    insert: async (user) => {
      requireUnique(user)
      return live.insert({ ...user, isDisabled: false, loginEpoch: 0 })
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
export function idsOfUsers(users: MemoryTables['users'], filter: UsersFilter): ReadonlySet<number> {
  const isNamed = ({ id, companyId }: { readonly id: number; readonly companyId: number }): boolean =>
    'userId' in filter ? id === filter.userId : companyId === filter.companyId
  return new Set(users.filter(isNamed).map(({ id }) => id))
}

export function passwordTokenRepository({ passwordTokens, users }: MemoryTables): PasswordTokenRepository {
  return {
    insert: async (token) => {
      passwordTokens.insert(token)
    },
    find: async (tokenHash) => passwordTokens.find((token) => token.tokenHash === tokenHash),
    remove: async (tokenHash) => {
      const token = passwordTokens.find((stored) => stored.tokenHash === tokenHash)
      return token !== undefined && passwordTokens.delete(token.id)
    },
    countOfUser: async (userId, { after, until }) =>
      passwordTokens.filter(({ expires, ...token }) => token.userId === userId && expires > after && expires <= until)
        .length,
    removeOfUser: async (userId) => {
      passwordTokens.deleteAll(passwordTokens.filter((token) => token.userId === userId))
    },
    removeOfCompany: async (companyId) => {
      const userIds = idsOfUsers(users, { companyId })
      passwordTokens.deleteAll(passwordTokens.filter(({ userId }) => userIds.has(userId)))
    },
    removeExpired: async ({ after, until }) => {
      passwordTokens.deleteAll(passwordTokens.filter(({ expires }) => expires <= after || expires > until))
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
      const removed = mails.filter(({ userId }) => userIds.has(userId))
      mails.deleteAll(removed)
      return removed.map(({ id }) => id)
    },
    remove: async (id) => {
      mails.delete(id)
    },
  }
}

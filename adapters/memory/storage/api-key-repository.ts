import {
  AlreadyExistsError,
  type ApiKeyFilter,
  type ApiKeyRepository,
  errorReason,
  type PermissionRepository,
} from '../../../src/ports/index.js'
import { isWithin, type MemoryTables, pageOf } from './memory-tables.js'
import { idsOfUsers } from './user-repositories.js'

export function apiKeyRepository(
  { apiKeys, companies, users, revokedTokens }: MemoryTables,
  permissions: Pick<PermissionRepository, 'findAccess'>,
): ApiKeyRepository {
  const filterKeys = ({ userId, withinCompanyId }: ApiKeyFilter) =>
    apiKeys.filter(
      (key) =>
        (userId === undefined || key.userId === userId) &&
        (withinCompanyId === undefined || isWithin(companies, key.companyId, withinCompanyId)),
    )
  return {
    insert: async (key) => {
      if (apiKeys.find(({ clientId }) => clientId === key.clientId)) {
        throw new AlreadyExistsError('an API key with this client id exists', errorReason('client-id-taken'))
      }
      return apiKeys.insert(key)
    },
    get: async (id) => apiKeys.get(id),
    findByClientId: async (clientId) => apiKeys.find((key) => key.clientId === clientId),
    findOfToken: async (name, { tokenHash, userId, accountId }) => {
      const key = 'id' in name ? apiKeys.get(name.id) : apiKeys.find(({ clientId }) => clientId === name.clientId)
      const isTokenRevoked = revokedTokens.find((token) => token.tokenHash === tokenHash) !== undefined
      return key && { key, isTokenRevoked, access: await permissions.findAccess(userId, accountId) }
    },
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
      apiKeys.deleteAll(apiKeys.filter(isNamed))
    },
  }
}

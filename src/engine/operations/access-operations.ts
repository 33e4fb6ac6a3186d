import type { ListPage, ListQuery, Run } from '../../kernel/lists.js'
import { validate } from '../../kernel/validate.js'
import {
  type ApiKey,
  type ApiKeyWithSecret,
  type Company,
  type ListedRole,
  type NewTenantApiKey,
  newTenantApiKeySchema,
  type Principal,
} from '../../tenancy/index.js'
import type { EngineParts } from '../engine-parts.js'
import { createListOperations, inTurns, LISTS } from './operations.js'

/**
 * The companies that the principal manages: its company and those below it, for a principal with the capability
 * `tenant:manage`. All methods also throw UnauthenticatedError, ForbiddenError if the principal may not do this, and
 * ClosedError after the engine is closed.
 */
export interface CompanyOperations {
  /**
   * Lists the companies, ordered by id. `parentId` of the topmost one is null, also if a company is above it.
   *
   * @param query a part of the list. Default: the whole list
   * @throws InvalidInputError for an invalid query
   */
  list(query?: ListQuery): Promise<Company[]>
  /** As {@link list}, but reads a few items at a time, when the consumer asks for them. @throws as {@link list} */
  entries(query?: ListQuery): AsyncIterable<Company>
  /** As {@link entries}, with the id after which the next page begins. @throws as {@link list} */
  page(query: ListQuery): Promise<ListPage<Company>>
}

/** The roles that a principal with the capability `tenant:manage` can see. */
export interface RoleOperations {
  /**
   * Lists the system-wide roles and those of the companies that the principal manages, ordered by id.
   *
   * @throws UnauthenticatedError @throws ForbiddenError if the principal may not do this
   * @throws ClosedError after the engine is closed
   */
  list(): Promise<ListedRole[]>
}

/**
 * API keys of the companies that the principal manages, for a principal with the capability `tenant:manage`. No key gives
 * its maker a right or a context that the principal does not have. All methods also throw UnauthenticatedError,
 * ForbiddenError if the principal may not do this, and ClosedError after the engine is closed.
 */
export interface ApiKeyOperations {
  /**
   * Lists the keys without their secrets, revoked ones too, ordered by id.
   *
   * @param query a part of the list. Default: the whole list
   * @throws InvalidInputError for an invalid query
   */
  list(query?: ListQuery): Promise<ApiKey[]>
  /** As {@link list}, but reads a few items at a time, when the consumer asks for them. @throws as {@link list} */
  entries(query?: ListQuery): AsyncIterable<ApiKey>
  /** As {@link entries}, with the id after which the next page begins. @throws as {@link list} */
  page(query: ListQuery): Promise<ListPage<ApiKey>>
  /**
   * Makes a key. The answer is the only one that contains the secret.
   *
   * - With a `userId`, the principal needs every capability of that user, and manages every company in which the user
   *   has a permission. For the principal's own user, the roles for the key's `targets` count.
   * - Without one, the principal needs every capability of the role Administrator.
   * - A principal with the sight `user` makes no key that sees all contexts of an account. It also makes no key for
   *   assistant that acts for another person, unless the target is `tenant` alone.
   * - A principal that acts by an API key makes no key for an application that is not one of its own (`targets`).
   *
   * @throws InvalidInputError for an invalid member
   * @throws NotFoundError `ERR_USER_NOT_FOUND`, also for a user out of reach
   * @throws ForbiddenError if the company is missing or out of reach, or if the key would give more than the principal has
   * @throws LimitReachedError if the company has reached the limit `apiKeysPerCompany`, or `usersPerCompany` for a key
   *   without a user
   */
  create(key: NewTenantApiKey): Promise<ApiKeyWithSecret>
  /**
   * Revokes a key and its access tokens at once. The principal needs every capability of the key's user, except for a
   * key of its own user.
   *
   * @throws NotFoundError `ERR_API_KEY_NOT_FOUND`, also for a key out of reach
   * @throws ForbiddenError if the key's user has a right that the principal lacks
   */
  revoke(id: number): Promise<ApiKey>
}

export function createCompanyOperations(parts: EngineParts, principal: Principal, run: Run): CompanyOperations {
  return createListOperations(() => parts.companies.list(reachOf(parts, principal)), run)
}

export function createRoleOperations(parts: EngineParts, principal: Principal, run: Run): RoleOperations {
  const authorize = reachOf(parts, principal)
  return { list: async () => await run(async () => await parts.roles.list(await authorize())) }
}

export function createApiKeyOperations(parts: EngineParts, principal: Principal, run: Run): ApiKeyOperations {
  const authorize = reachOf(parts, principal)
  const operations: ApiKeyOperations = {
    ...createListOperations(() => parts.apiKeys.list(authorize), run),
    create: async (key) => {
      const reach = await authorize()
      const { companyId = principal.companyId, ...given } = validate(newTenantApiKeySchema, key)
      return await parts.apiKeys.create({ ...given, companyId }, reach)
    },
    revoke: async (id) => await parts.apiKeys.revoke(id, await authorize()),
  }
  return inTurns(operations, run, LISTS)
}

/** Returns a function that reads the reach of a principal. */
function reachOf({ authorizer }: EngineParts, principal: Principal) {
  return async () => (await authorizer.authorizeTenant(principal)).reach
}

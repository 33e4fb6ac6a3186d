import type { AuditEntry, AuditPage, AuditQuery } from '../../audit/index.js'
import type { HandedOver, HandOverAllInput } from '../../contexts/index.js'
import { NotFoundError } from '../../kernel/errors.js'
import type { ListPage, ListQuery, Run } from '../../kernel/lists.js'
import { parseId } from '../../kernel/validate.js'
import type {
  NewPermission,
  NewUser,
  Permission,
  PermissionChange,
  PermissionOptions,
  PermissionOptionsPath,
  Principal,
  Reach,
  UserDetails,
  UserQuery,
  UserWithPermissions,
} from '../../tenancy/index.js'
import type { EngineParts } from '../engine-parts.js'
import { createListOperations, inTurns, itemsInTurns, LISTS } from './operations.js'

/**
 * Users of the principal's company and its descendants, for a principal with the capability `tenant:manage`. All
 * methods also throw UnauthenticatedError, ForbiddenError if the principal may not do this, and ClosedError after the
 * engine is closed.
 */
export interface UserOperations {
  /**
   * Lists the users of one company, without those of companies below it, ordered by id.
   *
   * @param customerId default: the principal's company
   * @param query a part of the list. Default: the whole list
   * @throws InvalidInputError for an invalid query
   * @throws ForbiddenError if the company is missing or out of reach
   */
  list(customerId?: number, query?: ListQuery): Promise<UserWithPermissions[]>
  /** As {@link list}, but reads a few items at a time, when the consumer asks for them. @throws as {@link list} */
  entries(customerId?: number, query?: ListQuery): AsyncIterable<UserWithPermissions>
  /** As {@link entries}, with the id after which the next page begins. @throws as {@link list} */
  page(customerId: number | undefined, query: ListQuery): Promise<ListPage<UserWithPermissions>>
  /**
   * Reads one user, with its permissions on accounts within reach.
   * @throws NotFoundError `ERR_USER_NOT_FOUND`, also for a user out of reach
   */
  get(id: number): Promise<UserDetails>
  /**
   * Finds a user by exactly one of `id`, `email` and `externalId`.
   *
   * @param query `companyId` defaults to the principal's company, except for an `id`
   * @returns `undefined` if there is none, or if it is out of reach
   * @throws InvalidInputError for an invalid query
   * @throws ForbiddenError if the company of the query is missing or out of reach
   */
  find(query: UserQuery): Promise<UserDetails | undefined>
  /**
   * Adds a user, and invites the user by mail unless `invite` is false. `customerId` defaults to the principal's company.
   *
   * @throws InvalidInputError for an invalid member
   * @throws ForbiddenError if the company is missing or out of reach, or if the principal lacks a right that the user
   *   would get
   * @throws AlreadyExistsError if the company has a user with this address or external id
   * @throws LimitReachedError if the company has reached the limit `usersPerCompany`
   * @throws ThrottledError if the invitation would exceed a limit of mails; nothing is created then
   */
  add(user: NewUser): Promise<UserWithPermissions>
  /**
   * Sends the invitation a second time, with a new link.
   *
   * @throws InvalidInputError if the user has completed the setup, or if the user or its company is disabled
   * @throws NotFoundError `ERR_USER_NOT_FOUND`, also for a user out of reach
   * @throws ForbiddenError if the user has a right that the principal lacks
   * @throws ThrottledError if the mail would exceed a limit; links of earlier invitations stay valid then
   */
  reinitiate(id: number): Promise<void>
  /**
   * Gives the contexts of a disabled or deleted user to another user: those of accounts within reach.
   *
   * @returns the ids of the contexts
   * @throws InvalidInputError if that user may not read contexts of one of the accounts; nothing changes then
   * @throws NotFoundError `ERR_USER_NOT_FOUND` if the user never existed, or is out of reach
   * @throws InUseError if the user is enabled
   * @throws ForbiddenError if the principal's role may not read and write contexts
   */
  handOverContexts(id: number, input: HandOverAllInput): Promise<HandedOver>
  /**
   * Deletes a user, and erases its personal data, permissions, API keys, links and waiting mails. Contexts stay with
   * their accounts.
   *
   * @throws NotFoundError `ERR_USER_NOT_FOUND`, also for a user out of reach
   * @throws ForbiddenError if the user has a right that the principal lacks
   * @throws LastManagerError if a company would be left without a manager
   * @throws InUseError for the owner of the installation
   */
  delete(id: number): Promise<void>
}

/**
 * Permissions on accounts of the principal's company and its descendants, for a principal with the capability
 * `tenant:manage`. All methods also throw UnauthenticatedError, ForbiddenError if the principal may not do this, and
 * ClosedError after the engine is closed.
 */
export interface PermissionOperations {
  /**
   * Lists the choices for a new permission, step by step.
   *
   * @param path the choices of the earlier steps. Default: the first step
   * @throws InvalidInputError for a choice that the step before did not list
   * @throws ForbiddenError if the company or the account is missing or out of reach
   */
  options(path?: PermissionOptionsPath): Promise<PermissionOptions>
  /**
   * Grants a role on an account to a user.
   *
   * @throws InvalidInputError for an invalid member
   * @throws NotFoundError for a missing user, account or role
   * @throws ForbiddenError if the role has a capability that the principal lacks
   * @throws AlreadyExistsError if the user has a permission on the account
   */
  create(permission: NewPermission): Promise<Permission>
  /**
   * Changes the role of a permission.
   *
   * @throws InvalidInputError for an invalid member
   * @throws NotFoundError for a missing permission or role
   * @throws ForbiddenError if the old or the new role has a capability that the principal lacks
   * @throws LastManagerError if a company would be left without a manager
   */
  update(change: PermissionChange): Promise<Permission>
  /** Inverts `disabled`. @throws as {@link update} */
  toggle(id: number): Promise<Permission>
  /** Removes a permission. @throws as {@link update} */
  delete(id: number): Promise<void>
}

/** The audit trail: who did what, from where, when, and with what outcome. */
export interface AuditOperations {
  /**
   * Lists one page of entries, the newest first.
   *
   * @throws InvalidInputError for an invalid query
   * @throws ForbiddenError if the principal may not do this, or if the company is out of reach
   * @throws NotFoundError for the host: if the company is missing and has no entry
   * @throws UnauthenticatedError if the principal no longer exists
   */
  list(query?: AuditQuery): Promise<AuditPage>
  /** Iterates over all entries, the newest first. `limit` is the maximum number of entries. @throws as {@link list} */
  entries(query?: AuditQuery): AsyncIterable<AuditEntry>
}

export function createUserOperations(parts: EngineParts, principal: Principal, run: Run): UserOperations {
  const authorize = async () => await parts.authorizer.authorizeTenant(principal)
  const operations: UserOperations = {
    ...createListOperations((customerId?: number) => parts.users.list(authorize, customerId), run),
    get: async (id) => {
      const user = await parts.findUsers.findWithin(await authorize(), { id: parseId(id, 'id') })
      if (user === undefined) throw new NotFoundError('user', id)
      return user
    },
    find: async (query) => await parts.findUsers.findWithin(await authorize(), query),
    add: async (user) => {
      const access = await authorize()
      const companyId = parseId(user.customerId ?? principal.companyId, 'customerId')
      const added = await parts.users.add(user, companyId, access.actor, access.reach)
      const { customerId: _company, externalId: _external, disabled: _disabled, ...shown } = added
      return (await parts.users.find(access, added.id)) ?? { ...shown, permissions: [] }
    },
    reinitiate: async (id) => {
      await parts.users.reinitiate(id, (await authorize()).reach)
    },
    handOverContexts: async (id, input) => await parts.handOverContexts.ofUser(id, input, (await authorize()).reach),
    delete: async (id) => {
      await parts.users.delete(id, (await authorize()).reach)
    },
  }
  return inTurns(operations, run, LISTS)
}

export function createPermissionOperations(parts: EngineParts, principal: Principal, run: Run): PermissionOperations {
  const authorize = async () => await parts.authorizer.authorizeTenant(principal)
  const operations: PermissionOperations = {
    options: async (path) => await parts.listPermissionOptions.execute(await authorize(), path),
    create: async (permission) => {
      const { actor, reach } = await authorize()
      return await parts.userPermissions.grant(permission, actor, reach)
    },
    update: async (change) => await parts.userPermissions.changeRole(change, (await authorize()).reach),
    toggle: async (id) => await parts.userPermissions.toggle(id, (await authorize()).reach),
    delete: async (id) => {
      await parts.userPermissions.revoke(id, (await authorize()).reach)
    },
  }
  return inTurns(operations, run)
}

export function createAuditOperations(parts: EngineParts, authorize: () => Promise<Reach>, run: Run): AuditOperations {
  return {
    list: async (query = {}) => await run(async () => await parts.listAudit.execute(query, await authorize())),
    entries: (query = {}) => itemsInTurns(parts.listAudit.entries(query, authorize), run),
  }
}

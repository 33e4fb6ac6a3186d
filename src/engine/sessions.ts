import type { AuditEntry, AuditPage, AuditQuery } from '../audit/index.js'
import type { ListPage, ListQuery, RowList } from '../kernel/lists.js'
import { parseId } from '../kernel/validate.js'
import type {
  Delivery,
  DeliveryPage,
  DeliveryQuery,
  DeliveryWithAttempts,
  Destination,
  DestinationInput,
  DestinationWithSecret,
} from '../outbox/index.js'
import type {
  NewPermission,
  NewUser,
  Permission,
  PermissionChange,
  PermissionOptions,
  PermissionOptionsPath,
  Principal,
  Reach,
  UserWithPermissions,
} from '../tenancy/index.js'
import type { EngineParts } from './engine-parts.js'

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

export function createAuditOperations(parts: EngineParts, authorize: () => Promise<Reach>): AuditOperations {
  return {
    list: async (query = {}) => await parts.listAudit.execute(query, await authorize()),
    entries: (query = {}) => parts.listAudit.entries(query, authorize),
  }
}

/**
 * Destinations of events, within the reach of a principal with the capability `webhook:manage`. All methods also throw
 * UnauthenticatedError, ForbiddenError if the principal may not do this, and ClosedError after the engine is closed.
 */
export interface DestinationOperations {
  /**
   * Creates a destination. `customerId` defaults to the principal's company.
   *
   * @returns the destination with its signing secret, which only this call returns
   * @throws InvalidInputError for an invalid member
   * @throws DestinationRefusedError if the URL is not allowed. Specification: Destination requirements
   * @throws NotFoundError @throws ForbiddenError if the company is missing or out of reach
   * @throws AlreadyExistsError if the company has a destination with this URL
   * @throws LimitReachedError if the company has reached the limit `destinationsPerCompany`
   * @throws ThrottledError if the company has reached the limit `destinationChangesPerMinute`
   */
  create(destination: DestinationInput): Promise<DestinationWithSecret>
  /**
   * Lists the destinations of one company, ordered by id.
   *
   * @param customerId default: the principal's company
   * @param query a part of the list. Default: the whole list
   * @throws InvalidInputError for an invalid query
   * @throws NotFoundError @throws ForbiddenError if the company is missing or out of reach
   */
  list(customerId?: number, query?: ListQuery): Promise<Destination[]>
  /** As {@link list}, but reads a few items at a time, when the consumer asks for them. @throws as {@link list} */
  entries(customerId?: number, query?: ListQuery): AsyncIterable<Destination>
  /** As {@link entries}, with the id after which the next page begins. @throws as {@link list} */
  page(customerId: number | undefined, query: ListQuery): Promise<ListPage<Destination>>
  /** @throws InvalidInputError @throws NotFoundError `ERR_DESTINATION_NOT_FOUND` */
  get(id: number): Promise<Destination>
  /**
   * Changes a destination. An omitted name and `includeDescendants` stay unchanged. The secret stays, and waiting
   * deliveries go to the new URL.
   *
   * @throws InvalidInputError for an invalid member
   * @throws NotFoundError `ERR_DESTINATION_NOT_FOUND`
   * @throws DestinationRefusedError @throws AlreadyExistsError @throws ThrottledError as {@link create}
   */
  update(id: number, destination: DestinationInput): Promise<Destination>
  /**
   * Deletes a destination and its secret, and cancels its unfinished deliveries. The delivery log stays.
   *
   * @throws InvalidInputError @throws NotFoundError `ERR_DESTINATION_NOT_FOUND`
   */
  delete(id: number): Promise<void>
  /**
   * Replaces the signing secret. The next attempt uses the new one.
   *
   * @returns the destination with the new secret, which only this call returns
   * @throws InvalidInputError @throws NotFoundError `ERR_DESTINATION_NOT_FOUND`
   */
  rotateSecret(id: number): Promise<DestinationWithSecret>
  /**
   * Sends a test event to this destination only: `run.started` with a `jobKey` of zeros.
   *
   * @returns the new delivery, which the relay sends in the background
   * @throws InvalidInputError @throws NotFoundError `ERR_DESTINATION_NOT_FOUND`
   * @throws ThrottledError if the company has reached the limit `testEventsPerMinute`
   */
  test(id: number): Promise<Delivery>
}

/**
 * The delivery log, within the reach of a principal with the capability `webhook:manage`. All methods also throw
 * UnauthenticatedError, ForbiddenError if the principal may not do this, and ClosedError after the engine is closed.
 */
export interface DeliveryOperations {
  /** Lists one page of deliveries, the newest first. @throws InvalidInputError for an invalid query */
  list(query?: DeliveryQuery): Promise<DeliveryPage>
  /**
   * Reads a delivery with its attempts and its body.
   *
   * @throws InvalidInputError @throws NotFoundError `ERR_DELIVERY_NOT_FOUND`
   */
  get(id: number): Promise<DeliveryWithAttempts>
  /**
   * Sends the same bytes a second time, as a new delivery.
   *
   * @throws InvalidInputError
   * @throws NotFoundError `ERR_DELIVERY_NOT_FOUND`; `ERR_DESTINATION_NOT_FOUND` if the destination is deleted
   * @throws ThrottledError if the company has reached the limit `resendsPerMinute`
   */
  resend(id: number): Promise<Delivery>
}

/** The rights of a call to destinations and deliveries. */
interface OutboxAccess {
  readonly reach: Reach
  /** Owner of a new destination without a `customerId`. */
  readonly companyId: number
  /** Company whose destinations are listed by default; `undefined` for all companies within reach. */
  readonly listedCompanyId: number | undefined
}

/** Notifies the relay about new and cancelled deliveries. */
export interface OutboxSignals {
  deliveriesQueued(): void
  deliveriesCancelled(ids: readonly number[]): void
}

export function createDestinationOperations(
  parts: EngineParts,
  authorize: () => Promise<OutboxAccess>,
  signals: OutboxSignals,
): DestinationOperations {
  return {
    create: async (destination) => {
      const { companyId, reach } = await authorize()
      return await parts.destinations.create(destination, companyId, reach)
    },
    ...createListOperations((customerId?: number) =>
      parts.destinations.list(async () => {
        const { listedCompanyId, reach } = await authorize()
        return { companyId: customerId ?? listedCompanyId, reach }
      }),
    ),
    get: async (id) => await parts.destinations.get(id, (await authorize()).reach),
    update: async (id, destination) => await parts.destinations.update(id, destination, (await authorize()).reach),
    delete: async (id) => {
      signals.deliveriesCancelled(await parts.destinations.delete(id, (await authorize()).reach))
    },
    rotateSecret: async (id) => await parts.destinations.rotateSecret(id, (await authorize()).reach),
    test: async (id) => {
      const delivery = await parts.destinations.sendTest(id, (await authorize()).reach)
      signals.deliveriesQueued()
      return delivery
    },
  }
}

export function createDeliveryOperations(
  parts: EngineParts,
  authorize: () => Promise<Pick<OutboxAccess, 'reach'>>,
  signals: OutboxSignals,
): DeliveryOperations {
  return {
    list: async (query = {}) => await parts.deliveries.list(query, (await authorize()).reach),
    get: async (id) => await parts.deliveries.get(id, (await authorize()).reach),
    resend: async (id) => {
      const delivery = await parts.deliveries.resend(id, (await authorize()).reach)
      signals.deliveriesQueued()
      return delivery
    },
  }
}

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
   * Adds a user, and invites the user by mail. `customerId` defaults to the principal's company.
   *
   * @throws InvalidInputError for an invalid member
   * @throws ForbiddenError if the company is missing or out of reach, or if the principal lacks a right that the user
   *   would get
   * @throws AlreadyExistsError if the company has a user with this address
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

export function createUserOperations(parts: EngineParts, principal: Principal): UserOperations {
  const authorize = async () => await parts.authorizer.authorizeTenant(principal)
  return {
    ...createListOperations((customerId?: number) => parts.users.list(authorize, customerId)),
    add: async (user) => {
      const access = await authorize()
      const companyId = parseId(user.customerId ?? principal.companyId, 'customerId')
      const added = await parts.users.add(user, companyId, access.actor, access.reach)
      const { customerId: _company, disabled: _disabled, ...shown } = added
      return (await parts.users.find(access, added.id)) ?? { ...shown, permissions: [] }
    },
    reinitiate: async (id) => {
      await parts.users.reinitiate(id, (await authorize()).reach)
    },
    delete: async (id) => {
      await parts.users.delete(id, (await authorize()).reach)
    },
  }
}

export function createPermissionOperations(parts: EngineParts, principal: Principal): PermissionOperations {
  const authorize = async () => await parts.authorizer.authorizeTenant(principal)
  return {
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
}

/** The three ways to read a list: as an array, as an iterable, and page by page. */
interface ListOperations<Scope extends readonly unknown[], Item> {
  list(...args: [...Scope, query?: ListQuery]): Promise<Item[]>
  entries(...args: [...Scope, query?: ListQuery]): AsyncIterable<Item>
  page(...args: [...Scope, query: ListQuery]): Promise<ListPage<Item>>
}

/** @param rowsOf returns the list for the arguments before the query; `rowsOf.length` is their number */
export function createListOperations<Scope extends readonly [number?], Item extends { readonly id: number }>(
  rowsOf: (...scope: Scope) => RowList<Item>,
): ListOperations<Scope, Item> {
  const parse = (args: readonly unknown[]): [RowList<Item>, ListQuery | undefined] => {
    return [rowsOf(...(args.slice(0, rowsOf.length) as unknown as Scope)), args[rowsOf.length] as ListQuery | undefined]
  }
  return {
    list: async (...args) => {
      const [rows, query] = parse(args)
      return await rows.list(query)
    },
    entries: (...args) => {
      const [rows, query] = parse(args)
      return rows.entries(query)
    },
    page: async (...args) => {
      const [rows, query] = parse(args)
      return await rows.page(query ?? {})
    },
  }
}

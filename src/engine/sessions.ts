import type { Container } from 'inversify'
import { type AuditEntry, type AuditPage, type AuditQuery, ListAudit } from '../audit/index.js'
import type { ListPage, ListQuery, RowList } from '../kernel/lists.js'
import { parseId } from '../kernel/validate.js'
import {
  CreateDestination,
  DeleteDestination,
  type Delivery,
  type DeliveryPage,
  type DeliveryQuery,
  type DeliveryWithAttempts,
  type Destination,
  type DestinationInput,
  type DestinationWithSecret,
  ListDeliveries,
  ListDestinations,
  ResendDelivery,
  RotateSigningSecret,
  SendTestEvent,
  UpdateDestination,
} from '../outbox/index.js'
import {
  AddUser,
  Authorizer,
  DeleteUser,
  GrantPermission,
  ListPermissionOptions,
  ListUsers,
  ManagePermissions,
  type NewPermission,
  type NewUser,
  type Permission,
  type PermissionChange,
  type PermissionOptions,
  type PermissionOptionsPath,
  type Principal,
  type Reach,
  ReinitiateUser,
  type UserWithPermissions,
} from '../tenancy/index.js'

/** The audit trail: who did what, from where, when, and with what outcome. */
export interface AuditOperations {
  /** A page, the newest first. */
  list(query?: AuditQuery): Promise<AuditPage>
  /** All entries, the newest first, read page by page; `limit` says how many at most. */
  entries(query?: AuditQuery): AsyncIterable<AuditEntry>
}

export function auditOperations(container: Container, authorize: () => Promise<Reach>): AuditOperations {
  return {
    list: async (query = {}) => await container.get(ListAudit).execute(query, await authorize()),
    entries: (query = {}) => container.get(ListAudit).entries(query, authorize),
  }
}

/** Where events are sent to; for principals with the capability `webhook:manage`, within their reach. */
export interface DestinationOperations {
  /** With the signing secret, this once. `customerId` defaults to the principal's company. */
  create(destination: DestinationInput): Promise<DestinationWithSecret>
  /** Those of one company, ordered by id. @param customerId default: the principal's company */
  list(customerId?: number, query?: ListQuery): Promise<Destination[]>
  /** As {@link list}, read a few at a time as they are asked for. */
  entries(customerId?: number, query?: ListQuery): AsyncIterable<Destination>
  /** As {@link entries}, with the place where the next page begins. */
  page(customerId: number | undefined, query: ListQuery): Promise<ListPage<Destination>>
  get(id: number): Promise<Destination>
  /** The name and `includeDescendants` stay as they are when omitted. */
  update(id: number, destination: DestinationInput): Promise<Destination>
  /** What is still on its way there is cancelled. */
  delete(id: number): Promise<void>
  /** Another signing secret, from now on. */
  rotateSecret(id: number): Promise<DestinationWithSecret>
  /** Sends `run.started` of no run, to this destination alone. */
  test(id: number): Promise<Delivery>
}

/** The delivery log, within the principal's reach. */
export interface DeliveryOperations {
  /** The newest first. */
  list(query?: DeliveryQuery): Promise<DeliveryPage>
  /** With each attempt, and the body. */
  get(id: number): Promise<DeliveryWithAttempts>
  /** Sends the same bytes again, as a new delivery. */
  resend(id: number): Promise<Delivery>
}

/** For whom destinations and deliveries are looked after. */
interface OutboxAccess {
  readonly reach: Reach
  /** Whose a new destination is, unless it says. */
  readonly companyId: number
  /** Whose destinations are listed, unless it is said; `undefined` for all within reach. */
  readonly listedCompanyId: number | undefined
}

/** Tells the relay what there is to do. */
export interface OutboxSignals {
  deliveriesQueued(): void
  deliveriesCancelled(ids: readonly number[]): void
}

export function destinationOperations(
  container: Container,
  authorize: () => Promise<OutboxAccess>,
  signals: OutboxSignals,
): DestinationOperations {
  return {
    create: async (destination) => {
      const { companyId, reach } = await authorize()
      return await container.get(CreateDestination).execute(destination, companyId, reach)
    },
    ...listOperations((customerId?: number) =>
      container.get(ListDestinations).execute(async () => {
        const { listedCompanyId, reach } = await authorize()
        return { companyId: customerId ?? listedCompanyId, reach }
      }),
    ),
    get: async (id) => await container.get(ListDestinations).get(id, (await authorize()).reach),
    update: async (id, destination) =>
      await container.get(UpdateDestination).execute(id, destination, (await authorize()).reach),
    delete: async (id) => {
      signals.deliveriesCancelled(await container.get(DeleteDestination).execute(id, (await authorize()).reach))
    },
    rotateSecret: async (id) => await container.get(RotateSigningSecret).execute(id, (await authorize()).reach),
    test: async (id) => {
      const delivery = await container.get(SendTestEvent).execute(id, (await authorize()).reach)
      signals.deliveriesQueued()
      return delivery
    },
  }
}

export function deliveryOperations(
  container: Container,
  authorize: () => Promise<Pick<OutboxAccess, 'reach'>>,
  signals: OutboxSignals,
): DeliveryOperations {
  return {
    list: async (query = {}) => await container.get(ListDeliveries).execute(query, (await authorize()).reach),
    get: async (id) => await container.get(ListDeliveries).get(id, (await authorize()).reach),
    resend: async (id) => {
      const delivery = await container.get(ResendDelivery).execute(id, (await authorize()).reach)
      signals.deliveriesQueued()
      return delivery
    },
  }
}

/** Users of the principal's company and its descendants; for principals with the capability `tenant:manage`. */
export interface UserOperations {
  /** Users of one company, not of those below it. @param customerId default: the principal's company */
  list(customerId?: number, query?: ListQuery): Promise<UserWithPermissions[]>
  /** As {@link list}, read a few at a time as they are asked for. */
  entries(customerId?: number, query?: ListQuery): AsyncIterable<UserWithPermissions>
  /** As {@link entries}, with the place where the next page begins. */
  page(customerId: number | undefined, query: ListQuery): Promise<ListPage<UserWithPermissions>>
  /** Invites them by mail. `customerId` defaults to the principal's company. */
  add(user: NewUser): Promise<UserWithPermissions>
  /** Sends the invitation once more. */
  reinitiate(id: number): Promise<void>
  /** Erases what is known of a user, with all rights, keys, links and waiting mails; contexts stay with their accounts. */
  delete(id: number): Promise<void>
}

/** Permissions on accounts of the principal's company and its descendants. */
export interface PermissionOperations {
  /** What a permission can be made of, step by step. */
  options(path?: PermissionOptionsPath): Promise<PermissionOptions>
  create(permission: NewPermission): Promise<Permission>
  /** Gives it another role. */
  update(change: PermissionChange): Promise<Permission>
  /** Flips `disabled`. */
  toggle(id: number): Promise<Permission>
  delete(id: number): Promise<void>
}

export function userOperations(container: Container, principal: Principal): UserOperations {
  const authorize = async () => await container.get(Authorizer).authorizeTenant(principal)
  return {
    ...listOperations((customerId?: number) => container.get(ListUsers).execute(authorize, customerId)),
    add: async (user) => {
      const access = await authorize()
      const companyId = parseId(user.customerId ?? principal.companyId, 'customerId')
      const added = await container.get(AddUser).execute(user, companyId, access.actor, access.reach)
      const { customerId: _company, disabled: _disabled, ...shown } = added
      return (await container.get(ListUsers).one(access, added.id)) ?? { ...shown, permissions: [] }
    },
    reinitiate: async (id) => {
      await container.get(ReinitiateUser).execute(id, (await authorize()).reach)
    },
    delete: async (id) => {
      await container.get(DeleteUser).execute(id, (await authorize()).reach)
    },
  }
}

export function permissionOperations(container: Container, principal: Principal): PermissionOperations {
  const authorize = async () => await container.get(Authorizer).authorizeTenant(principal)
  const manage = (): ManagePermissions => container.get(ManagePermissions)
  return {
    options: async (path) => await container.get(ListPermissionOptions).execute(await authorize(), path),
    create: async (permission) => {
      const { actor, reach } = await authorize()
      return await container.get(GrantPermission).execute(permission, actor, reach)
    },
    update: async (change) => await manage().changeRole(change, (await authorize()).reach),
    toggle: async (id) => await manage().toggle(id, (await authorize()).reach),
    delete: async (id) => {
      await manage().delete(id, (await authorize()).reach)
    },
  }
}

/** The ways to read a list: whole, one after the other, and page by page. */
interface ListOperations<Of extends readonly unknown[], Item> {
  list(...given: [...Of, query?: ListQuery]): Promise<Item[]>
  entries(...given: [...Of, query?: ListQuery]): AsyncIterable<Item>
  page(...given: [...Of, query: ListQuery]): Promise<ListPage<Item>>
}

/** @param rowsOf the list of what is named by as many arguments as it takes, before the query */
export function listOperations<Of extends readonly [number?], Item extends { readonly id: number }>(
  rowsOf: (...of: Of) => RowList<Item>,
): ListOperations<Of, Item> {
  const split = (given: readonly unknown[]): [RowList<Item>, ListQuery | undefined] => {
    return [rowsOf(...(given.slice(0, rowsOf.length) as unknown as Of)), given[rowsOf.length] as ListQuery | undefined]
  }
  return {
    list: async (...given) => {
      const [rows, query] = split(given)
      return await rows.list(query)
    },
    entries: (...given) => {
      const [rows, query] = split(given)
      return rows.entries(query)
    },
    page: async (...given) => {
      const [rows, query] = split(given)
      return await rows.page(query ?? {})
    },
  }
}

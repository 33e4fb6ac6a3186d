import type { Container } from 'inversify'
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
import type { ListPage, ListQuery } from '../shared/row-list.js'
import type { Reach } from '../tenancy-authorization/index.js'
import { listOperations } from './list-session.js'

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
export interface OutboxAccess {
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

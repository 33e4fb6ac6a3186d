import type { ListPage, ListQuery, Run } from '../../kernel/lists.js'
import type {
  Delivery,
  DeliveryPage,
  DeliveryQuery,
  DeliveryWithAttempts,
  Destination,
  DestinationInput,
  DestinationWithSecret,
  RotateSecretOptions,
} from '../../outbox/index.js'
import type { Reach } from '../../tenancy/index.js'
import type { EngineParts } from '../engine-parts.js'
import { createListOperations, inTurns, LISTS, type WorkSignals } from './operations.js'

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
   * Changes a destination. Every omitted member stays unchanged; `url` and `eventTypes` cannot be omitted. The secret
   * stays, and waiting deliveries go to the new URL. `disabled: false` enables a destination that answered 410.
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
   * Replaces the signing secret. The next attempt uses the new one. With the signature schemes `standard` and `both`,
   * the signature of Standard Webhooks also has the old one, for `overlapHours`.
   *
   * @returns the destination with the new secret, which only this call returns
   * @throws InvalidInputError also for `overlapHours` with the scheme `service`
   * @throws NotFoundError `ERR_DESTINATION_NOT_FOUND`
   */
  rotateSecret(id: number, options?: RotateSecretOptions): Promise<DestinationWithSecret>
  /**
   * Sends a test event to this destination only: `run.started` with a `jobKey` of zeros.
   *
   * @returns the new delivery, which the relay sends in the background
   * @throws InvalidInputError also for a disabled destination
   * @throws NotFoundError `ERR_DESTINATION_NOT_FOUND`
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
   * @throws InvalidInputError also for a disabled destination
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

export function createDestinationOperations(
  parts: EngineParts,
  authorize: () => Promise<OutboxAccess>,
  workers: WorkSignals | undefined,
  run: Run,
): DestinationOperations {
  const operations: DestinationOperations = {
    create: async (destination) => {
      const { companyId, reach } = await authorize()
      return await parts.destinations.create(destination, companyId, reach)
    },
    ...createListOperations(
      (customerId?: number) =>
        parts.destinations.list(async () => {
          const { listedCompanyId, reach } = await authorize()
          return { companyId: customerId ?? listedCompanyId, reach }
        }),
      run,
    ),
    get: async (id) => await parts.destinations.get(id, (await authorize()).reach),
    update: async (id, destination) => await parts.destinations.update(id, destination, (await authorize()).reach),
    delete: async (id) => {
      const cancelledIds = await parts.destinations.delete(id, (await authorize()).reach)
      workers?.deliveriesCancelled(cancelledIds)
    },
    rotateSecret: async (id, options) => await parts.destinations.rotateSecret(id, (await authorize()).reach, options),
    test: async (id) => {
      const delivery = await parts.destinations.sendTest(id, (await authorize()).reach)
      workers?.deliveriesQueued()
      return delivery
    },
  }
  return inTurns(operations, run, LISTS)
}

export function createDeliveryOperations(
  parts: EngineParts,
  authorize: () => Promise<Pick<OutboxAccess, 'reach'>>,
  workers: WorkSignals | undefined,
  run: Run,
): DeliveryOperations {
  const operations: DeliveryOperations = {
    list: async (query = {}) => await parts.deliveries.list(query, (await authorize()).reach),
    get: async (id) => await parts.deliveries.get(id, (await authorize()).reach),
    resend: async (id) => {
      const delivery = await parts.deliveries.resend(id, (await authorize()).reach)
      workers?.deliveriesQueued()
      return delivery
    },
  }
  return inTurns(operations, run)
}

import type { RowPage } from '../../kernel/lists.js'
import type { Page } from './document-records.js'
import type { AttemptRecord, DeliveryRecord, DeliveryStatus, DestinationRecord, EventRecord } from './outbox-records.js'

/** Lists come ordered by id; a missing id reads as `undefined`. */
export interface DestinationRepository {
  /** @throws AlreadyExistsError where the company has one with the URL */
  insert(destination: Omit<DestinationRecord, 'id'>): Promise<DestinationRecord>
  get(id: number): Promise<DestinationRecord | undefined>
  /** @param page default all of them */
  list(filter?: { readonly companyId?: number }, page?: RowPage): Promise<readonly DestinationRecord[]>
  listIds(filter: { readonly companyId?: number }, page: Page): Promise<readonly number[]>
  /** How many destinations a company has. */
  count(companyId: number): Promise<number>
  /**
   * Changes the members given. @returns whether it exists
   * @throws AlreadyExistsError where the company has another with the URL
   */
  update(id: number, changes: Partial<Omit<DestinationRecord, 'id' | 'companyId' | 'created'>>): Promise<boolean>
  /** Its secret is gone; its deliveries stay. @param removed when, for `removeOld` @returns whether it existed */
  remove(id: number, removed: string): Promise<boolean>
  /** Ids of the destinations of a company, removed or not. */
  idsOfCompany(companyId: number): Promise<readonly number[]>
  /** Removes the rows of all destinations of a company, which have no deliveries. */
  deleteOfCompany(companyId: number): Promise<void>
}

/** Events, as the bytes to be sent. */
export interface EventRepository {
  insert(event: Omit<EventRecord, 'id'>): Promise<EventRecord>
  get(id: number): Promise<EventRecord | undefined>
}

/** What a list of deliveries shows. */
export interface DeliveryFilter {
  readonly destinationId?: number
  readonly status?: DeliveryStatus
  readonly type?: string
  /** Only deliveries of this company and of those below it, as `CompanyRepository.isWithin` says. */
  readonly withinCompanyId?: number
  /** Only those with a lower id. */
  readonly beforeId?: number
  readonly limit: number
}

/** A delivery with what it takes to send it. */
export interface SendableDelivery {
  readonly delivery: DeliveryRecord
  readonly destination: Pick<DestinationRecord, 'url' | 'sealedSecret'>
  readonly event: Pick<EventRecord, 'payload' | 'payloadHash'>
}

/** A delivery that was just inserted. */
export type NewDelivery = Pick<DeliveryRecord, 'id' | 'destinationId' | 'companyId'>

/** What changes about a delivery. */
export type DeliveryState = Pick<DeliveryRecord, 'status' | 'httpStatus' | 'attemptCount' | 'error' | 'updated'>

/** An attempt that begins. */
export interface NewAttempt extends Pick<AttemptRecord, 'deliveryId' | 'started'> {
  /** Where it goes to, as {@link DeliveryRepository.getSendable} gave it. */
  readonly destination: SendableDelivery['destination']
}

/** Why and when deliveries were cancelled. */
export type Cancellation = Pick<DeliveryRecord, 'updated'> & { readonly error: string }

/** Deliveries and their attempts: the delivery log. */
export interface DeliveryRepository {
  /**
   * Inserts a pending delivery for each destination that gets the events of this company and type: those of the
   * company itself, and those of companies above it, as `CompanyRepository.isWithin` says, that include their
   * descendants. Destinations of disabled companies get none. Ordered by destination.
   */
  fanOut(event: Pick<EventRecord, 'id' | 'eventId' | 'type' | 'companyId' | 'created'>): Promise<readonly NewDelivery[]>
  insert(delivery: Omit<DeliveryRecord, 'id'>): Promise<DeliveryRecord>
  get(id: number): Promise<DeliveryRecord | undefined>
  /** By their ids; without those that do not exist, or whose destination was removed, or whose company is disabled or deleted. */
  getSendable(ids: readonly number[]): Promise<ReadonlyMap<number, SendableDelivery>>
  /** The newest first. */
  list(filter: DeliveryFilter): Promise<readonly DeliveryRecord[]>
  /** @returns whether it exists */
  update(id: number, changes: Partial<DeliveryState>): Promise<boolean>
  /** As {@link update}, for many, each in its own way. */
  updateAll(changed: readonly (Pick<DeliveryRecord, 'id'> & DeliveryState)[]): Promise<void>
  /** Sets those of these deliveries to `cancelled` that are not at their end. */
  cancelAll(ids: readonly number[], changes: Cancellation): Promise<void>
  /**
   * Sets a destination's deliveries to `cancelled` that are not at their end, however many they are.
   * @returns ids of those that were `delivering`
   */
  cancelOpen(destinationId: number, changes: Cancellation): Promise<readonly number[]>
  /**
   * Begins attempts, one of a delivery.
   * @returns their ids by those of their deliveries; without those that were not begun, because the destination is
   *   not that any more, or another attempt at the delivery has not ended
   */
  insertAttempts(attempts: readonly NewAttempt[]): Promise<ReadonlyMap<number, number>>
  /** Ends attempts. */
  endAttempts(ended: readonly Omit<AttemptRecord, 'deliveryId' | 'started'>[]): Promise<void>
  /** Ends as `interrupted` what these deliveries have begun and not ended. */
  interruptAttempts(deliveryIds: readonly number[]): Promise<void>
  /** Ordered by id. */
  listAttempts(deliveryId: number): Promise<readonly AttemptRecord[]>
  /**
   * Removes deliveries that are at their end and were made before `before`, with their attempts; then
   * events of before then and removed destinations that have no delivery any more. At most `limit` of each.
   * @returns how many rows went
   */
  removeOld(options: { readonly before: string; readonly limit: number }): Promise<number>
  /** Removes deliveries to destinations of a company, in whichever state, with their attempts. @returns how many went */
  removeOfCompany(companyId: number, limit: number): Promise<number>
  /**
   * Looks at events from the oldest on, a page at a time, and removes those of a company with their deliveries, wherever
   * these go.
   * @returns the id after which the next page begins; `undefined` at the end
   */
  removeEventsOfCompany(companyId: number, page: Page): Promise<number | undefined>
}

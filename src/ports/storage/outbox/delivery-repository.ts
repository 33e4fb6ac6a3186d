import type { ErrorReason } from '../../../kernel/errors.js'
import type { Page } from '../page.js'
import type { DestinationRecord } from './destination-repository.js'
import type { EventRecord } from './event-repository.js'

/** The statuses of a delivery. The last five are final. */
export const DELIVERY_STATUSES = [
  'pending',
  'delivering',
  'succeeded',
  'failed',
  'blocked',
  'cancelled',
  'dead',
] as const

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** A delivery: one event on its way to one destination. */
export interface DeliveryRecord {
  readonly id: number
  /** Id of the event's record. */
  readonly eventRow: number
  /** Id in the envelope. */
  readonly eventId: string
  readonly type: string
  readonly destinationId: number
  /** Id of the destination's company. */
  readonly companyId: number
  readonly status: DeliveryStatus
  /** Status of the last response; null if there was none. */
  readonly httpStatus: number | null
  /** Number of attempts with a recorded outcome. Interrupted attempts do not count. */
  readonly attemptCount: number
  /** Error of the last attempt; null after a success. */
  readonly error: string | null
  /** {@link error} for programs; null without one. */
  readonly reason: ErrorReason | null
  /** Id of the delivery that this one repeats; null if it repeats none. */
  readonly resendOf: number | null
  /** The W3C `traceparent` of the span that recorded the event, or that sends it again; null without a trace. */
  readonly traceparent: string | null
  readonly created: string
  readonly updated: string
}

/** The outcome of an attempt. */
export type AttemptOutcome = 'success' | 'http_error' | 'timeout' | 'connection_error' | 'blocked' | 'interrupted'

/** One attempt at a delivery. */
export interface AttemptRecord {
  readonly id: number
  readonly deliveryId: number
  /** Null while the attempt runs, and if the process ended during the attempt. */
  readonly outcome: AttemptOutcome | null
  readonly httpStatus: number | null
  readonly error: string | null
  readonly reason: ErrorReason | null
  /** The start of the response's body as text; null if there was no response. */
  readonly responseBody: string | null
  readonly started: string
  readonly durationMs: number | null
}

/** Filter for lists of deliveries. All given conditions must match. */
export interface DeliveryFilter {
  readonly destinationId?: number
  readonly status?: DeliveryStatus
  readonly type?: string
  /** Only deliveries of this company and of those below it: see `CompanyRepository.isWithin`. */
  readonly withinCompanyId?: number
  /** Only deliveries with a lower id. */
  readonly beforeId?: number
  /** Maximum number of deliveries. */
  readonly limit: number
}

/** A delivery with the data that the relay needs to send it. */
export interface SendableDelivery {
  readonly delivery: DeliveryRecord
  readonly destination: Pick<
    DestinationRecord,
    | 'url'
    | 'signatureScheme'
    | 'retry'
    | 'sealedSecret'
    | 'previousSealedSecret'
    | 'previousSecretExpires'
    | 'failingSince'
    | 'failureReported'
    | 'updated'
    | 'sight'
    | 'makerId'
    | 'companyId'
  >
  readonly event: Pick<EventRecord, 'payload' | 'payloadHash'>
}

/** An event whose deliveries are made. */
export type FannedEvent = Pick<EventRecord, 'id' | 'eventId' | 'type' | 'companyId' | 'created'> & WithTrace

export interface FanOutOptions {
  readonly isNamedOnly: boolean
  readonly destinationIds?: readonly number[] | undefined
}

/** A delivery to insert. */
export type UnsentDelivery = Omit<DeliveryRecord, 'id' | 'traceparent'> & WithTrace

interface WithTrace {
  /** As of {@link DeliveryRecord}. Default: null. */
  readonly traceparent?: string | null
}

/** A new delivery. */
export type NewDelivery = Pick<DeliveryRecord, 'id' | 'destinationId' | 'companyId'>

/** The members of a delivery that change. */
export type DeliveryState = Pick<
  DeliveryRecord,
  'status' | 'httpStatus' | 'attemptCount' | 'error' | 'reason' | 'updated'
>

/** An attempt that starts. */
export interface NewAttempt extends Pick<AttemptRecord, 'deliveryId' | 'started'> {
  /** Members of the destination that {@link DeliveryRepository.getSendable} returned. */
  readonly destination: Pick<DestinationRecord, 'url' | 'sealedSecret' | 'signatureScheme'>
}

/** The reason and the time of a cancellation. */
export type Cancellation = Pick<DeliveryRecord, 'reason' | 'updated'> & { readonly error: string }

/** Deliveries and their attempts: the delivery log. */
export interface DeliveryRepository {
  /**
   * Inserts a pending delivery for each destination that has subscribed to events of this company and type. These are
   * the destinations of the company itself, and destinations with `includeDescendants` of companies above it: see
   * `CompanyRepository.isWithin`. Disabled destinations, and those of disabled companies, get no delivery.
   *
   * @param options.isNamedOnly true if only destinations count that name the type, and none that subscribes to all types
   *   of the specification
   * @param options.destinationIds only these destinations. Default: all of them
   * @returns the deliveries, ordered by destination
   */
  fanOut(event: FannedEvent, options: FanOutOptions): Promise<readonly NewDelivery[]>
  insert(delivery: UnsentDelivery): Promise<DeliveryRecord>
  get(id: number): Promise<DeliveryRecord | undefined>
  /**
   * Reads deliveries with the data to send them. Leaves out deliveries that do not exist, whose destination was
   * removed or is disabled, or whose company is disabled or deleted.
   *
   * @returns the deliveries by id
   */
  getSendable(ids: readonly number[]): Promise<ReadonlyMap<number, SendableDelivery>>
  /** Lists deliveries, the newest first, by id. */
  list(filter: DeliveryFilter): Promise<readonly DeliveryRecord[]>
  /** Changes the given members. @returns true if the delivery exists */
  update(id: number, changes: Partial<DeliveryState>): Promise<boolean>
  /** As {@link update}, for many deliveries, each with its own values. */
  updateAll(changes: readonly (Pick<DeliveryRecord, 'id'> & DeliveryState)[]): Promise<void>
  /** Sets these deliveries to `cancelled`, except those with a final status. */
  cancelAll(ids: readonly number[], changes: Cancellation): Promise<void>
  /**
   * Sets all deliveries of a destination without a final status to `cancelled`, however many there are.
   *
   * @returns the ids of those that were `delivering`
   */
  cancelOpen(destinationId: number, changes: Cancellation): Promise<readonly number[]>
  /**
   * Records the start of attempts, at most one for each delivery. Leaves out an attempt if the destination has changed
   * since {@link getSendable}, or if another attempt at the delivery has not ended.
   *
   * @returns the ids of the new attempts, by delivery id
   */
  insertAttempts(attempts: readonly NewAttempt[]): Promise<ReadonlyMap<number, number>>
  /** Records the outcomes of attempts. */
  endAttempts(outcomes: readonly Omit<AttemptRecord, 'deliveryId' | 'started'>[]): Promise<void>
  /** Sets the outcome of all attempts of these deliveries that have not ended to `interrupted`. */
  interruptAttempts(deliveryIds: readonly number[]): Promise<void>
  /** Lists the attempts of a delivery, ordered by id. */
  listAttempts(deliveryId: number): Promise<readonly AttemptRecord[]>
  /**
   * Removes deliveries with a final status that were created before `before`, with their attempts. Then removes events
   * from before that time, and removed destinations, that have no deliveries left.
   *
   * @param options.limit maximum number of removed rows of each kind
   * @returns the number of removed rows
   */
  removeOld(options: { readonly before: string; readonly limit: number }): Promise<number>
  /**
   * Removes deliveries to destinations of a company, with any status, and their attempts.
   *
   * @param limit maximum number of deliveries
   * @returns the number of removed deliveries
   */
  removeOfCompany(companyId: number, limit: number): Promise<number>
  /**
   * Reads one page of all events, the oldest first, and removes those of a company with their deliveries to any
   * destination.
   *
   * @returns the id after which the next page begins; `undefined` after the last page
   */
  removeEventsOfCompany(companyId: number, page: Page): Promise<number | undefined>
}

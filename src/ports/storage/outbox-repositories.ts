import type { RowPage } from '../../kernel/lists.js'
import type { Page } from './document-records.js'

/** The signatures of deliveries: that of the specification, those of Standard Webhooks, or all of them. */
export const SIGNATURE_SCHEMES = ['service', 'standard', 'both'] as const

export type SignatureScheme = (typeof SIGNATURE_SCHEMES)[number]

/** The schedules of attempts: three attempts, as the specification says, or attempts over a day. */
export const RETRY_SCHEDULES = ['standard', 'long'] as const

export type RetrySchedule = (typeof RETRY_SCHEDULES)[number]

/** The reason for which a destination is disabled: it answered 410 (Gone), or somebody disabled it. */
export type DisabledReason = 'gone' | 'manual'

/** A webhook URL of a company, with its signing secret. */
export interface DestinationRecord {
  readonly id: number
  readonly companyId: number
  /** The URL that `HttpTransport.vetDestination` returned. Unique within the company. */
  readonly url: string
  readonly name: string | null
  /** The subscribed event types; null for the types of the specification. */
  readonly eventTypes: readonly string[] | null
  /** True if it also gets events of companies below its own. */
  readonly includeDescendants: boolean
  readonly signatureScheme: SignatureScheme
  readonly retry: RetrySchedule
  /** The signing secret, encrypted. */
  readonly sealedSecret: string
  /** The secret before the last rotation, encrypted; null if there is none. */
  readonly previousSealedSecret: string | null
  /** The time from which the previous secret signs nothing; null if there is none. */
  readonly previousSecretExpires: string | null
  /** Null for an enabled destination. */
  readonly disabledReason: DisabledReason | null
  /** The end of the first failed attempt since the last success. Only for `long` retries; otherwise null. */
  readonly failingSince: string | null
  /** The time of the mails about the failures since `failingSince`; null if there are none. */
  readonly failureReported: string | null
  readonly created: string
  readonly updated: string
}

/** A destination at a time: an update of its settings changes `updated`. */
export type DestinationVersion = Pick<DestinationRecord, 'url' | 'retry' | 'updated'>

/** Destinations. Lists are ordered by id. Reading a missing id returns `undefined`. */
export interface DestinationRepository {
  /** Adds a destination. @throws AlreadyExistsError if the company has a destination with this URL */
  insert(destination: Omit<DestinationRecord, 'id'>): Promise<DestinationRecord>
  get(id: number): Promise<DestinationRecord | undefined>
  /** Lists destinations, of all companies or of one. @param page default: all of them */
  list(filter?: { readonly companyId?: number }, page?: RowPage): Promise<readonly DestinationRecord[]>
  /** As {@link list}, ids only. */
  listIds(filter: { readonly companyId?: number }, page: Page): Promise<readonly number[]>
  /** Counts the destinations of a company. */
  count(companyId: number): Promise<number>
  /**
   * Changes the given members.
   *
   * @returns true if the destination exists
   * @throws AlreadyExistsError if the company has another destination with this URL
   */
  update(id: number, changes: Partial<Omit<DestinationRecord, 'id' | 'companyId' | 'created'>>): Promise<boolean>
  /**
   * True if an enabled destination names this type in `eventTypes`. Cheap for types that begin with `document.`, whatever
   * the number of destinations.
   *
   * @param companyId counts only destinations that get the events of this company, as {@link DeliveryRepository.fanOut}
   *   finds them. Default: those of all companies
   */
  isNamed(type: string, companyId?: number): Promise<boolean>
  /**
   * Sets a member if it is null. Only one of several concurrent callers sets it.
   *
   * @param version sets nothing if the destination has another version now. Default: any version
   * @returns true if this call has set it
   */
  setIfNull<Member extends 'disabledReason' | 'failingSince' | 'failureReported'>(
    id: number,
    member: Member,
    value: NonNullable<DestinationRecord[Member]>,
    version?: DestinationVersion,
  ): Promise<boolean>
  /** Removes previous secrets that have expired. @param now ISO 8601 @returns the number of removed secrets */
  removeExpiredSecrets(options: { readonly now: string; readonly limit: number }): Promise<number>
  /**
   * Removes a destination and its secrets. Its deliveries stay.
   *
   * @param removed time of the removal, for {@link DeliveryRepository.removeOld}
   * @returns true if the destination existed
   */
  remove(id: number, removed: string): Promise<boolean>
  /** Lists the ids of the destinations of a company, removed or not. */
  idsOfCompany(companyId: number): Promise<readonly number[]>
  /** Removes the rows of all destinations of a company. The caller has removed their deliveries. */
  deleteOfCompany(companyId: number): Promise<void>
}

/** An event as recorded. */
export interface EventRecord {
  readonly id: number
  /** Unique id in the envelope. */
  readonly eventId: string
  readonly companyId: number
  readonly type: string
  /** The exact bytes of the body of every delivery. */
  readonly payload: Uint8Array
  /** Lower-case hex SHA-256 of the payload. */
  readonly payloadHash: string
  readonly created: string
}

/** Events, with the bytes that their deliveries send. */
export interface EventRepository {
  insert(event: Omit<EventRecord, 'id'>): Promise<EventRecord>
  get(id: number): Promise<EventRecord | undefined>
}

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
  >
  readonly event: Pick<EventRecord, 'payload' | 'payloadHash'>
}

/** An event whose deliveries are made. */
export type FannedEvent = Pick<EventRecord, 'id' | 'eventId' | 'type' | 'companyId' | 'created'> & WithTrace

/** A delivery to insert. */
export type UnsentDelivery = Omit<DeliveryRecord, 'id' | 'traceparent'> & WithTrace

interface WithTrace {
  /** As of {@link DeliveryRecord}. Default: null. */
  readonly traceparent?: string | null
}

/** A new delivery. */
export type NewDelivery = Pick<DeliveryRecord, 'id' | 'destinationId' | 'companyId'>

/** The members of a delivery that change. */
export type DeliveryState = Pick<DeliveryRecord, 'status' | 'httpStatus' | 'attemptCount' | 'error' | 'updated'>

/** An attempt that starts. */
export interface NewAttempt extends Pick<AttemptRecord, 'deliveryId' | 'started'> {
  /** Members of the destination that {@link DeliveryRepository.getSendable} returned. */
  readonly destination: Pick<DestinationRecord, 'url' | 'sealedSecret' | 'signatureScheme'>
}

/** The reason and the time of a cancellation. */
export type Cancellation = Pick<DeliveryRecord, 'updated'> & { readonly error: string }

/** Deliveries and their attempts: the delivery log. */
export interface DeliveryRepository {
  /**
   * Inserts a pending delivery for each destination that has subscribed to events of this company and type. These are
   * the destinations of the company itself, and destinations with `includeDescendants` of companies above it: see
   * `CompanyRepository.isWithin`. Disabled destinations, and those of disabled companies, get no delivery.
   *
   * @param options.isNamedOnly true if only destinations count that name the type, and none that subscribes to all types
   *   of the specification
   * @returns the deliveries, ordered by destination
   */
  fanOut(event: FannedEvent, options: { readonly isNamedOnly: boolean }): Promise<readonly NewDelivery[]>
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

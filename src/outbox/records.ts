import type {
  AttemptOutcome,
  AttemptRecord,
  DeliveryRecord,
  DeliveryStatus,
  DestinationRecord,
} from '../ports/index.js'
import type { Envelope } from './event.js'

/** A destination without its secret. */
export interface Destination {
  readonly id: number
  /** The company that owns the destination. */
  readonly customerId: number
  readonly url: string
  readonly name: string | null
  /** Null for all types. */
  readonly eventTypes: readonly string[] | null
  /** True where it also receives the events of the company's descendants. */
  readonly includeDescendants: boolean
  readonly created: string
  readonly updated: string
}

/** A destination with its signing secret, which is shown only once. */
export interface DestinationWithSecret extends Destination {
  readonly secret: string
}

/** An event on its way to a destination. Specification: Delivery rules. */
export interface Delivery {
  readonly id: number
  /** The `id` of the envelope. */
  readonly eventId: string
  readonly type: string
  readonly destinationId: number
  readonly status: DeliveryStatus
  /** Status of the last response. Null without a response. */
  readonly httpStatus: number | null
  /** Attempts with a recorded outcome. Interrupted attempts do not count. */
  readonly attemptCount: number
  readonly error: string | null
  readonly created: string
  readonly updated: string
}

/** One attempt at a delivery. */
export interface Attempt {
  /** Null while the attempt is in progress, or after its process crashed. */
  readonly outcome: AttemptOutcome | null
  readonly httpStatus: number | null
  readonly error: string | null
  /** The beginning of the response body, as text. */
  readonly responseBody: string | null
  readonly started: string
  readonly durationMs: number | null
}

/** A delivery with its body and its attempts. */
export interface DeliveryWithAttempts extends Delivery {
  /** The delivery that this one resends. Null for an original delivery. */
  readonly resendOf: number | null
  /** The sent body. */
  readonly payload: string
  readonly attempts: readonly Attempt[]
}

/** A page of the delivery log. The newest delivery comes first. */
export interface DeliveryPage {
  readonly items: readonly Delivery[]
  /** The `cursor` of the next page. Null on the last page. */
  readonly nextCursor: string | null
}

/** A recorded event: its envelope, its company, and the number of its deliveries. */
export interface RecordedEvent extends Envelope {
  readonly customerId: number
  readonly deliveries: number
}

export function toDestination(record: DestinationRecord): Destination {
  const { id, companyId, url, name, eventTypes, includeDescendants, created, updated } = record
  return { id, customerId: companyId, url, name, eventTypes, includeDescendants, created, updated }
}

export function toDelivery(record: DeliveryRecord): Delivery {
  const { id, eventId, type, destinationId, status, httpStatus, attemptCount, error, created, updated } = record
  return { id, eventId, type, destinationId, status, httpStatus, attemptCount, error, created, updated }
}

export function toAttempt(record: AttemptRecord): Attempt {
  const { outcome, httpStatus, error, responseBody, started, durationMs } = record
  return { outcome, httpStatus, error, responseBody, started, durationMs }
}

import type {
  AttemptOutcome,
  AttemptRecord,
  DeliveryRecord,
  DeliveryStatus,
  DestinationRecord,
} from '../ports/index.js'
import type { Envelope } from './event.js'

/** Where events are sent to, without its secret. */
export interface Destination {
  readonly id: number
  /** The company it belongs to. */
  readonly customerId: number
  readonly url: string
  readonly name: string | null
  /** Null for all. */
  readonly eventTypes: readonly string[] | null
  /** Whether it gets the events of companies below its own too. */
  readonly includeDescendants: boolean
  readonly created: string
  readonly updated: string
}

/** A destination with its signing secret, which cannot be read again. */
export interface DestinationWithSecret extends Destination {
  readonly secret: string
}

/** An event on its way to a destination (decision 32). */
export interface Delivery {
  readonly id: number
  /** The envelope's id. */
  readonly eventId: string
  readonly type: string
  readonly destinationId: number
  readonly status: DeliveryStatus
  /** Of the last response, if there was one. */
  readonly httpStatus: number | null
  /** Attempts with a recorded outcome; interrupted ones do not count. */
  readonly attemptCount: number
  readonly error: string | null
  readonly created: string
  readonly updated: string
}

/** One attempt at a delivery. */
export interface Attempt {
  /** Null while it is under way, or where the process ended meanwhile. */
  readonly outcome: AttemptOutcome | null
  readonly httpStatus: number | null
  readonly error: string | null
  /** The beginning of the response's body as text. */
  readonly responseBody: string | null
  readonly started: string
  readonly durationMs: number | null
}

/** A delivery with all that is known of it. */
export interface DeliveryWithAttempts extends Delivery {
  /** The delivery whose bytes are sent again; null for a first one. */
  readonly resendOf: number | null
  /** The body that is sent. */
  readonly payload: string
  readonly attempts: readonly Attempt[]
}

/** A page of the delivery log, the newest first. */
export interface DeliveryPage {
  readonly items: readonly Delivery[]
  /** For the next page; null on the last. */
  readonly nextCursor: string | null
}

/** An event that was recorded: its envelope, whose it is, and how many destinations will get it. */
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

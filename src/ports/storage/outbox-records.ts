/** A webhook URL of a company, with its signing secret. */
export interface DestinationRecord {
  readonly id: number
  readonly companyId: number
  /** The URL that `HttpTransport.vetDestination` returned. Unique within the company. */
  readonly url: string
  readonly name: string | null
  /** The subscribed event types; null for all types. */
  readonly eventTypes: readonly string[] | null
  /** True if it also gets events of companies below its own. */
  readonly includeDescendants: boolean
  /** The signing secret, encrypted. */
  readonly sealedSecret: string
  readonly created: string
  readonly updated: string
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

/** The outcome of an attempt. */
export type AttemptOutcome = 'success' | 'http_error' | 'timeout' | 'connection_error' | 'blocked' | 'interrupted'

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
  readonly created: string
  readonly updated: string
}

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

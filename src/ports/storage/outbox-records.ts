/** Where events are sent to. */
export interface DestinationRecord {
  readonly id: number
  readonly companyId: number
  /** In the form that `HttpTransport.vetDestination` gave it. One destination of a company for each. */
  readonly url: string
  readonly name: string | null
  /** Null for all. */
  readonly eventTypes: readonly string[] | null
  /** Whether it gets the events of companies below its own too. */
  readonly includeDescendants: boolean
  /** The signing secret, encrypted. */
  readonly sealedSecret: string
  readonly created: string
  readonly updated: string
}

/** An event as recorded. */
export interface EventRecord {
  readonly id: number
  /** The envelope's id; unique. */
  readonly eventId: string
  readonly companyId: number
  readonly type: string
  /** The exact bytes that every delivery sends. */
  readonly payload: Uint8Array
  /** Lower-case hex SHA-256 of them. */
  readonly payloadHash: string
  readonly created: string
}

/** Where a delivery stands (decision 32). */
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

/** What came of an attempt (decision 32). */
export type AttemptOutcome = 'success' | 'http_error' | 'timeout' | 'connection_error' | 'blocked' | 'interrupted'

/** An event on its way to a destination. */
export interface DeliveryRecord {
  readonly id: number
  /** The event's row. */
  readonly eventRow: number
  /** The envelope's id. */
  readonly eventId: string
  readonly type: string
  readonly destinationId: number
  /** The destination's company. */
  readonly companyId: number
  readonly status: DeliveryStatus
  /** Of the last response, if there was one. */
  readonly httpStatus: number | null
  /** Attempts with a recorded outcome; interrupted ones do not count. */
  readonly attemptCount: number
  /** Of the last attempt; null after a success. */
  readonly error: string | null
  /** The delivery whose bytes are sent again; null for a first one. */
  readonly resendOf: number | null
  readonly created: string
  readonly updated: string
}

/** One attempt at a delivery. */
export interface AttemptRecord {
  readonly id: number
  readonly deliveryId: number
  /** Null while it is under way, or where the process ended meanwhile. */
  readonly outcome: AttemptOutcome | null
  readonly httpStatus: number | null
  readonly error: string | null
  /** The beginning of the response's body as text; null where there was no response. */
  readonly responseBody: string | null
  readonly started: string
  readonly durationMs: number | null
}

import type {
  AttemptRecord,
  Cancellation,
  DeliveryRecord,
  DestinationRecord,
  ErrorReason,
  SendableDelivery,
} from '../../../src/ports/index.js'
import {
  BOOLEAN,
  Columns,
  columnOf,
  INTEGER,
  INTEGER_OR_NULL,
  jsonOrNullColumn,
  OPTIONAL_INTEGER,
  TEXT,
  TEXT_OR_NULL,
  wordColumn,
  wordOrNullColumn,
} from '../columns.js'
import { type Row, text } from '../tables.js'

/** The members of a destination by which its deliveries are sent. */
const SENDING = {
  companyId: INTEGER,
  url: TEXT,
  // Another word gives less sight, not more.
  sight: { read: (row: Row, column: string) => (row[column] === 'account' ? ('account' as const) : undefined) },
  makerId: OPTIONAL_INTEGER,
  signatureScheme: wordColumn<DestinationRecord['signatureScheme']>(),
  retry: wordColumn<DestinationRecord['retry']>(),
  sealedSecret: TEXT,
  previousSealedSecret: TEXT_OR_NULL,
  previousSecretExpires: TEXT_OR_NULL,
  failingSince: TEXT_OR_NULL,
  failureReported: TEXT_OR_NULL,
}

export const DESTINATION: Columns<DestinationRecord> = new Columns({
  ...SENDING,
  id: INTEGER,
  name: TEXT_OR_NULL,
  eventTypes: jsonOrNullColumn<readonly string[]>(),
  includeDescendants: BOOLEAN,
  disabledReason: wordOrNullColumn<'gone' | 'manual'>(),
  created: TEXT,
  updated: TEXT,
})

/** The columns of {@link toSendableDestination}. A delivery has two columns of the same names. */
export const DESTINATION_COLUMNS: readonly string[] = Object.keys(SENDING)
  .filter((member) => member !== 'companyId')
  .map((member) => `destination.${columnOf(member)}`)
  .concat('destination.updated as destination_updated')

const SENDABLE = new Columns(SENDING)

/** A delivery has the company of its destination. */
export function toSendableDestination(row: Row): SendableDelivery['destination'] {
  return { ...SENDABLE.toRecord(row), updated: text(row, 'destination_updated') }
}

export const DELIVERY: Columns<DeliveryRecord> = new Columns({
  id: INTEGER,
  eventRow: INTEGER,
  eventId: TEXT,
  type: TEXT,
  destinationId: INTEGER,
  companyId: INTEGER,
  status: wordColumn<DeliveryRecord['status']>(),
  httpStatus: INTEGER_OR_NULL,
  attemptCount: INTEGER,
  error: TEXT_OR_NULL,
  reason: jsonOrNullColumn<ErrorReason>(),
  resendOf: INTEGER_OR_NULL,
  traceparent: TEXT_OR_NULL,
  created: TEXT,
  updated: TEXT,
})

export const ATTEMPT: Columns<AttemptRecord> = new Columns({
  id: INTEGER,
  deliveryId: INTEGER,
  outcome: wordOrNullColumn<NonNullable<AttemptRecord['outcome']>>(),
  httpStatus: INTEGER_OR_NULL,
  error: TEXT_OR_NULL,
  reason: jsonOrNullColumn<ErrorReason>(),
  responseBody: TEXT_OR_NULL,
  started: TEXT,
  durationMs: INTEGER_OR_NULL,
})

export function toCancelledRow({ error, reason, updated }: Cancellation): Row {
  return { ...DELIVERY.toRow({ status: 'cancelled', error, reason, updated }) }
}

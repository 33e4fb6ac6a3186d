import type {
  AttemptOutcome,
  AttemptRecord,
  Cancellation,
  DeliveryRecord,
  DeliveryState,
  DeliveryStatus,
  DestinationRecord,
  RetrySchedule,
  SendableDelivery,
  SignatureScheme,
} from '../../../src/ports/index.js'
import { given, number, numberOrNull, type Row, text, textOrNull } from '../tables.js'

/** The columns of {@link toSendableDestination}. */
export const DESTINATION_COLUMNS: readonly string[] = [
  'url',
  'signature_scheme',
  'retry',
  'sealed_secret',
  'previous_sealed_secret',
  'previous_secret_expires',
  'failing_since',
  'failure_reported',
  'sight',
  'maker_id',
]
  .map((column) => `destination.${column}`)
  // A delivery has a column of this name.
  .concat('destination.updated as destination_updated')

export function toCancelledRow({ error, updated }: Cancellation): Row {
  return { status: 'cancelled', error, updated }
}

export function toState({ status, httpStatus, attemptCount, error, updated }: Partial<DeliveryState>): Row {
  return { status, http_status: httpStatus, attempt_count: attemptCount, error, updated }
}

export function toRow(delivery: Omit<DeliveryRecord, 'id'>): Row {
  return {
    event_row: delivery.eventRow,
    event_id: delivery.eventId,
    type: delivery.type,
    destination_id: delivery.destinationId,
    company_id: delivery.companyId,
    status: delivery.status,
    http_status: delivery.httpStatus,
    attempt_count: delivery.attemptCount,
    error: delivery.error,
    resend_of: delivery.resendOf,
    traceparent: delivery.traceparent,
    created: delivery.created,
    updated: delivery.updated,
  }
}

export function toDelivery(row: Row): DeliveryRecord {
  return {
    id: number(row, 'id'),
    eventRow: number(row, 'event_row'),
    eventId: text(row, 'event_id'),
    type: text(row, 'type'),
    destinationId: number(row, 'destination_id'),
    companyId: number(row, 'company_id'),
    status: text(row, 'status') as DeliveryStatus,
    httpStatus: numberOrNull(row, 'http_status'),
    attemptCount: number(row, 'attempt_count'),
    error: textOrNull(row, 'error'),
    resendOf: numberOrNull(row, 'resend_of'),
    traceparent: textOrNull(row, 'traceparent'),
    created: text(row, 'created'),
    updated: text(row, 'updated'),
  }
}

export function toSendableDestination(row: Row): SendableDelivery['destination'] {
  return {
    url: text(row, 'url'),
    signatureScheme: text(row, 'signature_scheme') as SignatureScheme,
    retry: text(row, 'retry') as RetrySchedule,
    sealedSecret: text(row, 'sealed_secret'),
    previousSealedSecret: textOrNull(row, 'previous_sealed_secret'),
    previousSecretExpires: textOrNull(row, 'previous_secret_expires'),
    failingSince: textOrNull(row, 'failing_since'),
    failureReported: textOrNull(row, 'failure_reported'),
    updated: text(row, 'destination_updated'),
    companyId: number(row, 'company_id'),
    ...toSight(row),
  }
}

/** The sight and the maker of a destination. Another word gives less sight, not more. */
export function toSight(row: Row): Pick<DestinationRecord, 'sight' | 'makerId'> {
  return {
    ...(text(row, 'sight') === 'account' && { sight: 'account' as const }),
    ...given({ makerId: numberOrNull(row, 'maker_id') }),
  }
}

export function toAttempt(row: Row): AttemptRecord {
  return {
    id: number(row, 'id'),
    deliveryId: number(row, 'delivery_id'),
    outcome: textOrNull(row, 'outcome') as AttemptOutcome | null,
    httpStatus: numberOrNull(row, 'http_status'),
    error: textOrNull(row, 'error'),
    responseBody: textOrNull(row, 'response_body'),
    started: text(row, 'started'),
    durationMs: numberOrNull(row, 'duration_ms'),
  }
}

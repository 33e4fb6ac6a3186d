import { sha256Hex } from '../kernel/random.js'
import type { EventRecord } from '../ports/index.js'
import { type EventType } from '../webhooks/index.js'
import { categoryOf, fieldsOf } from './catalog.js'

/** Makes the stored form of an event: the exact bytes that every delivery sends, and their hash. */
export async function toEventRecord(envelope: Envelope): Promise<Omit<EventRecord, 'id' | 'companyId'>> {
  const payload = new TextEncoder().encode(JSON.stringify(envelope))
  const { id, type, timestamp } = envelope
  return { eventId: id, type, payload, payloadHash: await sha256Hex(payload), created: timestamp }
}

/** The body of a delivery, with its members in the order in which they are sent. Specification: Envelope. */
export interface Envelope {
  readonly id: string
  readonly version: 'v1'
  readonly type: EventType
  readonly event_category: string
  /** ISO 8601, UTC. */
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Makes the envelope of an event that is recorded now. */
export function newEnvelope(type: EventType, data: Readonly<Record<string, unknown>>, now: Date): Envelope {
  return {
    id: newEventId(now),
    version: 'v1',
    type,
    event_category: categoryOf(type),
    timestamp: now.toISOString(),
    data: Object.fromEntries(fieldsOf(type).map((field) => [field, data[field]])),
  }
}

/** Crockford's base 32, which has no letters that look like digits. */
const BASE_32_DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** `evt_` and a ULID: 48 bits of milliseconds, so that ids sort by time, and 80 random ones. */
function newEventId(now: Date): string {
  let time = ''
  // A clock may be wrong by decades, and so before 1970.
  for (let rest = Math.max(0, now.getTime()); time.length < 10; rest = Math.floor(rest / 32)) {
    time = digit(rest % 32) + time
  }
  const random = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => digit(byte % 32))
  return `evt_${time}${random.join('')}`
}

function digit(value: number): string {
  return BASE_32_DIGITS.charAt(value)
}

/** The kind of the jobs that send a delivery. */
export const DELIVER_EVENT = 'deliver-event'

/** The kind of the job that removes old deliveries. */
export const TRIM_DELIVERIES = 'trim-deliveries'

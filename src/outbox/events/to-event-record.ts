import type { EventRecord } from '../../ports/index.js'
import { sha256Hex } from '../../shared/random.js'
import { type Envelope, toPayload } from '../envelope.js'

/** An event as it is to be stored: the exact bytes that every delivery sends, and their hash. */
export async function toEventRecord(envelope: Envelope): Promise<Omit<EventRecord, 'id' | 'companyId'>> {
  const payload = toPayload(envelope)
  const { id, type, timestamp } = envelope
  return { eventId: id, type, payload, payloadHash: await sha256Hex(payload), created: timestamp }
}

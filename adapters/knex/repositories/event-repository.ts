import type { EventRecord, EventRepository } from '../../../src/ports/index.js'
import { bytes, number, text } from '../rows.js'
import { KnexRepository, type Session } from './base.js'

export class KnexEventRepository extends KnexRepository implements EventRepository {
  constructor(session: Session) {
    super(session, 'events')
  }

  async insert(event: Omit<EventRecord, 'id'>): Promise<EventRecord> {
    const { eventId, companyId, type, payload, payloadHash, created } = event
    const id = await this.insertRow({
      event_id: eventId,
      company_id: companyId,
      type,
      payload: Buffer.from(payload),
      payload_hash: payloadHash,
      created,
    })
    return { id, ...event }
  }

  async get(id: number): Promise<EventRecord | undefined> {
    const row = await this.getRow(id)
    return (
      row && {
        id,
        eventId: text(row, 'event_id'),
        companyId: number(row, 'company_id'),
        type: text(row, 'type'),
        payload: bytes(row, 'payload'),
        payloadHash: text(row, 'payload_hash'),
        created: text(row, 'created'),
      }
    )
  }
}

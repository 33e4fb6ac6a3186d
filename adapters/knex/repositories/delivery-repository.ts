import type { Knex } from 'knex'
import type {
  AttemptOutcome,
  AttemptRecord,
  Cancellation,
  DeliveryFilter,
  DeliveryRecord,
  DeliveryRepository,
  DeliveryStatus,
  EventRecord,
  NewDelivery,
  SendableDelivery,
} from '../../../src/ports/index.js'
import { IS_OPEN } from '../migrations/0005-outbox.js'
import { bytes, number, numberOrNull, type Row, text, textOrNull } from '../rows.js'
import type { TableName } from '../tables.js'
import { inParts, KnexRepository, type Session } from './base.js'
import { ancestors, descendants } from './company-tree.js'

const OPEN: readonly DeliveryStatus[] = ['pending', 'delivering']
/** More than can be under way among the oldest. */
const OLDEST_LOOKED_AT = 1_000

export class KnexDeliveryRepository extends KnexRepository implements DeliveryRepository {
  constructor(session: Session) {
    super(session, 'deliveries')
  }

  async fanOut(
    event: Pick<EventRecord, 'id' | 'eventId' | 'type' | 'companyId' | 'created'>,
  ): Promise<readonly NewDelivery[]> {
    const { id, eventId, type, companyId, created } = event
    const { knex, name } = this.session
    const select = knex
      .from(name('destinations'))
      .whereNull('deleted')
      .where((either) => {
        void either.where('company_id', companyId).orWhere((above) => {
          void above.where('include_descendants', true).whereIn('company_id', ancestors(this.session, companyId))
        })
      })
      .where((either) => {
        void either.whereNull('event_types').orWhere('event_types', 'like', `%${JSON.stringify(type)}%`)
      })
      .orderBy('id')
      .select(knex.raw(`?, ?, ?, id, company_id, 'pending', 0, ?, ?`, [id, eventId, type, created, created]))
      .toSQL()
    // Rows are made where they are kept: their values do not go there and back. Knex has no way to say it.
    const columns = 'event_row, event_id, type, destination_id, company_id, status, attempt_count, created, updated'
    const rows = await this.rawRows(
      `insert into ?? (${columns}) ${select.sql} returning id, destination_id, company_id`,
      [name('deliveries'), ...select.bindings],
    )
    return rows
      .map((row) => {
        const destinationId = number(row, 'destination_id')
        return { id: number(row, 'id'), destinationId, companyId: number(row, 'company_id') }
      })
      .sort((one, other) => one.destinationId - other.destinationId)
  }

  async insert(delivery: Omit<DeliveryRecord, 'id'>): Promise<DeliveryRecord> {
    return { id: await this.insertRow(toRow(delivery)), ...delivery }
  }

  async getSendable(id: number): Promise<SendableDelivery | undefined> {
    const { knex, name } = this.session
    const rows: Row[] = await knex
      .from({ delivery: name('deliveries') })
      .join({ destination: name('destinations') }, 'destination.id', 'delivery.destination_id')
      .join({ event: name('events') }, 'event.id', 'delivery.event_row')
      .where('delivery.id', id)
      .whereNull('destination.deleted')
      .select('delivery.*', 'destination.url', 'destination.sealed_secret', 'event.payload', 'event.payload_hash')
    const [row] = rows
    return (
      row && {
        delivery: toDelivery(row),
        destination: { url: text(row, 'url'), sealedSecret: text(row, 'sealed_secret') },
        event: { payload: bytes(row, 'payload'), payloadHash: text(row, 'payload_hash') },
      }
    )
  }

  async get(id: number): Promise<DeliveryRecord | undefined> {
    const row = await this.getRow(id)
    return row && toDelivery(row)
  }

  async list(filter: DeliveryFilter): Promise<readonly DeliveryRecord[]> {
    const { destinationId, status, type, withinCompanyId, beforeId, limit } = filter
    const rows = this.rows.orderBy('id', 'desc').limit(limit)
    if (destinationId !== undefined) void rows.where('destination_id', destinationId)
    if (status !== undefined) void rows.where('status', status)
    if (type !== undefined) void rows.where('type', type)
    if (beforeId !== undefined) void rows.where('id', '<', beforeId)
    if (withinCompanyId !== undefined) void rows.whereIn('company_id', descendants(this.session, withinCompanyId))
    return (await rows.select()).map(toDelivery)
  }

  async update(
    id: number,
    changes: Partial<Pick<DeliveryRecord, 'status' | 'httpStatus' | 'attemptCount' | 'error' | 'updated'>>,
  ): Promise<boolean> {
    const { status, httpStatus, attemptCount, error, updated } = changes
    const row = { status, http_status: httpStatus, attempt_count: attemptCount, error, updated }
    return await this.updateRow(id, Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)))
  }

  async cancelAll(ids: readonly number[], cancellation: Cancellation): Promise<void> {
    for (const part of inParts(ids)) {
      await this.rows.whereIn('id', part).whereIn('status', OPEN).update(cancelled(cancellation))
    }
  }

  async cancelOpen(destinationId: number, cancellation: Cancellation): Promise<readonly number[]> {
    const changes = cancelled(cancellation)
    // In the words of the index, which has these rows alone.
    const open = () => this.rows.where('destination_id', destinationId).whereRaw(IS_OPEN)
    const underWay = await open().where('status', 'delivering').update(changes).returning('id')
    await open().update(changes)
    return (underWay as Row[]).map((row) => number(row, 'id')).sort((one, other) => one - other)
  }

  async insertAttempt(
    { deliveryId, started }: Pick<AttemptRecord, 'deliveryId' | 'started'>,
    { url, sealedSecret }: SendableDelivery['destination'],
  ): Promise<number | undefined> {
    const { name } = this.session
    const rows = await this.rawRows(
      `insert into ?? (delivery_id, started)
       select delivery.id, ? from ?? as delivery join ?? as destination on destination.id = delivery.destination_id
       where delivery.id = ? and destination.url = ? and destination.sealed_secret = ? and destination.deleted is null
       and not exists (select 1 from ?? as open where open.delivery_id = delivery.id and open.outcome is null)
       returning id`,
      [
        name('attempts'),
        started,
        name('deliveries'),
        name('destinations'),
        deliveryId,
        url,
        sealedSecret,
        name('attempts'),
      ],
    )
    return rows[0] && number(rows[0], 'id')
  }

  async endAttempt(id: number, end: Omit<AttemptRecord, 'id' | 'deliveryId' | 'started'>): Promise<void> {
    const { outcome, httpStatus, error, responseBody, durationMs } = end
    const row = { outcome, http_status: httpStatus, error, response_body: responseBody, duration_ms: durationMs }
    await this.#of('attempts').where('id', id).update(row)
  }

  async interruptAttempts(deliveryIds: readonly number[]): Promise<void> {
    for (const part of inParts(deliveryIds)) {
      await this.#of('attempts').whereIn('delivery_id', part).whereNull('outcome').update({ outcome: 'interrupted' })
    }
  }

  async listAttempts(deliveryId: number): Promise<readonly AttemptRecord[]> {
    return (await this.#of('attempts').where('delivery_id', deliveryId).orderBy('id').select()).map(toAttempt)
  }

  async removeOld({ before, limit }: { readonly before: string; readonly limit: number }): Promise<number> {
    const old = await this.#oldest(before, limit)
    for (const part of inParts(old)) {
      await this.#of('attempts').whereIn('delivery_id', part).delete()
      await this.rows.whereIn('id', part).delete()
    }
    const isUsed = (column: string, of: string) =>
      this.rows.whereRaw('?? = ??', [`${this.session.name('deliveries')}.${column}`, of]).select('id')
    const events = this.session.name('events')
    const oldEvents = this.#of('events')
      .where('created', '<', before)
      .whereNotExists(isUsed('event_row', `${events}.id`))
      .limit(limit)
      .select('id')
    const goneEvents = await this.#of('events').whereIn('id', oldEvents).delete()
    const destinations = this.session.name('destinations')
    const removed = this.#of('destinations')
      .where('deleted', '<', before)
      .whereNotExists(isUsed('destination_id', `${destinations}.id`))
      .limit(limit)
      .select('id')
    return old.length + goneEvents + (await this.#of('destinations').whereIn('id', removed).delete())
  }

  /** Deliveries at their end, from the first one on: ids ascend with time, so that needs no index. */
  async #oldest(before: string, limit: number): Promise<readonly number[]> {
    const first = await this.rows
      .orderBy('id')
      .limit(Math.max(limit, OLDEST_LOOKED_AT))
      .select('id', 'created', 'status')
    return first
      .filter((row) => text(row, 'created') < before && !OPEN.includes(text(row, 'status') as DeliveryStatus))
      .slice(0, limit)
      .map((row) => number(row, 'id'))
  }

  #of(table: TableName): Knex.QueryBuilder<Row, Row[]> {
    return this.session.knex<Row>(this.session.name(table))
  }
}

function cancelled({ error, updated }: Cancellation): Row {
  return { status: 'cancelled', error, updated }
}

function toRow(delivery: Omit<DeliveryRecord, 'id'>): Row {
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
    created: delivery.created,
    updated: delivery.updated,
  }
}

function toDelivery(row: Row): DeliveryRecord {
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
    created: text(row, 'created'),
    updated: text(row, 'updated'),
  }
}

function toAttempt(row: Row): AttemptRecord {
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

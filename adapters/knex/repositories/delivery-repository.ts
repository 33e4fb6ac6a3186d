import type { Knex } from 'knex'
import type {
  AttemptRecord,
  Cancellation,
  DeliveryFilter,
  DeliveryRecord,
  DeliveryRepository,
  DeliveryState,
  DeliveryStatus,
  FannedEvent,
  FanOutOptions,
  NewAttempt,
  NewDelivery,
  Page,
  SendableDelivery,
  UnsentDelivery,
} from '../../../src/ports/index.js'
import { IS_OPEN } from '../migrations/0001-initial-events.js'
import { bytes, number, type Row, type TableName, text } from '../tables.js'
import { descendants } from './company-repositories.js'
import { ATTEMPT, DELIVERY, DESTINATION_COLUMNS, toCancelledRow, toSendableDestination } from './delivery-rows.js'
import { inParts, KnexRepository, type Session } from './knex-repository.js'
import { disabledCompanyIds, whereGetsEventsOf, whereNamed } from './outbox-repositories.js'

const STATE_COLUMNS = {
  status: 'text',
  http_status: 'bigint',
  attempt_count: 'bigint',
  error: 'text',
  reason: 'text',
  updated: 'text',
} as const
const OUTCOME_COLUMNS = {
  outcome: 'text',
  http_status: 'bigint',
  error: 'text',
  reason: 'text',
  response_body: 'text',
  duration_ms: 'bigint',
} as const
const OPEN_STATUSES: readonly DeliveryStatus[] = ['pending', 'delivering']
/** Oldest finished rows that are read. The clocks of processes differ, so a few of the first ones may be new. */
const MIN_ROWS_READ = 1_000

export class KnexDeliveryRepository extends KnexRepository implements DeliveryRepository {
  constructor(session: Session) {
    super(session, 'deliveries')
  }

  async fanOut(event: FannedEvent, { isNamedOnly, destinationIds }: FanOutOptions): Promise<readonly NewDelivery[]> {
    const { id, eventId, type, companyId, created, traceparent = null } = event
    const { knex, name } = this.session
    const values = [id, eventId, type, created, created, traceparent] as readonly Knex.RawBinding[]
    const select = whereGetsEventsOf(knex.from(name('destinations')), this.session, companyId)
      .whereNull('deleted')
      .whereNull('disabled_reason')
      .where((either) => {
        if (!isNamedOnly) void either.whereNull('event_types')
        void either.orWhere((named) => void whereNamed(named, type))
      })
      .where((chosen) => {
        if (destinationIds !== undefined) void chosen.whereIn('id', destinationIds)
      })
      .orderBy('id')
      .select(knex.raw(`?, ?, ?, id, company_id, 'pending', 0, ?, ?, ?`, values))
      .toSQL()
    // The database creates the rows, so that their values are not read and sent back. knex cannot build this statement.
    const columns =
      'event_row, event_id, type, destination_id, company_id, status, attempt_count, created, updated, traceparent'
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

  async insert({ traceparent = null, ...unsent }: UnsentDelivery): Promise<DeliveryRecord> {
    const delivery = { ...unsent, traceparent }
    return { id: await this.insertRow(DELIVERY.toRow(delivery)), ...delivery }
  }

  async getSendable(ids: readonly number[]): Promise<ReadonlyMap<number, SendableDelivery>> {
    const { knex, name } = this.session
    const sendable = new Map<number, SendableDelivery>()
    for (const part of inParts(ids)) {
      const rows: Row[] = await knex
        .from({ delivery: name('deliveries') })
        .join({ destination: name('destinations') }, 'destination.id', 'delivery.destination_id')
        .join({ event: name('events') }, 'event.id', 'delivery.event_row')
        .whereIn('delivery.id', part)
        .whereNull('destination.deleted')
        .whereNull('destination.disabled_reason')
        .whereNotIn('destination.company_id', disabledCompanyIds(this.session))
        .select('delivery.*', ...DESTINATION_COLUMNS, 'event.payload', 'event.payload_hash')
      for (const row of rows) {
        sendable.set(number(row, 'id'), {
          delivery: DELIVERY.toRecord(row),
          destination: toSendableDestination(row),
          event: { payload: bytes(row, 'payload'), payloadHash: text(row, 'payload_hash') },
        })
      }
    }
    return sendable
  }

  async get(id: number): Promise<DeliveryRecord | undefined> {
    const row = await this.getRow(id)
    return row && DELIVERY.toRecord(row)
  }

  async list(filter: DeliveryFilter): Promise<readonly DeliveryRecord[]> {
    const { destinationId, status, type, withinCompanyId, beforeId, limit } = filter
    const rows = this.rows.orderBy('id', 'desc').limit(limit)
    if (destinationId !== undefined) void rows.where('destination_id', destinationId)
    if (status !== undefined) void rows.where('status', status)
    if (type !== undefined) void rows.where('type', type)
    if (beforeId !== undefined) void rows.where('id', '<', beforeId)
    if (withinCompanyId !== undefined) void rows.whereIn('company_id', descendants(this.session, withinCompanyId))
    return (await rows.select()).map(DELIVERY.toRecord)
  }

  async update(id: number, changes: Partial<DeliveryState>): Promise<boolean> {
    return await this.updateRow(id, DELIVERY.toRow(changes))
  }

  async updateAll(changed: readonly (Pick<DeliveryRecord, 'id'> & DeliveryState)[]): Promise<void> {
    await this.updateEach(
      STATE_COLUMNS,
      changed.map((delivery) => DELIVERY.toRow(delivery)),
    )
  }

  async cancelAll(ids: readonly number[], cancellation: Cancellation): Promise<void> {
    for (const part of inParts(ids)) {
      await this.rows.whereIn('id', part).whereIn('status', OPEN_STATUSES).update(toCancelledRow(cancellation))
    }
  }

  async cancelOpen(destinationId: number, cancellation: Cancellation): Promise<readonly number[]> {
    const changes = toCancelledRow(cancellation)
    // The condition is that of the partial index, word for word. Otherwise the database would not use it.
    const openRows = () => this.rows.where('destination_id', destinationId).whereRaw(IS_OPEN)
    const underWay = await openRows().where('status', 'delivering').update(changes).returning('id')
    await openRows().update(changes)
    return (underWay as Row[]).map((row) => number(row, 'id')).sort((one, other) => one - other)
  }

  async insertAttempts(attempts: readonly NewAttempt[]): Promise<ReadonlyMap<number, number>> {
    const ids = new Map<number, number>()
    for (const part of inParts(attempts)) {
      for (const row of await this.#insertAttempts(part)) ids.set(number(row, 'delivery_id'), number(row, 'id'))
    }
    return ids
  }

  async #insertAttempts(attempts: readonly NewAttempt[]): Promise<readonly Row[]> {
    const [table, deliveries, destinations] = (['attempts', 'deliveries', 'destinations'] as const).map((name) =>
      this.session.name(name),
    )
    const placeholders = attempts
      .map(() => '(cast(? as bigint), cast(? as text), cast(? as text), cast(? as text), cast(? as text))')
      .join()
    const values = attempts.flatMap(({ deliveryId, started, destination: { url, sealedSecret, signatureScheme } }) => [
      deliveryId,
      started,
      url,
      sealedSecret,
      signatureScheme,
    ])
    return await this.rawRows(
      `with begun(delivery_id, started, url, sealed_secret, signature_scheme) as (values ${placeholders})
       insert into ?? (delivery_id, started)
       select delivery.id, begun.started from begun
       join ?? as delivery on delivery.id = begun.delivery_id
       join ?? as destination on destination.id = delivery.destination_id
       where destination.url = begun.url and destination.sealed_secret = begun.sealed_secret
       and destination.signature_scheme = begun.signature_scheme
       and destination.deleted is null and destination.disabled_reason is null
       and not exists (select 1 from ?? as open where open.delivery_id = delivery.id and open.outcome is null)
       returning id, delivery_id`,
      [...values, table, deliveries, destinations, table] as readonly Knex.RawBinding[],
    )
  }

  async endAttempts(attempts: readonly Omit<AttemptRecord, 'deliveryId' | 'started'>[]): Promise<void> {
    await this.updateEach(
      OUTCOME_COLUMNS,
      attempts.map((attempt) => ATTEMPT.toRow(attempt)),
      'attempts',
    )
  }

  async interruptAttempts(deliveryIds: readonly number[]): Promise<void> {
    for (const part of inParts(deliveryIds)) {
      await this.#rowsOf('attempts')
        .whereIn('delivery_id', part)
        .whereNull('outcome')
        .update({ outcome: 'interrupted' })
    }
  }

  async listAttempts(deliveryId: number): Promise<readonly AttemptRecord[]> {
    return (await this.#rowsOf('attempts').where('delivery_id', deliveryId).orderBy('id').select()).map(
      ATTEMPT.toRecord,
    )
  }

  async removeOld({ before, limit }: { readonly before: string; readonly limit: number }): Promise<number> {
    const oldIds = await this.#listOldIds(before, limit)
    await this.#removeRows(oldIds)
    const usingDeliveries = (column: string, usedId: string) =>
      this.rows.whereRaw('?? = ??', [`${this.session.name('deliveries')}.${column}`, usedId]).select('id')
    const events = this.session.name('events')
    const oldEvents = this.#rowsOf('events')
      .where('created', '<', before)
      .whereNotExists(usingDeliveries('event_row', `${events}.id`))
      .limit(limit)
      .select('id')
    const removedEvents = await this.#rowsOf('events').whereIn('id', oldEvents).delete()
    const destinations = this.session.name('destinations')
    const oldDestinations = this.#rowsOf('destinations')
      .where('deleted', '<', before)
      .whereNotExists(usingDeliveries('destination_id', `${destinations}.id`))
      .limit(limit)
      .select('id')
    return oldIds.length + removedEvents + (await this.#rowsOf('destinations').whereIn('id', oldDestinations).delete())
  }

  async removeOfCompany(companyId: number, limit: number): Promise<number> {
    const deliveries = await this.rows.where('company_id', companyId).orderBy('id').limit(limit).select('id')
    await this.#removeRows(deliveries.map((row) => number(row, 'id')))
    return deliveries.length
  }

  async removeEventsOfCompany(companyId: number, { after, limit }: Page): Promise<number | undefined> {
    // Pages follow the primary key: an index by company would slow down the recording of every event.
    const page = await this.#rowsOf('events')
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .select('id', 'company_id')
    const ids = page.filter((row) => number(row, 'company_id') === companyId).map((row) => number(row, 'id'))
    for (const part of inParts(ids)) {
      const deliveries = await this.rows.whereIn('event_row', part).select('id')
      await this.#removeRows(deliveries.map((row) => number(row, 'id')))
      await this.#rowsOf('events').whereIn('id', part).delete()
    }
    const last = page.at(-1)
    return last === undefined ? undefined : number(last, 'id')
  }

  async #removeRows(ids: readonly number[]): Promise<void> {
    for (const part of inParts(ids)) {
      await this.#rowsOf('attempts').whereIn('delivery_id', part).delete()
      await this.rows.whereIn('id', part).delete()
    }
  }

  /**
   * Ids of the oldest finished deliveries. Ids ascend with time, so this needs no index on the time. Any number of open
   * deliveries may be older: long retries can take longer than a short retention.
   */
  async #listOldIds(before: string, limit: number): Promise<readonly number[]> {
    const oldest = await this.rows
      .whereNotIn('status', OPEN_STATUSES)
      .orderBy('id')
      .limit(Math.max(limit, MIN_ROWS_READ))
      .select('id', 'created')
    return oldest
      .filter((row) => text(row, 'created') < before)
      .slice(0, limit)
      .map((row) => number(row, 'id'))
  }

  #rowsOf(table: TableName): Knex.QueryBuilder<Row, Row[]> {
    return this.session.knex<Row>(this.session.name(table))
  }
}

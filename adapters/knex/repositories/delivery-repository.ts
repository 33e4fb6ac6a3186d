import type { Knex } from 'knex'
import type {
  AttemptOutcome,
  AttemptRecord,
  Cancellation,
  DeliveryFilter,
  DeliveryRecord,
  DeliveryRepository,
  DeliveryState,
  DeliveryStatus,
  FannedEvent,
  NewAttempt,
  NewDelivery,
  Page,
  RetrySchedule,
  SendableDelivery,
  SignatureScheme,
  UnsentDelivery,
} from '../../../src/ports/index.js'
import { IS_OPEN } from '../migrations/0001-initial-events.js'
import { bytes, number, numberOrNull, type Row, type TableName, text, textOrNull } from '../tables.js'
import { descendants } from './company-repositories.js'
import { inParts, KnexRepository, type Session } from './knex-repository.js'
import { disabledCompanyIds, whereGetsEventsOf, whereNamed } from './outbox-repositories.js'

const STATE_COLUMNS = {
  status: 'text',
  http_status: 'bigint',
  attempt_count: 'bigint',
  error: 'text',
  updated: 'text',
} as const
const OUTCOME_COLUMNS = {
  outcome: 'text',
  http_status: 'bigint',
  error: 'text',
  response_body: 'text',
  duration_ms: 'bigint',
} as const
/** The columns of {@link toSendableDestination}. */
const DESTINATION_COLUMNS = [
  'url',
  'signature_scheme',
  'retry',
  'sealed_secret',
  'previous_sealed_secret',
  'previous_secret_expires',
  'failing_since',
  'failure_reported',
]
  .map((column) => `destination.${column}`)
  // A delivery has a column of this name.
  .concat('destination.updated as destination_updated')
const OPEN_STATUSES: readonly DeliveryStatus[] = ['pending', 'delivering']
/** Oldest finished rows that are read. The clocks of processes differ, so a few of the first ones may be new. */
const MIN_ROWS_READ = 1_000

export class KnexDeliveryRepository extends KnexRepository implements DeliveryRepository {
  constructor(session: Session) {
    super(session, 'deliveries')
  }

  async fanOut(
    event: FannedEvent,
    { isNamedOnly }: { readonly isNamedOnly: boolean },
  ): Promise<readonly NewDelivery[]> {
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
    return { id: await this.insertRow(toRow(delivery)), ...delivery }
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
          delivery: toDelivery(row),
          destination: toSendableDestination(row),
          event: { payload: bytes(row, 'payload'), payloadHash: text(row, 'payload_hash') },
        })
      }
    }
    return sendable
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

  async update(id: number, changes: Partial<DeliveryState>): Promise<boolean> {
    const row = Object.entries(toState(changes)).filter(([, value]) => value !== undefined)
    return await this.updateRow(id, Object.fromEntries(row))
  }

  async updateAll(changed: readonly (Pick<DeliveryRecord, 'id'> & DeliveryState)[]): Promise<void> {
    await this.updateEach(
      STATE_COLUMNS,
      changed.map(({ id, ...state }) => ({ id, ...toState(state) })),
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
      attempts.map(({ id, outcome, httpStatus, error, responseBody, durationMs }) => {
        return { id, outcome, http_status: httpStatus, error, response_body: responseBody, duration_ms: durationMs }
      }),
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
    return (await this.#rowsOf('attempts').where('delivery_id', deliveryId).orderBy('id').select()).map(toAttempt)
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

function toCancelledRow({ error, updated }: Cancellation): Row {
  return { status: 'cancelled', error, updated }
}

function toState({ status, httpStatus, attemptCount, error, updated }: Partial<DeliveryState>): Row {
  return { status, http_status: httpStatus, attempt_count: attemptCount, error, updated }
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
    traceparent: delivery.traceparent,
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
    traceparent: textOrNull(row, 'traceparent'),
    created: text(row, 'created'),
    updated: text(row, 'updated'),
  }
}

function toSendableDestination(row: Row): SendableDelivery['destination'] {
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

import { z } from 'zod'
import { sha256Hex } from '../kernel/crypto.js'
import { NotFoundError } from '../kernel/errors.js'
import { choiceSchema, closedObjectSchema, idSchema, validate } from '../kernel/validate.js'
import type {
  Clock,
  DeliveryRecord,
  DeliveryStatus,
  EventRecord,
  NewDelivery,
  Repositories,
  Storage,
} from '../ports/index.js'
import { EVENT_TYPES, type EventData, type EventType } from '../webhooks/index.js'
import { categoryOf, dataSchema, fieldsOf } from './catalog.js'

/** The kind of the jobs that send a delivery. */
export const DELIVER_EVENT = 'deliver-event'

/** An event to record, of one of the nine types. Specification: Event types and data fields. */
export type NewEvent = {
  readonly [Type in EventType]: {
    readonly type: Type
    readonly data: EventData[Type]
    /** The company whose destinations receive the event. */
    readonly companyId: number
  }
}[EventType]

export interface RecordEventOptions {
  /**
   * A transaction of the host, on the knex instance that the engine was opened with. The event is recorded if and only
   * if this transaction commits. Default: a separate transaction.
   */
  readonly transaction?: unknown
}

/** A recorded event: its envelope, its company, and the number of its deliveries. */
export interface RecordedEvent extends Envelope {
  readonly customerId: number
  readonly deliveries: number
}

/** The body of a delivery, with its members in the order in which they are sent. Specification: Envelope. */
interface Envelope {
  readonly id: string
  readonly version: 'v1'
  readonly type: EventType
  readonly event_category: string
  /** ISO 8601, UTC. */
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

/** An event on its way to a destination. Specification: Delivery rules. */
export interface Delivery {
  readonly id: number
  /** The `id` of the envelope. */
  readonly eventId: string
  readonly type: string
  readonly destinationId: number
  readonly status: DeliveryStatus
  /** Status of the last response. Null without a response. */
  readonly httpStatus: number | null
  /** Attempts with a recorded outcome. Interrupted attempts do not count. */
  readonly attemptCount: number
  readonly error: string | null
  readonly created: string
  readonly updated: string
}

const OPTIONS = closedObjectSchema({ transaction: z.unknown().optional() })
const SCHEMA = closedObjectSchema({
  type: choiceSchema(EVENT_TYPES),
  data: z.unknown().optional(),
  companyId: idSchema(),
})

/** Records an event and, in the same transaction, a delivery for each subscribed destination. */
export class RecordEvent {
  readonly #storage: Storage
  readonly #clock: Clock

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  /**
   * Uses no network.
   *
   * @param onFinished called once the transaction is over, committed or not
   * @throws InvalidInputError for an unknown type and for missing, unknown or wrongly typed members of `data`; also
   *   where `transaction` is not an open transaction of the engine's database
   * @throws NotFoundError where the company does not exist
   */
  async execute(input: NewEvent, options: RecordEventOptions, onFinished: () => void): Promise<RecordedEvent> {
    const { type, data, companyId } = validate(SCHEMA, input)
    const { transaction } = validate(OPTIONS, options, 'options')
    const envelope = newEnvelope(type, validate(dataSchema(type), data, 'data'), this.#clock.now())
    const record = await toEventRecord(envelope)
    const work = async (repositories: Repositories): Promise<RecordedEvent> => {
      if ((await repositories.companies.get(companyId)) === undefined) throw new NotFoundError('company', companyId)
      const event = await repositories.events.insert({ ...record, companyId })
      const deliveries = await repositories.deliveries.fanOut(event)
      await queueDeliveries(repositories, deliveries)
      return { ...envelope, customerId: companyId, deliveries: deliveries.length }
    }
    if (transaction !== undefined) return await this.#storage.join(transaction, work, onFinished)
    const recorded = await this.#storage.transaction(work)
    onFinished()
    return recorded
  }
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

/** Makes the stored form of an event: the exact bytes that every delivery sends, and their hash. */
export async function toEventRecord(envelope: Envelope): Promise<Omit<EventRecord, 'id' | 'companyId'>> {
  const payload = new TextEncoder().encode(JSON.stringify(envelope))
  const { id, type, timestamp } = envelope
  return { eventId: id, type, payload, payloadHash: await sha256Hex(payload), created: timestamp }
}

/** Enqueues deliveries for the relay. Each destination has its own lane, so that no destination waits for another. */
async function queueDeliveries({ jobs }: Repositories, deliveries: readonly NewDelivery[]): Promise<void> {
  await jobs.enqueueAll(
    deliveries.map(({ id, destinationId, companyId }) => {
      return { kind: DELIVER_EVENT, subject: id, lane: destinationId, companyId }
    }),
  )
}

/** Adds and enqueues a delivery to one destination, even if the destination has not subscribed to the event's type. */
export async function queueDelivery(
  repositories: Repositories,
  event: Pick<EventRecord, 'id' | 'eventId' | 'type'>,
  destination: { readonly id: number; readonly companyId: number },
  { created, resendOf }: { readonly created: string; readonly resendOf: number | null },
): Promise<Delivery> {
  const delivery = await repositories.deliveries.insert({
    eventRow: event.id,
    eventId: event.eventId,
    type: event.type,
    destinationId: destination.id,
    companyId: destination.companyId,
    status: 'pending',
    httpStatus: null,
    attemptCount: 0,
    error: null,
    resendOf,
    created,
    updated: created,
  })
  await queueDeliveries(repositories, [delivery])
  return toDelivery(delivery)
}

export function toDelivery(record: DeliveryRecord): Delivery {
  const { id, eventId, type, destinationId, status, httpStatus, attemptCount, error, created, updated } = record
  return { id, eventId, type, destinationId, status, httpStatus, attemptCount, error, created, updated }
}

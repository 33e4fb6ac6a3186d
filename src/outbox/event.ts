import { z } from 'zod'
import { sha256Hex } from '../kernel/crypto.js'
import { type ErrorReason, InvalidInputError, NotFoundError } from '../kernel/errors.js'
import { closedObjectSchema, idSchema, validate } from '../kernel/validate.js'
import type {
  Clock,
  DeliveryRecord,
  DeliveryStatus,
  EventRecord,
  NewDelivery,
  Repositories,
  Storage,
} from '../ports/index.js'
import { type BuiltInEventType, EVENT_TYPES, type EventData, type EventType } from '../webhooks/index.js'
import { categoryOf, dataSchema, fieldsOf } from './catalog.js'
import { type HostEventTypes, typeNameSchema } from './host-event-types.js'

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

/** A type that a host has defined. A name of the engine's own categories is none, also if it is misspelt. */
type HostType<Type extends string> = Type extends `${'agent' | 'alcove' | 'document' | 'run'}.${string}` ? never : Type

/** An event to record, of a type that this process has defined by `events.define`. */
export interface NewHostEvent<Type extends string = string> {
  readonly type: HostType<Type>
  /** Fits the schema of the type. */
  readonly data: unknown
  /** The company whose destinations receive the event. */
  readonly companyId: number
}

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
  readonly type: string
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
  /** The error for programs. Null without one, and for an error that has none. */
  readonly reason: ErrorReason | null
  readonly created: string
  readonly updated: string
}

const OPTIONS = closedObjectSchema({ transaction: z.unknown().optional() })
const SCHEMA = closedObjectSchema({
  type: typeNameSchema(EVENT_TYPES),
  data: z.unknown().optional(),
  companyId: idSchema(),
})

/** Longest body of an event, in bytes. Receivers limit what they read. */
const MAX_BODY_BYTES = 262_144

/** Records an event and, in the same transaction, a delivery for each subscribed destination. */
export class RecordEvent {
  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    private readonly hostTypes: HostEventTypes,
  ) {}

  /**
   * Uses no network.
   *
   * @param onFinished called once the transaction is over, committed or not
   * @throws InvalidInputError for an unknown type, for one that this process has not defined, and for missing, unknown
   *   or wrongly typed members of `data`; also where `transaction` is not an open transaction of the engine's database
   * @throws NotFoundError where the company does not exist
   */
  async execute(
    input: NewEvent | NewHostEvent,
    options: RecordEventOptions,
    onFinished: () => void,
  ): Promise<RecordedEvent> {
    const { type, data, companyId } = validate(SCHEMA, input)
    const { transaction } = validate(OPTIONS, options, 'options')
    const isBuiltIn = isSpecified(type)
    const checked = isBuiltIn ? validate(dataSchema(type), data, 'data') : await this.#hostData(type, data)
    const envelope = isBuiltIn
      ? newEnvelope(type, checked, this.clock.now())
      : envelopeOf(type, checked, this.clock.now())
    const record = await toEventRecord(envelope)
    if (record.payload.length > MAX_BODY_BYTES) {
      throw new InvalidInputError('data', `must have at most ${MAX_BODY_BYTES} bytes as JSON, with the envelope`)
    }
    const work = async (repositories: Repositories): Promise<RecordedEvent> => {
      if ((await repositories.companies.get(companyId)) === undefined) throw new NotFoundError('company', companyId)
      const deliveries = await storeEvent(repositories, record, companyId)
      return { ...envelope, customerId: companyId, deliveries }
    }
    if (transaction !== undefined) return await this.storage.join(transaction, work, onFinished)
    const recorded = await this.storage.transaction(work)
    onFinished()
    return recorded
  }

  /** @returns the data as it is sent: a schema may change it, and JSON has no dates */
  async #hostData(type: string, data: unknown): Promise<Readonly<Record<string, unknown>>> {
    const checked = await this.hostTypes.checkOf(type).check(data)
    const sent = jsonOf(checked)
    if (typeof sent === 'object' && sent !== null && !Array.isArray(sent)) return sent as Record<string, unknown>
    throw new InvalidInputError('data', 'must be an object that JSON can represent')
  }
}

function jsonOf(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value)) as unknown
  } catch {
    return undefined
  }
}

function isSpecified(type: string): type is EventType {
  return EVENT_TYPES.some((each) => each === type)
}

/**
 * Writes an event, its deliveries and their jobs. Destinations for all types get the types of the specification; every
 * other type goes to those that name it.
 *
 * @param destinationIds only these destinations. Default: all of them
 * @returns the number of deliveries
 */
export async function storeEvent(
  repositories: Repositories,
  record: Omit<EventRecord, 'id' | 'companyId'>,
  companyId: number,
  destinationIds?: readonly number[],
): Promise<number> {
  const event = await repositories.events.insert({ ...record, companyId })
  const deliveries = await repositories.deliveries.fanOut(event, {
    isNamedOnly: !isSpecified(event.type),
    destinationIds,
  })
  await queueDeliveries(repositories, deliveries)
  return deliveries.length
}

/** Makes the envelope of an event that is recorded now, with the given members of its type in their order. */
export function newEnvelope(type: BuiltInEventType, data: Readonly<Record<string, unknown>>, now: Date): Envelope {
  return envelopeOf(
    type,
    Object.fromEntries(fieldsOf(type).flatMap((field) => (field in data ? [[field, data[field]]] : []))),
    now,
  )
}

function envelopeOf(type: string, data: Readonly<Record<string, unknown>>, now: Date): Envelope {
  return {
    id: newEventId(now),
    version: 'v1',
    type,
    event_category: categoryOf(type),
    timestamp: now.toISOString(),
    data,
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
    reason: null,
    resendOf,
    created,
    updated: created,
  })
  await queueDeliveries(repositories, [delivery])
  return toDelivery(delivery)
}

export function toDelivery(record: DeliveryRecord): Delivery {
  const { id, eventId, type, destinationId, status, httpStatus, attemptCount, error, reason, created, updated } = record
  return { id, eventId, type, destinationId, status, httpStatus, attemptCount, error, reason, created, updated }
}

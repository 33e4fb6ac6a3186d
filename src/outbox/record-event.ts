import { z } from 'zod'
import { NotFoundError } from '../kernel/errors.js'
import { choiceSchema, closedObjectSchema, idSchema, validate } from '../kernel/validate.js'
import type { Clock, Repositories, Storage } from '../ports/index.js'
import { EVENT_TYPES, type EventData, type EventType } from '../webhooks/index.js'
import { dataSchema } from './catalog.js'
import { queueDeliveries } from './deliveries/queue-deliveries.js'
import { newEnvelope, toEventRecord } from './event.js'
import type { RecordedEvent } from './records.js'

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

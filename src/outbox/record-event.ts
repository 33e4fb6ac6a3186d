import { z } from 'zod'
import { NotFoundError } from '../kernel/errors.js'
import { choiceSchema, closedObjectSchema, idSchema, validate } from '../kernel/validate.js'
import type { Clock, Repositories, Storage } from '../ports/index.js'
import { EVENT_TYPES, type EventData, type EventType } from '../webhooks/index.js'
import { dataSchema } from './catalog.js'
import { queueDeliveries } from './deliveries/queue-deliveries.js'
import { newEnvelope, toEventRecord } from './event.js'
import type { RecordedEvent } from './records.js'

/** Something that happened, of one of the nine types (specification, Event types and data fields). */
export type NewEvent = {
  readonly [Type in EventType]: {
    readonly type: Type
    readonly data: EventData[Type]
    /** The company in which it happened. */
    readonly companyId: number
  }
}[EventType]

export interface RecordEventOptions {
  /**
   * A transaction of the host, of the knex instance that the engine was opened with: the event is recorded
   * if it is committed, and only then. Default: a transaction of its own.
   */
  readonly transaction?: unknown
}

const OPTIONS = closedObjectSchema({ transaction: z.unknown().optional() })
const SCHEMA = closedObjectSchema({
  type: choiceSchema(EVENT_TYPES),
  data: z.unknown().optional(),
  companyId: idSchema(),
})

/** Records an event, and in the same transaction its deliveries: one for each subscribed destination. */
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
   * @param ended called once the transaction is over
   * @throws InvalidInputError for another type, for missing, extra or wrongly typed data (decision 27), and
   *   for what is no open transaction of the engine's database
   * @throws NotFoundError where there is no such company
   */
  async execute(input: NewEvent, options: RecordEventOptions, ended: () => void): Promise<RecordedEvent> {
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
    if (transaction !== undefined) return await this.#storage.join(transaction, work, ended)
    const recorded = await this.#storage.transaction(work)
    ended()
    return recorded
  }
}

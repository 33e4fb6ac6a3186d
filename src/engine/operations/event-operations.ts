import type {
  CatalogEntry,
  DataOfSchema,
  EventSchema,
  EventTypeDefinition,
  NewEvent,
  NewHostEvent,
  RecordEventOptions,
  RecordedEvent,
} from '../../outbox/index.js'
import type { EngineParts } from '../engine-parts.js'
import type { WorkSignals } from './operations.js'

/** Events of the host's application, for the destinations that have subscribed to them. */
export interface EventOperations {
  /**
   * Records an event durably. The relay sends its deliveries in the background, also after a crash. With a
   * `transaction` of the host's own knex, the event is recorded if and only if that transaction commits.
   *
   * @returns the recorded event, with the number of its deliveries
   * @throws InvalidInputError for an unknown type, for data that does not fit the type, and for a `transaction` that is
   *   not an open transaction on the engine's database
   * @throws NotFoundError `ERR_COMPANY_NOT_FOUND`
   * @throws UnsupportedError for a `transaction` if the storage cannot join transactions of a host
   * @throws ClosedError after the engine is closed
   */
  record(event: NewEvent, options?: RecordEventOptions): Promise<RecordedEvent>
  /**
   * As above, for a type that this process has defined. `data` is sent as the schema returns it; with the envelope it has
   * at most 262,144 bytes as JSON.
   *
   * @throws InvalidInputError also for a type that this process has not defined
   */
  record<Type extends string>(event: NewHostEvent<Type>, options?: RecordEventOptions): Promise<RecordedEvent>
  /**
   * Defines an event type of the host's application. Call it at each start, in each process that records the type. The
   * storage keeps the names: from then on, destinations of every process can name the type, and the catalog lists it.
   * Processes that have not defined the type refuse to record it, and send its recorded events.
   *
   * A second definition of a type replaces the first. Recorded events stay as they are.
   *
   * @returns the type, whose `record` knows the type of the data
   * @throws InvalidInputError for a name of the engine's own categories, an invalid name or an invalid schema
   * @throws LimitReachedError for more than 1,000 types
   * @throws ClosedError after the engine is closed
   */
  define<const Type extends string, const Schema extends EventSchema>(
    definition: EventTypeDefinition<Type, Schema>,
  ): Promise<HostEventType<Type, Schema>>
  /**
   * Lists all event types: those of the specification, of documents, and of the host's application, by name.
   *
   * @throws ClosedError after the engine is closed
   */
  catalog(): Promise<readonly CatalogEntry[]>
}

/** An event type that this process has defined. */
export interface HostEventType<Type extends string = string, Schema extends EventSchema = EventSchema> {
  readonly type: Type
  /** As `events.record`. @throws as `events.record` */
  record(
    event: { readonly data: DataOfSchema<Schema>; readonly companyId: number },
    options?: RecordEventOptions,
  ): Promise<RecordedEvent>
}

export function createEventOperations(parts: EngineParts, workers: WorkSignals | undefined): EventOperations {
  const record = async (event: NewEvent | NewHostEvent, options: RecordEventOptions = {}): Promise<RecordedEvent> =>
    await parts.recordEvent.execute(event, options, () => workers?.deliveriesQueued())
  return {
    record,
    define: async (definition) => {
      await parts.hostEventTypes.define(definition)
      const { type } = definition
      return {
        type,
        record: async (event, options) => await record({ ...event, type }, options),
      }
    },
    catalog: async () => await parts.hostEventTypes.catalog(),
  }
}

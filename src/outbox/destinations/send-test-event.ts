import type { Clock, Storage } from '../../ports/index.js'
import { parseId } from '../../shared/validate.js'
import type { Reach } from '../../tenancy-authorization/index.js'
import { queueDelivery } from '../deliveries/queue-deliveries.js'
import { newEnvelope } from '../envelope.js'
import { toEventRecord } from '../events/to-event-record.js'
import type { Delivery } from '../records.js'
import { findDestination } from './find-destination.js'

/** No run has it. */
const NIL_UUID = '00000000-0000-0000-0000-000000000000'

/** Sends a test event to one destination alone, whichever types it has chosen (decision 31). */
export class SendTestEvent {
  readonly #storage: Storage
  readonly #clock: Clock

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  /** @returns the delivery, which goes the way of all others @throws InvalidInputError @throws NotFoundError */
  async execute(destinationId: number, reach: Reach): Promise<Delivery> {
    const id = parseId(destinationId, 'id')
    const envelope = newEnvelope('run.started', { jobKey: NIL_UUID }, this.#clock.now())
    const record = await toEventRecord(envelope)
    return await this.#storage.transaction(async (repositories) => {
      const destination = await findDestination(repositories, reach, id)
      const event = await repositories.events.insert({ ...record, companyId: destination.companyId })
      return await queueDelivery(repositories, event, destination, { created: record.created, resendOf: null })
    })
  }
}

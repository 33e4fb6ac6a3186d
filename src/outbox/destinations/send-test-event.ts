import { recordChange } from '../../audit/index.js'
import type { Clock, Storage } from '../../ports/index.js'
import { parseId } from '../../shared/validate.js'
import type { Reach } from '../../tenancy-authorization/index.js'
import type { CompanyRates } from '../company-rates.js'
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
  readonly #rates: CompanyRates

  constructor(storage: Storage, clock: Clock, rates: CompanyRates) {
    this.#storage = storage
    this.#clock = clock
    this.#rates = rates
  }

  /** @returns the delivery, which goes the way of all others @throws InvalidInputError @throws NotFoundError @throws ThrottledError */
  async execute(destinationId: number, reach: Reach): Promise<Delivery> {
    const id = parseId(destinationId, 'id')
    const envelope = newEnvelope('run.started', { jobKey: NIL_UUID }, this.#clock.now())
    const record = await toEventRecord(envelope)
    return await this.#storage.transaction(async (repositories) => {
      const destination = await findDestination(repositories, reach, id)
      await this.#rates.take(repositories, 'testEventsPerMinute', destination.companyId, reach)
      const event = await repositories.events.insert({ ...record, companyId: destination.companyId })
      const delivery = await queueDelivery(repositories, event, destination, {
        created: record.created,
        resendOf: null,
      })
      await recordChange(repositories, reach.by, this.#clock.now(), {
        action: 'destination.tested',
        companyId: destination.companyId,
        targetId: id,
        details: { deliveryId: delivery.id },
      })
      return delivery
    })
  }
}

import type { Clock, Storage } from '../../ports/index.js'
import { parseId } from '../../shared/validate.js'
import type { Reach } from '../../tenancy-authorization/index.js'
import { findDestination } from '../destinations/find-destination.js'
import type { Delivery } from '../records.js'
import { findDelivery } from './list-deliveries.js'
import { queueDelivery } from './queue-deliveries.js'

/**
 * Sends a logged delivery again to the same destination: a new delivery of the same bytes, with the same id and
 * timestamp, signed anew (specification, Delivery rules, 7).
 */
export class ResendDelivery {
  readonly #storage: Storage
  readonly #clock: Clock

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  /** @returns the new delivery @throws InvalidInputError @throws NotFoundError also where the destination is gone */
  async execute(deliveryId: number, reach: Reach): Promise<Delivery> {
    const id = parseId(deliveryId, 'id')
    return await this.#storage.transaction(async (repositories) => {
      const delivery = await findDelivery(repositories, reach, id)
      const destination = await findDestination(repositories, reach, delivery.destinationId)
      const event = { id: delivery.eventRow, eventId: delivery.eventId, type: delivery.type }
      const created = this.#clock.now().toISOString()
      return await queueDelivery(repositories, event, destination, { created, resendOf: id })
    })
  }
}

import { recordChange } from '../../audit/index.js'
import type { Clock, Storage } from '../../ports/index.js'
import { parseId } from '../../shared/validate.js'
import type { Reach } from '../../tenancy-authorization/index.js'
import type { CompanyRates } from '../company-rates.js'
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
  readonly #rates: CompanyRates

  constructor(storage: Storage, clock: Clock, rates: CompanyRates) {
    this.#storage = storage
    this.#clock = clock
    this.#rates = rates
  }

  /** @returns the new delivery @throws InvalidInputError @throws NotFoundError also where the destination is gone @throws ThrottledError */
  async execute(deliveryId: number, reach: Reach): Promise<Delivery> {
    const id = parseId(deliveryId, 'id')
    return await this.#storage.transaction(async (repositories) => {
      const delivery = await findDelivery(repositories, reach, id)
      const destination = await findDestination(repositories, reach, delivery.destinationId)
      await this.#rates.take(repositories, 'resendsPerMinute', destination.companyId, reach)
      const event = { id: delivery.eventRow, eventId: delivery.eventId, type: delivery.type }
      const created = this.#clock.now().toISOString()
      const resent = await queueDelivery(repositories, event, destination, { created, resendOf: id })
      await recordChange(repositories, reach.by, this.#clock.now(), {
        action: 'delivery.resent',
        companyId: destination.companyId,
        targetId: resent.id,
        details: { deliveryId: id, destinationId: destination.id },
      })
      return resent
    })
  }
}

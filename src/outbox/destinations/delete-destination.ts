import { recordChange } from '../../audit/index.js'
import type { Clock, Repositories, Storage } from '../../ports/index.js'
import { parseId } from '../../shared/validate.js'
import type { Reach } from '../../tenancy-authorization/index.js'
import { DELIVER_EVENT } from '../job-kinds.js'
import { findDestination } from './find-destination.js'

/** Deletes a destination and its secret. What was still on its way there is cancelled; the log stays. */
export class DeleteDestination {
  readonly #storage: Storage
  readonly #clock: Clock

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  /** @returns ids of the deliveries that were under way @throws InvalidInputError @throws NotFoundError */
  async execute(destinationId: number, reach: Reach): Promise<readonly number[]> {
    const id = parseId(destinationId, 'id')
    const updated = this.#clock.now().toISOString()
    const remove = async (repositories: Repositories): Promise<readonly number[]> => {
      const { companyId } = await findDestination(repositories, reach, id)
      const { destinations, deliveries, jobs } = repositories
      // Whoever holds one of its jobs records nothing any more.
      await jobs.cancelLane(DELIVER_EVENT, id)
      await destinations.remove(id, updated)
      await recordChange(repositories, reach.by, new Date(updated), {
        action: 'destination.deleted',
        companyId: companyId,
        targetId: id,
        details: {},
      })
      const underWay = await deliveries.cancelOpen(id, { error: 'the destination was deleted', updated })
      await deliveries.interruptAttempts(underWay)
      return underWay
    }
    // Relays change these jobs all the time. What is queued meanwhile finds no destination, and is not sent.
    return await this.#storage.transaction(remove, { isolation: 'read committed' })
  }
}

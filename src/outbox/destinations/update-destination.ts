import { recordChange } from '../../audit/index.js'
import type { Clock, Storage } from '../../ports/index.js'
import { parseId, validate } from '../../shared/validate.js'
import type { Reach } from '../../tenancy-authorization/index.js'
import { type Destination, toDestination } from '../records.js'
import { type DestinationInput, destinationSchema, distinctTypes, requireSameCompany } from './destination-input.js'
import { changeDestination, findDestination } from './find-destination.js'
import type { VetDestination } from './vet-destination.js'

/** Changes a destination. Its secret stays, and what waits for it goes to where it leads from now on. */
export class UpdateDestination {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #vetDestination: VetDestination

  constructor(storage: Storage, clock: Clock, vetDestination: VetDestination) {
    this.#storage = storage
    this.#clock = clock
    this.#vetDestination = vetDestination
  }

  /**
   * The name and `includeDescendants` stay as they are when omitted.
   *
   * @throws InvalidInputError @throws DestinationRefusedError @throws NotFoundError
   * @throws ThrottledError where the company has made or changed too many in a minute
   * @throws AlreadyExistsError where the company has another destination with that URL
   */
  async execute(destinationId: number, input: DestinationInput, reach: Reach): Promise<Destination> {
    const id = parseId(destinationId, 'id')
    const { url, name, eventTypes, customerId, includeDescendants } = validate(destinationSchema, input)
    const { companyId, url: oldUrl } = await this.#storage.read((repositories) =>
      findDestination(repositories, reach, id),
    )
    requireSameCompany(customerId, companyId)
    const vetted = await this.#vetDestination.execute(url, companyId, reach)
    return await this.#storage.transaction(async (repositories) => {
      const changed = await changeDestination(repositories, reach, id, {
        url: vetted,
        eventTypes: distinctTypes(eventTypes),
        updated: this.#clock.now().toISOString(),
        ...(name !== undefined && { name }),
        ...(includeDescendants !== undefined && { includeDescendants }),
      })
      await recordChange(repositories, reach.by, this.#clock.now(), {
        action: 'destination.updated',
        companyId: companyId,
        targetId: id,
        details: { urlChanged: vetted !== oldUrl },
      })
      return toDestination(changed)
    })
  }
}

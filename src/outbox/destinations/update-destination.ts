import type { Clock, HttpTransport, Storage } from '../../ports/index.js'
import { parseId, validate } from '../../shared/validate.js'
import type { Reach } from '../../tenancy-authorization/index.js'
import { type Destination, toDestination } from '../records.js'
import { type DestinationInput, destinationSchema, distinctTypes, requireSameCompany } from './destination-input.js'
import { changeDestination, findDestination } from './find-destination.js'

/** Changes a destination. Its secret stays, and what waits for it goes to where it leads from now on. */
export class UpdateDestination {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #transport: HttpTransport

  constructor(storage: Storage, clock: Clock, transport: HttpTransport) {
    this.#storage = storage
    this.#clock = clock
    this.#transport = transport
  }

  /**
   * The name and `includeDescendants` stay as they are when omitted.
   *
   * @throws InvalidInputError @throws DestinationRefusedError @throws NotFoundError
   * @throws AlreadyExistsError where the company has another destination with that URL
   */
  async execute(destinationId: number, input: DestinationInput, reach: Reach): Promise<Destination> {
    const id = parseId(destinationId, 'id')
    const { url, name, eventTypes, customerId, includeDescendants } = validate(destinationSchema, input)
    const { companyId } = await this.#storage.read((repositories) => findDestination(repositories, reach, id))
    requireSameCompany(customerId, companyId)
    const vetted = await this.#transport.vetDestination(url)
    return await this.#storage.transaction(async (repositories) => {
      const changed = await changeDestination(repositories, reach, id, {
        url: vetted,
        eventTypes: distinctTypes(eventTypes),
        updated: this.#clock.now().toISOString(),
        ...(name !== undefined && { name }),
        ...(includeDescendants !== undefined && { includeDescendants }),
      })
      return toDestination(changed)
    })
  }
}

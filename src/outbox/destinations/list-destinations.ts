import type { Storage } from '../../ports/index.js'
import { parseId } from '../../shared/validate.js'
import { type Reach, requireCompany } from '../../tenancy-authorization/index.js'
import { type Destination, toDestination } from '../records.js'
import { findDestination } from './find-destination.js'

/** Shows destinations, without their secrets. */
export class ListDestinations {
  readonly #storage: Storage

  constructor(storage: Storage) {
    this.#storage = storage
  }

  /**
   * Those of one company, not of those below it; ordered by id.
   * @param companyId `undefined` for those of all companies, which only an unlimited reach may ask for
   * @throws InvalidInputError @throws ForbiddenError NotFoundError where the company is out of reach, or missing
   */
  async execute(companyId: number | undefined, reach: Reach): Promise<Destination[]> {
    const id = companyId === undefined ? reach.companyId : parseId(companyId, 'cid')
    return await this.#storage.read(async (repositories) => {
      if (id !== undefined) await requireCompany(repositories, reach, id)
      const filter = id === undefined ? {} : { companyId: id }
      return (await repositories.destinations.list(filter)).map(toDestination)
    })
  }

  /** @throws InvalidInputError @throws NotFoundError */
  async get(destinationId: number, reach: Reach): Promise<Destination> {
    const id = parseId(destinationId, 'id')
    return await this.#storage.read(async (repositories) =>
      toDestination(await findDestination(repositories, reach, id)),
    )
  }
}

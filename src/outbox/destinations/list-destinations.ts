import type { DestinationRepository, Storage } from '../../ports/index.js'
import { RowList } from '../../shared/row-list.js'
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
   * Those of one company, not of those below it; ordered by id. Reading them throws an InvalidInputError, or a
   * ForbiddenError or NotFoundError where the company is out of reach, or missing.
   *
   * @param authorize tells what the caller reaches now, and whose destinations are listed: `undefined` for those of
   *   all companies, which only an unlimited reach may ask for
   */
  execute(
    authorize: () => Promise<{ readonly companyId: number | undefined; readonly reach: Reach }>,
  ): RowList<Destination> {
    type Listing<T> = (destinations: DestinationRepository, filter: { readonly companyId?: number }) => Promise<T>
    const read = async <T>(list: Listing<T>): Promise<T> => {
      const { companyId, reach } = await authorize()
      const id = companyId === undefined ? reach.companyId : parseId(companyId, 'cid')
      return await this.#storage.read(async (repositories) => {
        if (id !== undefined) await requireCompany(repositories, reach, id)
        return await list(repositories.destinations, id === undefined ? {} : { companyId: id })
      })
    }
    return new RowList({
      read: async (page) => (await read((destinations, filter) => destinations.list(filter, page))).map(toDestination),
      ids: async (page) => await read((destinations, filter) => destinations.listIds(filter, page)),
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

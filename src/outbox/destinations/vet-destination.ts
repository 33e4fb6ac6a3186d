import type { HttpTransport, Storage, Telemetry } from '../../ports/index.js'
import { DestinationRefusedError, UnresolvedDestinationError } from '../../shared/errors.js'
import type { Reach } from '../../tenancy-authorization/index.js'
import type { CompanyRates } from '../company-rates.js'

/** Checks URLs of destinations, and tells tenants nothing about names in the operator's network. */
export class VetDestination {
  readonly #transport: HttpTransport
  readonly #telemetry: Telemetry
  readonly #storage: Storage
  readonly #rates: CompanyRates

  constructor(transport: HttpTransport, telemetry: Telemetry, storage: Storage, rates: CompanyRates) {
    this.#transport = transport
    this.#telemetry = telemetry
    this.#storage = storage
    this.#rates = rates
  }

  /**
   * A name that does not resolve and a name that resolves to an address that is not public are one answer to a limited
   * reach. The operator's telemetry tells them apart: `destination.refused` with `reason`. Each call counts as a change
   * of the company's destinations, but for a URL that is refused without a look-up.
   *
   * @returns the URL in the form in which two that mean the same are equal
   * @throws InvalidInputError with the field `url` for what is no URL of a destination
   * @throws DestinationRefusedError for one that may not be contacted, and within a limited reach for one whose name
   *   does not resolve
   * @throws ThrottledError within a limited reach, where the company has made or changed too many in a minute
   */
  async execute(url: string, companyId: number, reach: Reach): Promise<string> {
    let counted: Promise<void> | undefined
    const count = async (): Promise<void> => await (counted ??= this.#count(companyId, reach))
    try {
      const vetted = await this.#transport.vetDestination(url, { beforeLookUp: count })
      await count()
      return vetted
    } catch (error) {
      const reason = reasonOf(error)
      if (reason === undefined || !reach.isLimited) throw error
      this.#telemetry.record({ name: 'destination.refused', level: 'warn', fields: { companyId, reason }, error })
      throw new DestinationRefusedError(
        'url: the name does not resolve to public addresses: use a name that resolves everywhere on the internet',
        { cause: error, isByLookUp: true },
      )
    }
  }

  async #count(companyId: number, reach: Reach): Promise<void> {
    await this.#storage.transaction(async (repositories) => {
      await this.#rates.take(repositories, 'destinationChangesPerMinute', companyId, reach)
    })
  }
}

function reasonOf(error: unknown): string | undefined {
  if (error instanceof UnresolvedDestinationError) return 'does not resolve'
  return error instanceof DestinationRefusedError && error.isByLookUp ? 'not public' : undefined
}

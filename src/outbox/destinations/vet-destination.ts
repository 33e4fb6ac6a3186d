import { DestinationRefusedError, errorReason, UnresolvedDestinationError } from '../../kernel/errors.js'
import type { HttpTransport, Storage, Telemetry } from '../../ports/index.js'
import type { Reach } from '../../tenancy/index.js'
import type { CompanyRates } from '../company-rates.js'

/** Checks URLs of destinations. The answer to a tenant reveals no names of the operator's network. */
export class VetDestination {
  constructor(
    private readonly transport: HttpTransport,
    private readonly telemetry: Telemetry,
    private readonly storage: Storage,
    private readonly rates: CompanyRates,
  ) {}

  /**
   * With a limited reach, a name that does not resolve and a name with an address that is not public give the same
   * error. Telemetry reports the difference to the operator: `destination.refused` with `reason`. Each call counts as a
   * change of the company's destinations, except for a URL that is refused without a look-up.
   *
   * @returns the canonical URL: two URLs with the same meaning have the same one
   * @throws InvalidInputError with the field `url` where the text is not a URL of a destination
   * @throws DestinationRefusedError for a URL that the engine must not contact; with a limited reach, also for a name
   *   that does not resolve
   * @throws ThrottledError with a limited reach, where the company has reached the limit of a minute
   */
  async execute(url: string, companyId: number, reach: Reach): Promise<string> {
    let counted: Promise<void> | undefined
    const count = async (): Promise<void> => await (counted ??= this.#count(companyId, reach))
    try {
      const vettedUrl = await this.transport.vetDestination(url, { beforeLookUp: count })
      await count()
      return vettedUrl
    } catch (error) {
      const refusal = refusalReasonOf(error)
      if (refusal === undefined || !reach.isLimited) throw error
      this.telemetry.record({
        name: 'destination.refused',
        level: 'warn',
        fields: { companyId, reason: refusal },
        error,
      })
      throw new DestinationRefusedError(
        'url: the name does not resolve to public addresses: use a name that resolves everywhere on the internet',
        { cause: error, isByLookUp: true, reason: errorReason('name-not-resolved-to-public') },
      )
    }
  }

  async #count(companyId: number, reach: Reach): Promise<void> {
    await this.storage.transaction(async (repositories) => {
      await this.rates.count(repositories, 'destinationChangesPerMinute', companyId, reach)
    })
  }
}

/** @returns the reason of a refusal that a look-up caused; `undefined` for any other error */
function refusalReasonOf(error: unknown): string | undefined {
  if (error instanceof UnresolvedDestinationError) return 'does not resolve'
  return error instanceof DestinationRefusedError && error.isByLookUp ? 'not public' : undefined
}

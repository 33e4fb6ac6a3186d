import type { Clock, HttpTransport, Storage } from '../../ports/index.js'
import { randomToken } from '../../shared/random.js'
import { validate } from '../../shared/validate.js'
import { type Reach, requireCompany } from '../../tenancy-authorization/index.js'
import { type DestinationWithSecret, toDestination } from '../records.js'
import type { SecretBox } from '../secrets/secret-box.js'
import { type DestinationInput, destinationSchema, distinctTypes } from './destination-input.js'

/** Makes a destination of a company. */
export class CreateDestination {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #transport: HttpTransport
  readonly #secretBox: SecretBox

  constructor(storage: Storage, clock: Clock, transport: HttpTransport, secretBox: SecretBox) {
    this.#storage = storage
    this.#clock = clock
    this.#transport = transport
    this.#secretBox = secretBox
  }

  /**
   * @param defaultCompanyId whose it is unless the input says
   * @returns with the signing secret, this once
   * @throws InvalidInputError, also for a name that does not resolve
   * @throws DestinationRefusedError for an address, a name or a port that may not be contacted
   * @throws ForbiddenError NotFoundError for a company that is out of reach, or missing
   * @throws AlreadyExistsError where the company has a destination with that URL
   */
  async execute(input: DestinationInput, defaultCompanyId: number, reach: Reach): Promise<DestinationWithSecret> {
    const { url, name, eventTypes, customerId, includeDescendants } = validate(destinationSchema, input)
    const companyId = customerId ?? defaultCompanyId
    // Who may not make one here learns nothing of what the look-up says.
    await this.#storage.read((repositories) => requireCompany(repositories, reach, companyId))
    const vetted = await this.#transport.vetDestination(url)
    const secret = newSigningSecret()
    const sealedSecret = await this.#secretBox.seal(secret)
    const created = this.#clock.now().toISOString()
    return await this.#storage.transaction(async (repositories) => {
      await requireCompany(repositories, reach, companyId)
      const inserted = await repositories.destinations.insert({
        companyId,
        url: vetted,
        name: name ?? null,
        eventTypes: distinctTypes(eventTypes),
        includeDescendants: includeDescendants ?? false,
        sealedSecret,
        created,
        updated: created,
      })
      return { ...toDestination(inserted), secret }
    })
  }
}

/** `whsec_` and 256 random bits. */
export function newSigningSecret(): string {
  return `whsec_${randomToken(32)}`
}

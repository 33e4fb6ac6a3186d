import { recordChange } from '../../audit/index.js'
import type { Clock, Repositories, Storage } from '../../ports/index.js'
import { type EngineLimits, requireBelow } from '../../shared/limits.js'
import { randomToken } from '../../shared/random.js'
import type { SecretBox } from '../../shared/secret-box.js'
import { validate } from '../../shared/validate.js'
import { type Reach, requireCompany } from '../../tenancy-authorization/index.js'
import { type DestinationWithSecret, toDestination } from '../records.js'
import { type DestinationInput, destinationSchema, distinctTypes } from './destination-input.js'
import type { VetDestination } from './vet-destination.js'

/** Makes a destination of a company. */
export class CreateDestination {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #vetDestination: VetDestination
  readonly #secretBox: SecretBox
  readonly #limits: EngineLimits

  constructor(
    storage: Storage,
    clock: Clock,
    vetDestination: VetDestination,
    secretBox: SecretBox,
    limits: EngineLimits,
  ) {
    this.#storage = storage
    this.#clock = clock
    this.#vetDestination = vetDestination
    this.#secretBox = secretBox
    this.#limits = limits
  }

  /**
   * @param defaultCompanyId whose it is unless the input says
   * @returns with the signing secret, this once
   * @throws InvalidInputError
   * @throws DestinationRefusedError for an address, a name or a port that may not be contacted
   * @throws ThrottledError where the company has made or changed too many in a minute
   * @throws ForbiddenError NotFoundError for a company that is out of reach, or missing
   * @throws AlreadyExistsError where the company has a destination with that URL
   * @throws LimitReachedError where the company has as many destinations as it may
   */
  async execute(input: DestinationInput, defaultCompanyId: number, reach: Reach): Promise<DestinationWithSecret> {
    const { url, name, eventTypes, customerId, includeDescendants } = validate(destinationSchema, input)
    const companyId = customerId ?? defaultCompanyId
    // Who may not make one here learns nothing of what the look-up says.
    await this.#storage.read(async (repositories) => {
      await requireCompany(repositories, reach, companyId)
      await this.#requireRoom(repositories, companyId)
    })
    const vetted = await this.#vetDestination.execute(url, companyId, reach)
    const secret = newSigningSecret()
    const sealedSecret = await this.#secretBox.seal(secret)
    const created = this.#clock.now().toISOString()
    return await this.#storage.transaction(async (repositories) => {
      await requireCompany(repositories, reach, companyId)
      await this.#requireRoom(repositories, companyId)
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
      await recordChange(repositories, reach.by, new Date(created), {
        action: 'destination.created',
        companyId: companyId,
        targetId: inserted.id,
        details: {},
      })
      return { ...toDestination(inserted), secret }
    })
  }

  async #requireRoom({ destinations }: Repositories, companyId: number): Promise<void> {
    requireBelow(this.#limits, 'destinationsPerCompany', companyId, await destinations.count(companyId))
  }
}

/** `whsec_` and 256 random bits. */
export function newSigningSecret(): string {
  return `whsec_${randomToken(32)}`
}

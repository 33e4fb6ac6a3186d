import { recordChange, recordChanges } from '../../audit/index.js'
import type { SecretBox } from '../../kernel/crypto.js'
import { errorReason } from '../../kernel/errors.js'
import { type EngineLimits, requireBelow } from '../../kernel/limits.js'
import { RowList } from '../../kernel/lists.js'
import { parseId, validate } from '../../kernel/validate.js'
import type { Clock, DestinationRecord, DestinationRepository, Repositories, Storage } from '../../ports/index.js'
import { hasFullSight, type Reach, requireCompany } from '../../tenancy/index.js'
import type { CompanyRates } from '../company-rates.js'
import { DELIVER_EVENT, type Delivery, newEnvelope, queueDelivery, toEventRecord } from '../event.js'
import type { HostEventTypes } from '../host-event-types.js'
import {
  type Destination,
  type DestinationInput,
  type DestinationWithSecret,
  destinationSchema,
  type RotateSecretOptions,
  rotateSecretSchema,
  toDestination,
} from './destination.js'
import {
  changesOf,
  disablingEntries,
  distinctTypes,
  NO_PREVIOUS_SECRET,
  NOT_FAILING,
  newSigningSecret,
  overlapOf,
} from './destination-changes.js'
import { findDestination, requireEnabled, requireSameCompany } from './destination-rules.js'
import type { VetDestination } from './vet-destination.js'

/** The `jobKey` of test events: no run has it. */
const NIL_UUID = '00000000-0000-0000-0000-000000000000'

/** Destinations of companies. */
export class Destinations {
  readonly #secretBox: SecretBox

  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    private readonly vetDestination: VetDestination,
    secretBox: SecretBox,
    private readonly rates: CompanyRates,
    private readonly limits: EngineLimits,
    private readonly hostTypes: HostEventTypes,
  ) {
    this.#secretBox = secretBox
  }

  /**
   * @param defaultCompanyId the owner of the destination if the input names none
   * @returns the destination with its signing secret, which is shown only here
   * @throws InvalidInputError
   * @throws DestinationRefusedError for an address, a name or a port that the engine must not contact
   * @throws ThrottledError where the company has reached the limit of a minute
   * @throws ForbiddenError NotFoundError for a company that is out of reach or missing
   * @throws AlreadyExistsError where the company has a destination with that URL
   * @throws LimitReachedError where the company has reached the limit of destinations
   */
  async create(input: DestinationInput, defaultCompanyId: number, reach: Reach): Promise<DestinationWithSecret> {
    const { url, eventTypes, customerId, disabled = false, ...given } = validate(destinationSchema, input)
    const { name = null, includeDescendants = false, signatureScheme = 'service', retry = 'standard' } = given
    const companyId = customerId ?? defaultCompanyId
    // Check this before the look-up, so that a caller without the right learns nothing about the name.
    await this.storage.read(async (repositories) => {
      await requireCompany(repositories, reach, companyId)
      await this.hostTypes.requireKnown(repositories, eventTypes)
      await this.#requireFreePlace(repositories, companyId)
    })
    const vettedUrl = await this.vetDestination.execute(url, companyId, reach)
    const secret = newSigningSecret()
    const sealedSecret = await this.#secretBox.seal(secret)
    const created = this.clock.now().toISOString()
    return await this.storage.transaction(async (repositories) => {
      await requireCompany(repositories, reach, companyId)
      await this.#requireFreePlace(repositories, companyId)
      const inserted = await repositories.destinations.insert({
        companyId,
        url: vettedUrl,
        name,
        eventTypes: distinctTypes(eventTypes),
        includeDescendants,
        ...makerOf(reach),
        signatureScheme,
        retry,
        sealedSecret,
        ...NO_PREVIOUS_SECRET,
        disabledReason: disabled ? 'manual' : null,
        ...NOT_FAILING,
        created,
        updated: created,
      })
      await recordChange(repositories, reach.by, new Date(created), {
        action: 'destination.created',
        companyId,
        targetId: inserted.id,
        details: {},
      })
      return { ...this.#toDestination(inserted), secret }
    })
  }

  /**
   * The destinations of one company, without those of its descendants, ordered by id. Reading them throws an
   * InvalidInputError; also a ForbiddenError or NotFoundError where the company is out of reach or missing.
   *
   * @param authorize returns the caller's present reach and the company to list. `undefined` lists all companies; only
   *   an unlimited reach may do that.
   */
  list(
    authorize: () => Promise<{ readonly companyId: number | undefined; readonly reach: Reach }>,
  ): RowList<Destination> {
    type Query<T> = (destinations: DestinationRepository, filter: { readonly companyId?: number }) => Promise<T>
    const read = async <T>(query: Query<T>): Promise<T> => {
      const { companyId, reach } = await authorize()
      const id = companyId === undefined ? reach.companyId : parseId(companyId, 'cid')
      return await this.storage.read(async (repositories) => {
        if (id !== undefined) await requireCompany(repositories, reach, id)
        return await query(repositories.destinations, id === undefined ? {} : { companyId: id })
      })
    }
    return new RowList({
      read: async (page) =>
        (await read((destinations, filter) => destinations.list(filter, page))).map((record) =>
          this.#toDestination(record),
        ),
      ids: async (page) => await read((destinations, filter) => destinations.listIds(filter, page)),
    })
  }

  /** @throws InvalidInputError @throws NotFoundError */
  async get(destinationId: number, reach: Reach): Promise<Destination> {
    const id = parseId(destinationId, 'id')
    return await this.storage.read(async (repositories) =>
      this.#toDestination(await findDestination(repositories, reach, id)),
    )
  }

  /**
   * Changes a destination. Its secret stays, and waiting deliveries go to the new URL. Every member except `url` and
   * `eventTypes` stays as it is when omitted. With `disabled: false`, a disabled destination gets events again. Its
   * failures are then counted from the beginning, as with a new URL.
   *
   * @throws InvalidInputError @throws DestinationRefusedError @throws NotFoundError
   * @throws ThrottledError where the company has reached the limit of a minute
   * @throws AlreadyExistsError where the company has another destination with that URL
   */
  async update(destinationId: number, input: DestinationInput, reach: Reach): Promise<Destination> {
    const id = parseId(destinationId, 'id')
    const { url, eventTypes, customerId, disabled, ...given } = validate(destinationSchema, input)
    const { companyId, url: oldUrl } = await this.storage.read(async (repositories) => {
      await this.hostTypes.requireKnown(repositories, eventTypes)
      return await findDestination(repositories, reach, id)
    })
    requireSameCompany(customerId, companyId)
    const vettedUrl = await this.vetDestination.execute(url, companyId, reach)
    const now = this.clock.now()
    return await this.storage.transaction(async (repositories) => {
      const before = await findDestination(repositories, reach, id)
      const changed = await changeDestination(repositories, reach, id, {
        eventTypes: distinctTypes(eventTypes),
        updated: now.toISOString(),
        ...changesOf(before, { ...given, url: vettedUrl }, disabled),
        // The new URL is as trustworthy as the caller, and the old one was as its maker.
        ...(vettedUrl !== before.url && makerOf(reach)),
      })
      const target = { companyId, targetId: id }
      await recordChanges(repositories, reach.by, now, [
        { ...target, action: 'destination.updated', details: { urlChanged: vettedUrl !== oldUrl } },
        ...disablingEntries(before, changed, target),
      ])
      return this.#toDestination(changed)
    })
  }

  /**
   * Deletes a destination and its secret. Unfinished deliveries are cancelled. The log stays.
   * @returns ids of the deliveries that were in progress
   * @throws InvalidInputError @throws NotFoundError
   */
  async delete(destinationId: number, reach: Reach): Promise<readonly number[]> {
    const id = parseId(destinationId, 'id')
    const updated = this.clock.now().toISOString()
    const remove = async (repositories: Repositories): Promise<readonly number[]> => {
      const { companyId } = await findDestination(repositories, reach, id)
      const { destinations, deliveries, jobs } = repositories
      // A worker that holds one of these jobs can record nothing from now on.
      await jobs.cancelLane(DELIVER_EVENT, id)
      await destinations.remove(id, updated)
      await recordChange(repositories, reach.by, new Date(updated), {
        action: 'destination.deleted',
        companyId,
        targetId: id,
        details: {},
      })
      const inProgress = await deliveries.cancelOpen(id, {
        error: 'the destination was deleted',
        reason: errorReason('destination-deleted'),
        updated,
      })
      await deliveries.interruptAttempts(inProgress)
      return inProgress
    }
    // Relays change these jobs all the time, so a stricter isolation would fail often. A delivery that is enqueued
    // during this transaction finds no destination, and is not sent.
    return await this.storage.transaction(remove, { isolation: 'read committed' })
  }

  /**
   * Gives a destination a new signing secret. The next attempt is signed with it. With the schemes `standard` and
   * `both`, the signature of Standard Webhooks has the old secret too, for `overlapHours`. A second rotation in that time
   * ends the use of the oldest secret.
   *
   * @returns the destination with the new secret, which is shown only here
   * @throws InvalidInputError also for `overlapHours` with the scheme `service`
   * @throws NotFoundError
   */
  async rotateSecret(
    destinationId: number,
    reach: Reach,
    options: RotateSecretOptions = {},
  ): Promise<DestinationWithSecret> {
    const id = parseId(destinationId, 'id')
    const { overlapHours } = validate(rotateSecretSchema, options)
    const secret = newSigningSecret()
    const sealedSecret = await this.#secretBox.seal(secret)
    return await this.storage.transaction(async (repositories) => {
      const now = this.clock.now()
      const before = await findDestination(repositories, reach, id)
      const overlap = overlapOf(before, overlapHours, now)
      const changes = { sealedSecret, ...overlap, updated: now.toISOString() }
      const changed = await changeDestination(repositories, reach, id, changes)
      await recordChange(repositories, reach.by, this.clock.now(), {
        action: 'destination.secret-rotated',
        companyId: changed.companyId,
        targetId: id,
        details: {},
      })
      return { ...this.#toDestination(changed), secret }
    })
  }

  /**
   * Sends a test event to this destination only, also if it has not subscribed to the type: `run.started` with a `jobKey` of
   * zeros.
   *
   * @returns the delivery, which the relay sends like any other
   * @throws InvalidInputError also where the destination is disabled
   * @throws NotFoundError
   * @throws ThrottledError where the company has reached the limit of a minute
   */
  async sendTest(destinationId: number, reach: Reach): Promise<Delivery> {
    const id = parseId(destinationId, 'id')
    const envelope = newEnvelope('run.started', { jobKey: NIL_UUID }, this.clock.now())
    const record = await toEventRecord(envelope)
    return await this.storage.transaction(async (repositories) => {
      const destination = await findDestination(repositories, reach, id)
      requireEnabled(destination)
      await this.rates.count(repositories, 'testEventsPerMinute', destination.companyId, reach)
      const event = await repositories.events.insert({ ...record, companyId: destination.companyId })
      const delivery = await queueDelivery(repositories, event, destination, {
        created: record.created,
        resendOf: null,
      })
      await recordChange(repositories, reach.by, this.clock.now(), {
        action: 'destination.tested',
        companyId: destination.companyId,
        targetId: id,
        details: { deliveryId: delivery.id },
      })
      return delivery
    })
  }

  #toDestination(record: DestinationRecord): Destination {
    return toDestination(record, this.clock.now())
  }

  async #requireFreePlace({ destinations }: Repositories, companyId: number): Promise<void> {
    requireBelow(this.limits, 'destinationsPerCompany', companyId, await destinations.count(companyId))
  }
}

/** Decides if a URL gets names and errors of documents in private contexts. */
function makerOf(reach: Reach): Pick<DestinationRecord, 'sight' | 'makerId'> {
  return { sight: hasFullSight(reach) ? 'account' : 'user', makerId: reach.userId ?? null }
}

/** Changes a destination within reach. @returns its new state @throws NotFoundError */
async function changeDestination(
  repositories: Repositories,
  reach: Reach,
  id: number,
  changes: Parameters<Repositories['destinations']['update']>[1],
): Promise<DestinationRecord> {
  const destination = await findDestination(repositories, reach, id)
  await repositories.destinations.update(id, changes)
  return { ...destination, ...changes }
}

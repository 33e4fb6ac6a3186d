import { z } from 'zod'
import { recordChange } from '../../audit/index.js'
import {
  DestinationRefusedError,
  InvalidInputError,
  NotFoundError,
  UnresolvedDestinationError,
} from '../../kernel/errors.js'
import { type EngineLimits, requireBelow } from '../../kernel/limits.js'
import { RowList } from '../../kernel/lists.js'
import { randomToken } from '../../kernel/random.js'
import type { SecretBox } from '../../kernel/secret-box.js'
import {
  booleanSchema,
  choiceSchema,
  idSchema,
  listSchema,
  objectSchema,
  parseId,
  textSchema,
  validate,
} from '../../kernel/validate.js'
import type {
  Clock,
  DestinationRecord,
  DestinationRepository,
  HttpTransport,
  Repositories,
  Storage,
  Telemetry,
} from '../../ports/index.js'
import { covers, type Reach, requireCompany } from '../../tenancy/index.js'
import { EVENT_TYPES } from '../../webhooks/index.js'
import type { CompanyRates } from '../company-rates.js'
import { queueDelivery } from '../deliveries/queue-deliveries.js'
import { DELIVER_EVENT, newEnvelope, toEventRecord } from '../event.js'
import { type Delivery, type Destination, type DestinationWithSecret, toDestination } from '../records.js'

/** A destination to be made, or what an existing one becomes. */
export interface DestinationInput {
  /** HTTPS, and public. */
  readonly url: string
  readonly name?: string | null
  /** At least one type; null for all of them. */
  readonly eventTypes: readonly string[] | null
  /** The company whose events it gets. Default: the caller's. It cannot be changed. */
  readonly customerId?: number
  /** Whether it gets the events of companies below as well; default false. */
  readonly includeDescendants?: boolean
}

const MAX_URL = 2_048

/** Checks the form; whether the URL may be contacted is for the transport to say. */
export const destinationSchema: z.ZodType<DestinationInput> = objectSchema({
  url: textSchema({ min: 1, max: MAX_URL }),
  name: textSchema({ max: 255, isLine: true }).nullable().optional(),
  eventTypes: listSchema(choiceSchema(EVENT_TYPES), EVENT_TYPES.length)
    .refine((types) => types.length > 0, { error: 'must name at least one type, or be null for all' })
    .meta({ minItems: 1 })
    .nullable(),
  customerId: idSchema().optional(),
  includeDescendants: booleanSchema().optional(),
}) as z.ZodType<DestinationInput>

/** Each type once. */
function distinctTypes(types: readonly string[] | null): readonly string[] | null {
  return types === null ? null : [...new Set(types)]
}

/** @throws InvalidInputError where a change would give a destination to another company */
function requireSameCompany(given: number | undefined, companyId: number): void {
  if (given === undefined || given === companyId) return
  throw new InvalidInputError('customerId', `cannot be changed: the destination belongs to the company ${companyId}`)
}

/** @throws NotFoundError alike for what is missing and what belongs to a company out of reach */
export async function findDestination(
  repositories: Repositories,
  reach: Reach,
  id: number,
): Promise<DestinationRecord> {
  const destination = await repositories.destinations.get(id)
  if (destination === undefined || !(await covers(reach, repositories, destination.companyId))) {
    throw new NotFoundError('destination', id)
  }
  return destination
}

/** Changes a destination that is within reach. @returns it as it is then @throws NotFoundError */
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
function newSigningSecret(): string {
  return `whsec_${randomToken(32)}`
}

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

/** Gives a destination another signing secret; the next attempt is signed with it. */
export class RotateSigningSecret {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #secretBox: SecretBox

  constructor(storage: Storage, clock: Clock, secretBox: SecretBox) {
    this.#storage = storage
    this.#clock = clock
    this.#secretBox = secretBox
  }

  /** @returns with the new secret, this once @throws InvalidInputError @throws NotFoundError */
  async execute(destinationId: number, reach: Reach): Promise<DestinationWithSecret> {
    const id = parseId(destinationId, 'id')
    const secret = newSigningSecret()
    const sealedSecret = await this.#secretBox.seal(secret)
    return await this.#storage.transaction(async (repositories) => {
      const changes = { sealedSecret, updated: this.#clock.now().toISOString() }
      const changed = await changeDestination(repositories, reach, id, changes)
      await recordChange(repositories, reach.by, this.#clock.now(), {
        action: 'destination.secret-rotated',
        companyId: changed.companyId,
        targetId: id,
        details: {},
      })
      return { ...toDestination(changed), secret }
    })
  }
}

/** No run has it. */
const NIL_UUID = '00000000-0000-0000-0000-000000000000'

/** Sends a test event to one destination alone, whichever types it has chosen (decision 31). */
export class SendTestEvent {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #rates: CompanyRates

  constructor(storage: Storage, clock: Clock, rates: CompanyRates) {
    this.#storage = storage
    this.#clock = clock
    this.#rates = rates
  }

  /** @returns the delivery, which goes the way of all others @throws InvalidInputError @throws NotFoundError @throws ThrottledError */
  async execute(destinationId: number, reach: Reach): Promise<Delivery> {
    const id = parseId(destinationId, 'id')
    const envelope = newEnvelope('run.started', { jobKey: NIL_UUID }, this.#clock.now())
    const record = await toEventRecord(envelope)
    return await this.#storage.transaction(async (repositories) => {
      const destination = await findDestination(repositories, reach, id)
      await this.#rates.take(repositories, 'testEventsPerMinute', destination.companyId, reach)
      const event = await repositories.events.insert({ ...record, companyId: destination.companyId })
      const delivery = await queueDelivery(repositories, event, destination, {
        created: record.created,
        resendOf: null,
      })
      await recordChange(repositories, reach.by, this.#clock.now(), {
        action: 'destination.tested',
        companyId: destination.companyId,
        targetId: id,
        details: { deliveryId: delivery.id },
      })
      return delivery
    })
  }
}

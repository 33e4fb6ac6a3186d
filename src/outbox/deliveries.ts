import type { z } from 'zod'
import { recordChange } from '../audit/index.js'
import { type JobHandler, type JobRun, removeInBatches } from '../jobs/index.js'
import { type ErrorReason, InvalidInputError, NotFoundError } from '../kernel/errors.js'
import {
  choiceSchema,
  idSchema,
  integerSchema,
  objectSchema,
  parseId,
  textSchema,
  validate,
} from '../kernel/validate.js'
import {
  type AttemptOutcome,
  type AttemptRecord,
  type Clock,
  DELIVERY_STATUSES,
  type DeliveryRecord,
  type DeliveryStatus,
  type NewJob,
  type Repositories,
  type Storage,
} from '../ports/index.js'
import { covers, hasFullSight, type Reach } from '../tenancy/index.js'
import type { CompanyRates } from './company-rates.js'
import { findDestination, requireEnabled } from './destinations/destination-rules.js'
import { type Delivery, queueDelivery, toDelivery } from './event.js'
import { NAMED_TYPE } from './host-event-types.js'
import { withoutNames } from './private-events.js'

/** Filters of the delivery log. Default: all deliveries within reach. */
export interface DeliveryQuery {
  readonly destinationId?: number
  readonly status?: DeliveryStatus
  readonly type?: string
  /** 1 to 500; default 50. */
  readonly limit?: number
  /** `nextCursor` of the previous page. */
  readonly cursor?: string
}

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 500

export const deliveryQuerySchema: z.ZodType<DeliveryQuery> = objectSchema({
  destinationId: idSchema().optional(),
  status: choiceSchema(DELIVERY_STATUSES).optional(),
  type: NAMED_TYPE.optional(),
  limit: integerSchema({ min: 1, max: MAX_LIMIT }).optional(),
  cursor: textSchema({ max: 40 }).optional(),
}) as z.ZodType<DeliveryQuery>

/** A page of the delivery log. The newest delivery comes first. */
export interface DeliveryPage {
  readonly items: readonly Delivery[]
  /** The `cursor` of the next page. Null on the last page. */
  readonly nextCursor: string | null
}

/** A delivery with its body and its attempts. */
export interface DeliveryWithAttempts extends Delivery {
  /** The delivery that this one resends. Null for an original delivery. */
  readonly resendOf: number | null
  /**
   * The sent body. For callers who do not see all contexts, an event about a document in a private context has ids alone,
   * and its attempts have no `responseBody`.
   */
  readonly payload: string
  readonly attempts: readonly Attempt[]
}

/** One attempt at a delivery. */
export interface Attempt {
  /** Null while the attempt is in progress, or after its process crashed. */
  readonly outcome: AttemptOutcome | null
  readonly httpStatus: number | null
  readonly error: string | null
  /** {@link error} for programs; null without one. */
  readonly reason: ErrorReason | null
  /** The beginning of the response body, as text. */
  readonly responseBody: string | null
  readonly started: string
  readonly durationMs: number | null
}

/** The delivery log. */
export class Deliveries {
  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    private readonly rates: CompanyRates,
  ) {}

  /** Lists deliveries. The newest comes first. @throws InvalidInputError */
  async list(query: DeliveryQuery, reach: Reach): Promise<DeliveryPage> {
    const { destinationId, status, type, limit = DEFAULT_LIMIT, cursor } = validate(deliveryQuerySchema, query)
    const records = await this.storage.read(({ deliveries }) =>
      deliveries.list({
        ...(destinationId !== undefined && { destinationId }),
        ...(status !== undefined && { status }),
        ...(type !== undefined && { type }),
        ...(reach.companyId !== undefined && { withinCompanyId: reach.companyId }),
        ...(cursor !== undefined && { beforeId: parseCursor(cursor) }),
        limit: limit + 1,
      }),
    )
    const items = records.slice(0, limit).map(toDelivery)
    const nextCursor = records.length > limit ? String(items.at(-1)?.id) : null
    return { items, nextCursor }
  }

  /** @throws InvalidInputError @throws NotFoundError */
  async get(deliveryId: number, reach: Reach): Promise<DeliveryWithAttempts> {
    const id = parseId(deliveryId, 'id')
    return await this.storage.read(async (repositories) => {
      const delivery = await findDelivery(repositories, reach, id)
      const event = await repositories.events.get(delivery.eventRow)
      const hidden = hasFullSight(reach) ? undefined : await withoutNames(repositories, delivery.type, event?.payload)
      const attempts = (await repositories.deliveries.listAttempts(id)).map((attempt) => {
        // A receiver may repeat what it got.
        return hidden === undefined ? toAttempt(attempt) : { ...toAttempt(attempt), responseBody: null }
      })
      const payload = hidden ?? new TextDecoder().decode(event?.payload)
      return { ...toDelivery(delivery), resendOf: delivery.resendOf, payload, attempts }
    })
  }

  /**
   * Sends a logged delivery to the same destination as a new delivery. It has the same bytes, and so the same id and
   * timestamp, but a fresh signature. Specification: Delivery rules, 7.
   *
   * @returns the new delivery
   * @throws InvalidInputError also where the destination is disabled
   * @throws NotFoundError also where the destination is deleted
   * @throws ThrottledError where the company has reached the limit of a minute
   */
  async resend(deliveryId: number, reach: Reach): Promise<Delivery> {
    const id = parseId(deliveryId, 'id')
    return await this.storage.transaction(async (repositories) => {
      const delivery = await findDelivery(repositories, reach, id)
      const destination = await findDestination(repositories, reach, delivery.destinationId)
      requireEnabled(destination)
      await this.rates.count(repositories, 'resendsPerMinute', destination.companyId, reach)
      const event = { id: delivery.eventRow, eventId: delivery.eventId, type: delivery.type }
      const created = this.clock.now().toISOString()
      const resent = await queueDelivery(repositories, event, destination, { created, resendOf: id })
      await recordChange(repositories, reach.by, this.clock.now(), {
        action: 'delivery.resent',
        companyId: destination.companyId,
        targetId: resent.id,
        details: { deliveryId: id, destinationId: destination.id },
      })
      return resent
    })
  }
}

/** @throws NotFoundError for a missing delivery, and for one of a company out of reach: the errors do not differ */
async function findDelivery(repositories: Repositories, reach: Reach, id: number): Promise<DeliveryRecord> {
  const delivery = await repositories.deliveries.get(id)
  if (delivery === undefined || !(await covers(reach, repositories, delivery.companyId))) {
    throw new NotFoundError('delivery', id)
  }
  return delivery
}

function parseCursor(cursor: string): number {
  const id = Number(cursor)
  if (/^\d{1,16}$/.test(cursor) && Number.isSafeInteger(id) && id > 0) return id
  throw new InvalidInputError('cursor', 'must be the nextCursor of an earlier page')
}

function toAttempt(record: AttemptRecord): Attempt {
  const { outcome, httpStatus, error, reason, responseBody, started, durationMs } = record
  return { outcome, httpStatus, error, reason, responseBody, started, durationMs }
}

/** The job that removes old deliveries. Only one exists. */
export const TRIM_DELIVERIES: NewJob = { kind: 'trim-deliveries', subject: 1, traceparent: null }

const INTERVAL_MS = 3_600_000
const DAY_MS = 86_400_000

/**
 * Removes old deliveries with the rows that only they refer to, rate counters whose windows are over, and former
 * secrets of destinations and revoked tokens that have expired. Runs every hour, and removes a few rows at a time.
 */
export class TrimDeliveries implements JobHandler {
  readonly kind: string = TRIM_DELIVERIES.kind

  constructor(
    private readonly clock: Clock,
    private readonly retentionDays: number,
  ) {}

  async run(job: JobRun): Promise<void> {
    const before = new Date(this.clock.now().getTime() - this.retentionDays * DAY_MS).toISOString()
    await removeInBatches(job, ({ deliveries }, limit) => deliveries.removeOld({ before, limit }))
    const now = this.clock.now()
    await removeInBatches(job, ({ destinations }, limit) =>
      destinations.removeExpiredSecrets({ now: now.toISOString(), limit }),
    )
    await removeInBatches(job, ({ rates }, limit) => rates.removeEnded({ now, limit }))
    await removeInBatches(job, ({ revokedTokens }, limit) => revokedTokens.removeExpired({ now, limit }))
    await job.complete(enqueueNext)
  }

  /** Enqueues the next run after any error: otherwise the log would grow without limit. */
  async fail(repositories: Repositories): Promise<void> {
    await enqueueNext(repositories)
  }
}

async function enqueueNext({ jobs }: Repositories): Promise<void> {
  await jobs.enqueue(TRIM_DELIVERIES, { delayMs: INTERVAL_MS })
}

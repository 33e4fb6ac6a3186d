import type { z } from 'zod'
import { isBeforeEnd } from '../../kernel/lifetimes.js'
import {
  booleanSchema,
  choiceSchema,
  idSchema,
  integerSchema,
  listSchema,
  objectSchema,
  refusal,
  ruleProblem,
  textSchema,
} from '../../kernel/validate.js'
import {
  type DestinationRecord,
  type DisabledReason,
  RETRY_SCHEDULES,
  type RetrySchedule,
  SIGNATURE_SCHEMES,
  type SignatureScheme,
} from '../../ports/index.js'
import { NAMED_TYPE } from '../host-event-types.js'

/** A destination without its secret. */
export interface Destination {
  readonly id: number
  /** The company that owns the destination. */
  readonly customerId: number
  readonly url: string
  readonly name: string | null
  /** Null for all types of the specification. */
  readonly eventTypes: readonly string[] | null
  /** True where it also receives the events of the company's descendants. */
  readonly includeDescendants: boolean
  /** The signatures of its requests. */
  readonly signatureScheme: SignatureScheme
  /** The schedule of its attempts. */
  readonly retry: RetrySchedule
  /** True if it gets no events. */
  readonly disabled: boolean
  /** `gone`: it answered 410. `manual`: somebody disabled it. Null if it is enabled. */
  readonly disabledReason: DisabledReason | null
  /** The end of the first failed attempt since the last success. Only with `long` retries; otherwise null. */
  readonly failingSince: string | null
  /** The time until which the secret before the last rotation signs too; null if none does. */
  readonly previousSecretExpires: string | null
  readonly created: string
  readonly updated: string
}

/** A destination with its signing secret, which is shown only once. */
export interface DestinationWithSecret extends Destination {
  readonly secret: string
}

/** A new destination, or the new state of an existing one. */
export interface DestinationInput {
  /** An HTTPS URL with a public address. */
  readonly url: string
  readonly name?: string | null
  /**
   * At least one type; null for the types of the specification. Types of documents and of the host's application must
   * be named.
   */
  readonly eventTypes: readonly string[] | null
  /** The company that owns the destination. It cannot change. Default: the caller's company. */
  readonly customerId?: number
  /** True where the destination also receives the events of the company's descendants; default false. */
  readonly includeDescendants?: boolean
  /** Default for a new destination: `service`, the signature of the specification. */
  readonly signatureScheme?: SignatureScheme
  /** Default for a new destination: `standard`, the three attempts of the specification. */
  readonly retry?: RetrySchedule
  /** True to send nothing to it; default for a new destination: false. */
  readonly disabled?: boolean
}

/** Options of a rotation. */
export interface RotateSecretOptions {
  /**
   * Hours in which the old secret signs too, 0 to 168; default 24. Only for the schemes `standard` and `both`: requests
   * of the scheme `service` have one signature, which always has the new secret.
   */
  readonly overlapHours?: number | undefined
}

const MAX_OVERLAP_HOURS = 168

export const rotateSecretSchema: z.ZodType<RotateSecretOptions> = objectSchema({
  overlapHours: integerSchema({ min: 0, max: MAX_OVERLAP_HOURS }).optional(),
})

const MAX_NAMED_TYPES = 100

const MAX_URL_LENGTH = 2_048

const NO_EVENT_TYPE = ruleProblem(
  'must name at least one type, or be null for all types of the specification; types of documents and of the host must be named',
  'no-event-type',
)

/** Checks the form. The transport decides if the engine may contact the URL. */
export const destinationSchema: z.ZodType<DestinationInput> = objectSchema({
  url: textSchema({ min: 1, max: MAX_URL_LENGTH }),
  name: textSchema({ max: 255, isLine: true }).nullable().optional(),
  eventTypes: listSchema(NAMED_TYPE, MAX_NAMED_TYPES)
    .refine((types) => types.length > 0, refusal(NO_EVENT_TYPE))
    .meta({ minItems: 1 })
    .nullable(),
  customerId: idSchema().optional(),
  includeDescendants: booleanSchema().optional(),
  signatureScheme: choiceSchema(SIGNATURE_SCHEMES).optional(),
  retry: choiceSchema(RETRY_SCHEDULES).optional(),
  disabled: booleanSchema().optional(),
}) as z.ZodType<DestinationInput>

/** True while the secret before the last rotation signs too. @param expires ISO 8601 */
export function isPreviousSecretUsed(expires: string, now: Date): boolean {
  return isBeforeEnd(new Date(expires), now, MAX_OVERLAP_HOURS * 3_600_000)
}

/** @param now an expired secret is not shown */
export function toDestination(record: DestinationRecord, now: Date): Destination {
  const { id, companyId, url, name, eventTypes, includeDescendants, created, updated } = record
  const { signatureScheme, retry, disabledReason, failingSince, previousSecretExpires: expires } = record
  return {
    id,
    customerId: companyId,
    url,
    name,
    eventTypes,
    includeDescendants,
    signatureScheme,
    retry,
    disabled: disabledReason !== null,
    disabledReason,
    failingSince,
    previousSecretExpires: expires !== null && isPreviousSecretUsed(expires, now) ? expires : null,
    created,
    updated,
  }
}

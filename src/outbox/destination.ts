import type { z } from 'zod'
import { booleanSchema, choiceSchema, idSchema, listSchema, objectSchema, textSchema } from '../kernel/validate.js'
import type { DestinationRecord } from '../ports/index.js'
import { EVENT_TYPES } from '../webhooks/index.js'

/** A destination without its secret. */
export interface Destination {
  readonly id: number
  /** The company that owns the destination. */
  readonly customerId: number
  readonly url: string
  readonly name: string | null
  /** Null for all types. */
  readonly eventTypes: readonly string[] | null
  /** True where it also receives the events of the company's descendants. */
  readonly includeDescendants: boolean
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
  /** At least one type; null for all types. */
  readonly eventTypes: readonly string[] | null
  /** The company that owns the destination. It cannot change. Default: the caller's company. */
  readonly customerId?: number
  /** True where the destination also receives the events of the company's descendants; default false. */
  readonly includeDescendants?: boolean
}

const MAX_URL_LENGTH = 2_048

/** Checks the form. The transport decides if the engine may contact the URL. */
export const destinationSchema: z.ZodType<DestinationInput> = objectSchema({
  url: textSchema({ min: 1, max: MAX_URL_LENGTH }),
  name: textSchema({ max: 255, isLine: true }).nullable().optional(),
  eventTypes: listSchema(choiceSchema(EVENT_TYPES), EVENT_TYPES.length)
    .refine((types) => types.length > 0, { error: 'must name at least one type, or be null for all types' })
    .meta({ minItems: 1 })
    .nullable(),
  customerId: idSchema().optional(),
  includeDescendants: booleanSchema().optional(),
}) as z.ZodType<DestinationInput>

export function toDestination(record: DestinationRecord): Destination {
  const { id, companyId, url, name, eventTypes, includeDescendants, created, updated } = record
  return { id, customerId: companyId, url, name, eventTypes, includeDescendants, created, updated }
}

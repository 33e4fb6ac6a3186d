import { z } from 'zod'
import { InvalidInputError } from '../../shared/errors.js'
import { booleanSchema, choiceSchema, idSchema, listSchema, objectSchema, textSchema } from '../../shared/validate.js'
import { EVENT_TYPES } from '../../webhooks/index.js'

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
export function distinctTypes(types: readonly string[] | null): readonly string[] | null {
  return types === null ? null : [...new Set(types)]
}

/** @throws InvalidInputError where a change would give a destination to another company */
export function requireSameCompany(given: number | undefined, companyId: number): void {
  if (given === undefined || given === companyId) return
  throw new InvalidInputError('customerId', `cannot be changed: the destination belongs to the company ${companyId}`)
}

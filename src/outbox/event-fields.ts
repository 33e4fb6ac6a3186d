import { z } from 'zod'
import { booleanSchema, integerSchema, textSchema } from '../kernel/validate.js'

/** The kinds of fields of an event's data. All are required. */
export const FIELD_KINDS = ['uuid', 'string', 'integer', 'number', 'boolean'] as const

export type FieldKind = (typeof FIELD_KINDS)[number]

/** The TypeScript type of each kind. */
interface KindTypes {
  readonly uuid: string
  readonly string: string
  readonly integer: number
  readonly number: number
  readonly boolean: boolean
}

/** The data of an event whose fields have these kinds. */
export type DataOfFields<Fields extends Readonly<Record<string, FieldKind>>> = {
  readonly [Name in keyof Fields]: KindTypes[Fields[Name]]
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const MAX_TEXT_LENGTH = 10_000

/** The JSON type that the catalog shows. */
export function jsonTypeOf(kind: FieldKind): string {
  return kind === 'uuid' ? 'string' : kind
}

export function fieldSchema(kind: FieldKind): z.ZodType {
  if (kind === 'integer') return integerSchema()
  if (kind === 'number')
    return z.number({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a number') })
  if (kind === 'boolean') return booleanSchema()
  const text = textSchema({ max: MAX_TEXT_LENGTH })
  return kind === 'string' ? text : text.refine((value) => UUID.test(value), { error: 'must be a UUID' })
}

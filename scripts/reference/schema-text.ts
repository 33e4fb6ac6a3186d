/** JSON Schema in words, for tables. */
import { code, sentence } from './markdown.js'

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly pattern?: string
}

const LARGEST = Number.MAX_SAFE_INTEGER
/** A longer list of values does not fit into a cell. Only the codes of reasons are so many. */
const MOST_VALUES = 100

/** The type of a value, such as `integer, at least 1`. */
export function typeText(schema: Schema): string {
  if (schema.$ref !== undefined) return linkTo(schema.$ref)
  if (schema.const !== undefined) return code(JSON.stringify(schema.const))
  if (schema.enum !== undefined) {
    if (schema.enum.length > MOST_VALUES) return `one of ${schema.enum.length} [codes](errors.md#reasons)`
    return schema.enum.map((value) => code(JSON.stringify(value))).join(', ')
  }
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return unique(choices.map(typeText)).join(' or ')
  if (schema.allOf !== undefined) return unique(schema.allOf.map(typeText)).join(' and ')
  if (schema.items !== undefined) return [`list of ${typeText(schema.items)}`, ...bounds(schema)].join(', ')
  const { additionalProperties: values } = schema
  if (schema.properties === undefined && typeof values === 'object' && Object.keys(values).length > 0) {
    return `object, each member ${typeText(values)}`
  }
  const types = schema.type === undefined ? 'any value' : [schema.type].flat().join(' or ')
  return [schema.format === undefined ? types : `${types} (${schema.format})`, ...bounds(schema)].join(', ')
}

/** Name and anchor of a schema that is described by itself. */
function linkTo(pointer: string): string {
  const name = pointer.split('/').at(-1) ?? ''
  return `[${name}](#${name.toLowerCase()})`
}

function bounds(schema: Schema): string[] {
  return [
    ...range('', schema.minimum, schema.maximum),
    ...(schema.exclusiveMinimum === undefined ? [] : [`more than ${number(schema.exclusiveMinimum)}`]),
    ...(schema.exclusiveMaximum === undefined ? [] : [`less than ${number(schema.exclusiveMaximum)}`]),
    ...range(' characters', schema.minLength, schema.maxLength),
    ...range(' items', schema.minItems, schema.maxItems),
  ]
}

function range(unit: string, least: number | undefined, given: number | undefined): string[] {
  // Every integer is as small as that.
  const most = given === LARGEST ? undefined : given
  if (least === -LARGEST) return range(unit, undefined, most)
  if (least !== undefined && most !== undefined) return [`${number(least)} to ${number(most)}${unit}`]
  if (least !== undefined) return [`at least ${number(least)}${unit}`]
  return most === undefined ? [] : [`at most ${number(most)}${unit}`]
}

function number(value: number): string {
  return value.toLocaleString('en')
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)]
}

/** One row for each member: name, type, whether it must be there, meaning. Members of members are named with a dot. */
export function memberRows(schema: Schema, prefix: string = ''): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => [
    [
      code(prefix + name),
      member.properties === undefined ? typeText(member) : 'object',
      schema.required?.includes(name) === true ? 'yes' : 'no',
      member.default === undefined ? '' : code(JSON.stringify(member.default)),
      sentence(member.description ?? ''),
    ],
    ...(member.properties === undefined ? [] : memberRows(member, `${prefix}${name}.`)),
    ...(member.items?.properties === undefined ? [] : memberRows(member.items, `${prefix}${name}[].`)),
  ])
}

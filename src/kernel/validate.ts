import { z } from 'zod'
import { InvalidInputError } from './errors.js'

/**
 * Checks an input against a schema.
 * @throws InvalidInputError that names the first field that is wrong
 */
export function validate<T>(schema: z.ZodType<T>, input: unknown, root = ''): T {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const member = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  throw new InvalidInputError(fieldName(root, [...(issue?.path ?? []), ...member]), issue?.message ?? 'is not valid')
}

function fieldName(root: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part}]`
    return name === '' ? String(part) : `${name}.${String(part)}`
  }, root)
}

/** A message for a missing member, and another for a wrong type. */
function expected(what: string) {
  return {
    error: (issue: { readonly input?: unknown }) => (issue.input === undefined ? 'is required' : `must be ${what}`),
  }
}

interface TextRules {
  /** In code points. */
  readonly max: number
  readonly min?: number
  /** Whether it is one line: without control characters, line breaks among them. Default false. */
  readonly isLine?: boolean
}

/** A string of code points without U+0000, so that every store can keep it. */
export function textSchema(rules: TextRules): z.ZodType<string> {
  const { max, min = 0, isLine = false } = rules
  const text = storableSchema((value) => {
    if (isLine && /\p{Cc}/u.test(value)) return 'must be one line, without control characters'
    if (value.length > max * 2 || codePoints(value) > max) return `must have at most ${max} characters`
    if (min > 0 && value.trim() === '') return 'must not be empty'
    return codePoints(value) < min ? `must have at least ${min} characters` : undefined
  })
  // What a JSON Schema of it says.
  return text.meta({ maxLength: max, ...(min > 0 && { minLength: min }) })
}

/** As {@link textSchema}, for a string whose size in UTF-8 counts. */
export function utf8Schema({ maxBytes }: { readonly maxBytes: number }): z.ZodType<string> {
  return storableSchema((value) => {
    // No UTF-16 unit is less than a byte: what is far too long is not encoded to be counted.
    const isTooLong = value.length > maxBytes || new TextEncoder().encode(value).length > maxBytes
    return isTooLong ? `must have at most ${maxBytes} bytes in UTF-8` : undefined
  })
}

/** @param problemOf what else is wrong with a string that stores can keep */
function storableSchema(problemOf: (value: string) => string | undefined): z.ZodType<string> {
  return z.string(expected('a string')).superRefine((value, check) => {
    const problem = unstorable(value) ?? problemOf(value)
    if (problem !== undefined) check.addIssue({ code: 'custom', message: problem })
  })
}

function unstorable(value: string): string | undefined {
  if (value.includes('\0')) return 'must not contain the character U+0000'
  return value.isWellFormed() ? undefined : 'must be well-formed Unicode: it has half of a surrogate pair'
}

/** An integer that a double holds exactly. */
export function integerSchema(rules: { readonly min?: number; readonly max?: number } = {}): z.ZodType<number> {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = rules
  const what = rules.max === undefined ? `an integer, ${min} or more` : `an integer from ${min} to ${max}`
  return z
    .number(expected('an integer'))
    .refine((value) => Number.isSafeInteger(value) && value >= min && value <= max, {
      error: `must be ${rules.min === undefined ? 'an integer' : what}`,
    })
    .meta({ type: 'integer', minimum: min, maximum: max })
}

/** An id as the engine gives them. */
export function idSchema(): z.ZodType<number> {
  return integerSchema({ min: 1 })
}

const ID = idSchema()

/** @throws InvalidInputError for what is no id */
export function parseId(input: unknown, field: string): number {
  return validate(ID, input, field)
}

/** A number from `min` to `max`; `max` itself is out where `isBelow`. */
export function fractionSchema(rules: {
  readonly min: number
  readonly max: number
  readonly isBelow?: boolean
}): z.ZodType<number> {
  const { min, max, isBelow = false } = rules
  const what = isBelow ? `at least ${min} and less than ${max}` : `from ${min} to ${max}`
  return z
    .number(expected('a number'))
    .refine((value) => value >= min && (isBelow ? value < max : value <= max), { error: `must be a number ${what}` })
    .meta({ minimum: min, [isBelow ? 'exclusiveMaximum' : 'maximum']: max })
}

/** True or false. */
export function booleanSchema(): z.ZodType<boolean> {
  return z.boolean(expected('true or false'))
}

/** An array whose members are told apart in error messages by their index. */
export function listSchema<T>(item: z.ZodType<T>, max: number): z.ZodType<T[]> {
  return z.array(item, expected('an array')).max(max, { error: `must have at most ${max} elements` })
}

/** An object; members that the schema does not name are dropped. */
export function objectSchema<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape> {
  return z.object(shape, expected('an object'))
}

/** As {@link objectSchema}, where a member that the schema does not name is a mistake: it would be without effect. */
export function closedObjectSchema<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  const unknown = `is unknown: there are ${Object.keys(shape).join(', ')}`
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? unknown : expected('an object').error(issue)),
  })
}

/** A signal, of any realm: `instanceof` knows those of its own alone. */
export function signalSchema(): z.ZodType<AbortSignal> {
  const isSignal = (value: unknown): boolean =>
    typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value
  return z.custom<AbortSignal>(isSignal, { error: 'must be an AbortSignal' })
}

/** One of some values. */
export function choiceSchema<const Value extends string | number>(values: readonly Value[]): z.ZodType<Value> {
  const list = values.map((value) => JSON.stringify(value)).join(', ')
  return z.literal(values as [Value, ...Value[]], expected(`one of ${list}`))
}

function codePoints(value: string): number {
  let count = 0
  for (const _ of value) count += 1
  return count
}

import { z } from 'zod'
import {
  type ErrorReason,
  type ErrorReasonCode,
  errorReason,
  InvalidInputError,
  type ReasonArguments,
} from './errors.js'
import { isAbortSignal } from './realms.js'

/** The subject of a message about an input that has no name. */
const UNNAMED = 'the input '

const REQUIRED = 'is required'

/**
 * Checks an input against a schema.
 * @param root name of the input in error messages; default none
 * @throws InvalidInputError that names the first unknown member, or the first invalid field
 */
export function validate<T>(schema: z.ZodType<T>, input: unknown, root = ''): T {
  return dataOf(schema.safeParse(input), root)
}

function dataOf<T>(result: z.ZodSafeParseResult<T>, root: string): T {
  if (result.success) return result.data
  // First, because a misspelt member is also missing under its right name.
  const issue = result.error.issues.find(({ code }) => code === 'unrecognized_keys') ?? result.error.issues[0]
  const unknownKey = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  const field = fieldName(root, [...(issue?.path ?? []), ...unknownKey])
  const problem = issue?.message ?? 'is not valid'
  // Each message is the end of a sentence: without a field, the input is its subject.
  throw new InvalidInputError(field, field === '' ? `${UNNAMED}${problem}` : problem, {
    reason: issue && reasonOf(issue),
  })
}

function reasonOf(issue: z.core.$ZodIssue): ErrorReason | undefined {
  if (issue.message === REQUIRED) return errorReason('required')
  if (issue.code === 'custom') return (issue.params as RuleProblem['params'] | undefined)?.reason
  if (issue.code === 'invalid_value') return errorReason('not-in-list', { values: listOf(issue.values) })
  if (issue.code === 'too_big' && issue.origin === 'array') {
    return errorReason('too-many-elements', { max: Number(issue.maximum) })
  }
  return undefined
}

/** A broken rule, as a schema takes it: the end of a sentence about the value, and the same for programs. */
export interface RuleProblem {
  readonly message: string
  readonly params: { readonly reason: ErrorReason }
}

export function ruleProblem<Code extends ErrorReasonCode>(
  message: string,
  code: Code,
  ...parameters: ReasonArguments<Code>
): RuleProblem {
  return { message, params: { reason: errorReason(code, ...parameters) } }
}

/**
 * An error about a member of an option, as the caller of that option needs it.
 *
 * @param root name of the option, such as `webhooks`
 * @returns an InvalidInputError whose field begins with the root; another error as it is
 */
export function withinField(root: string, error: unknown): unknown {
  if (!(error instanceof InvalidInputError)) return error
  const { field, message, cause } = error
  const subject = field === '' ? UNNAMED : `${field}: `
  const problem = message.startsWith(subject) ? message.slice(subject.length) : message
  return new InvalidInputError(field === '' ? root : `${root}.${field}`, problem, { cause, reason: error.reason })
}

/**
 * As {@link validate}, for JSON from elsewhere: drops the members that the schema does not name.
 * @throws InvalidInputError that names the first invalid field
 */
export function validateTolerantly<T>(schema: z.ZodType<T>, input: unknown): T {
  const result = schema.safeParse(input)
  const unknown = result.error?.issues.filter((issue) => issue.code === 'unrecognized_keys') ?? []
  if (unknown.length === 0) return dataOf(result, '')
  return validate(
    schema,
    unknown.reduce((value, { path, keys }) => withoutMembers(value, path, keys), input),
  )
}

/** A copy of an input without some members of the object at a path. Copies no other member: one may be too deep for that. */
function withoutMembers(input: unknown, [part, ...rest]: readonly PropertyKey[], keys: readonly string[]): unknown {
  const copy = (Array.isArray(input) ? [...(input as unknown[])] : { ...(input as object) }) as Record<
    PropertyKey,
    unknown
  >
  if (part === undefined) for (const key of keys) Reflect.deleteProperty(copy, key)
  else copy[part] = withoutMembers(copy[part], rest, keys)
  return copy
}

/**
 * Refuses members with other names, for an input whose values are checked elsewhere.
 * @throws InvalidInputError that names the first unknown member
 */
export function refuseUnknownMembers(input: unknown, known: readonly string[], noun = 'member'): void {
  if (typeof input !== 'object' || input === null) return
  const unknown = Object.keys(input).find((key) => !known.includes(key))
  if (unknown === undefined) return
  throw new InvalidInputError(unknown, unknownMember(noun, unknown, known))
}

function unknownMember(noun: string, name: string, known: readonly string[]): string {
  return `unknown ${noun} "${name}"; expected ${known.length === 0 ? 'none' : `one of ${known.join(', ')}`}`
}

function fieldName(root: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part}]`
    return name === '' ? String(part) : `${name}.${String(part)}`
  }, root)
}

/** One message for a missing member, and another one for a wrong type. */
function expected(description: string) {
  return {
    error: (issue: { readonly input?: unknown }) => (issue.input === undefined ? REQUIRED : `must be ${description}`),
  }
}

interface TextRules {
  /** Code points. */
  readonly max: number
  readonly min?: number
  /** True for a single line: no control characters, and so no line breaks. Default false. */
  readonly isLine?: boolean
}

/** A well-formed string without U+0000, so that every store can keep it. */
export function textSchema(rules: TextRules): z.ZodType<string> {
  const { max, min = 0, isLine = false } = rules
  const text = storableSchema((value) => {
    if (isLine && /\p{Cc}/u.test(value)) return NOT_ONE_LINE
    // A code point has one or two UTF-16 units, so most texts need no count.
    const { length } = value
    if (length > max * 2 || (length > max && codePoints(value) > max)) {
      return ruleProblem(`must have at most ${max} characters`, 'too-long', { max })
    }
    if (min > 0 && value.trim() === '') return EMPTY
    const isTooShort = length < min * 2 && codePoints(value) < min
    return isTooShort ? ruleProblem(`must have at least ${min} characters`, 'too-short', { min }) : undefined
  })
  // For the JSON Schema.
  return text.meta({ maxLength: max, ...(min > 0 && { minLength: min }) })
}

/** As {@link textSchema}, with a limit in bytes of UTF-8. */
export function utf8Schema({ maxBytes }: { readonly maxBytes: number }): z.ZodType<string> {
  return storableSchema((value) => {
    // Each UTF-16 unit needs at least one byte. So a text that is far too long is refused without being encoded.
    const isTooLong = value.length > maxBytes || new TextEncoder().encode(value).length > maxBytes
    if (!isTooLong) return undefined
    return ruleProblem(`must have at most ${maxBytes} bytes in UTF-8`, 'too-many-bytes', { max: maxBytes })
  })
}

/** @param problemOf returns a further problem of a string, if there is one */
function storableSchema(problemOf: (value: string) => RuleProblem | undefined): z.ZodType<string> {
  return z.string(expected('a string')).superRefine((value, check) => {
    const problem = storageProblemOf(value) ?? problemOf(value)
    if (problem !== undefined) check.addIssue({ code: 'custom', ...problem })
  })
}

export const NOT_ONE_LINE: RuleProblem = ruleProblem('must be one line, without control characters', 'not-one-line')
export const EMPTY: RuleProblem = ruleProblem('must not be empty', 'empty')

/** An integer that a double represents exactly. */
export function integerSchema(rules: { readonly min?: number; readonly max?: number } = {}): z.ZodType<number> {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = rules
  return z
    .number(expected('an integer'))
    .refine((value) => Number.isSafeInteger(value) && value >= min && value <= max, refusal(integerProblem(rules)))
    .meta({ type: 'integer', minimum: min, maximum: max })
}

function integerProblem({ min, max }: { readonly min?: number; readonly max?: number }): RuleProblem {
  if (min === undefined) return ruleProblem('must be an integer', 'not-an-integer')
  if (max === undefined) return ruleProblem(`must be an integer, ${min} or more`, 'integer-too-small', { min })
  return ruleProblem(`must be an integer from ${min} to ${max}`, 'integer-out-of-range', { min, max })
}

/** An id that the engine has assigned. */
export function idSchema(): z.ZodType<number> {
  return integerSchema({ min: 1 })
}

const ID = idSchema()

/** @throws InvalidInputError where the input is not an id */
export function parseId(input: unknown, field: string): number {
  return validate(ID, input, field)
}

/** A number from `min` to `max`. With `isBelow`, the number is less than `max`. */
export function fractionSchema(rules: {
  readonly min: number
  readonly max: number
  readonly isBelow?: boolean
}): z.ZodType<number> {
  const { min, max, isBelow = false } = rules
  const problem = isBelow
    ? ruleProblem(`must be a number at least ${min} and less than ${max}`, 'number-not-below', { min, max })
    : ruleProblem(`must be a number from ${min} to ${max}`, 'number-out-of-range', { min, max })
  return z
    .number(expected('a number'))
    .refine((value) => value >= min && (isBelow ? value < max : value <= max), refusal(problem))
    .meta({ minimum: min, [isBelow ? 'exclusiveMaximum' : 'maximum']: max })
}

/** True or false. */
export function booleanSchema(): z.ZodType<boolean> {
  return z.boolean(expected('true or false'))
}

/** An array. Error messages name an element by its index. */
export function listSchema<T>(item: z.ZodType<T>, max: number): z.ZodType<T[]> {
  return z.array(item, expected('an array')).max(max, { error: `must have at most ${max} elements` })
}

/** An object. Refuses a member that the schema does not name: it would have no effect. */
export function objectSchema<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  return strictSchema(shape, 'member')
}

/** As {@link objectSchema}, for an object of options. */
export function closedObjectSchema<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  return strictSchema(shape, 'option')
}

/** An object that may come from elsewhere, with members of its own. Members that the schema does not name are dropped. */
export function openObjectSchema<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape> {
  return z.object(shape, expected('an object'))
}

function strictSchema<Shape extends z.ZodRawShape>(shape: Shape, noun: string): z.ZodObject<Shape, z.core.$strict> {
  const known = Object.keys(shape)
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? unknownMember(noun, String(issue.keys[0]), known)
        : expected('an object').error(issue),
  })
}

/** An AbortSignal of any realm. */
export function signalSchema(): z.ZodType<AbortSignal> {
  return z.custom<AbortSignal>(isAbortSignal, { error: 'must be an AbortSignal' })
}

/** One of a list of values. */
export function choiceSchema<const Value extends string | number>(values: readonly Value[]): z.ZodType<Value> {
  return z.literal(values as [Value, ...Value[]], expected(`one of ${listOf(values)}`))
}

function listOf(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(', ')
}

/** The refusal of a `refine`. */
export function refusal({ message, params }: RuleProblem): {
  readonly error: string
  readonly params: RuleProblem['params']
} {
  return { error: message, params }
}

function codePoints(value: string): number {
  let count = 0
  for (const _ of value) count += 1
  return count
}

/** A problem of an input: the path to the invalid part, and a sentence without its subject. */
export interface InputProblem {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/**
 * A schema with rules of its own. Values stay as they are, so that no key of an object is lost.
 *
 * @param problemOf returns the first problem of a value, if there is one
 * @param jsonSchema the rules as JSON Schema
 */
export function checkedSchema<T>(
  problemOf: (value: unknown) => InputProblem | undefined,
  jsonSchema: Readonly<Record<string, unknown>>,
): z.ZodType<T> {
  return z
    .unknown()
    .superRefine((value, check) => {
      const problem = problemOf(value)
      if (problem !== undefined) check.addIssue({ code: 'custom', message: problem.message, path: [...problem.path] })
    })
    .meta(jsonSchema) as unknown as z.ZodType<T>
}

/** @returns the problem of a string that no store can keep; `undefined` for any other string */
export function storageProblemOf(value: string): RuleProblem | undefined {
  if (value.includes('\0')) return NULL_CHARACTER
  return value.isWellFormed() ? undefined : HALF_CHARACTER
}

const NULL_CHARACTER = ruleProblem('must not contain the character U+0000', 'null-character')
const HALF_CHARACTER = ruleProblem(
  'must be well-formed Unicode: it contains half of a surrogate pair',
  'half-character',
)

/** True for an object of keys and values: no array, no `Date`, no `Map`. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return Object.prototype.toString.call(value) === '[object Object]'
}

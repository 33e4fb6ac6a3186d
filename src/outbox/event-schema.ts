import { InvalidInputError } from '../kernel/errors.js'
import { validate } from '../kernel/validate.js'
import { fieldsSchema } from './catalog.js'
import { FIELD_KINDS, type FieldKind, jsonTypeOf } from './event-fields.js'

/** A validator by Standard Schema, such as a schema of zod, Valibot or ArkType. Source: https://standardschema.dev */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** Checks the data of an event, and says what the catalog shows. */
export interface DataCheck {
  /** @throws InvalidInputError that names the member of `data` */
  check(data: unknown): Promise<unknown>
  /** The JSON type of each field, as far as the schema says it. */
  readonly fields: Readonly<Record<string, string>>
}

/** @throws InvalidInputError with the field `schema` if it is neither a Standard Schema nor a record of kinds */
export function dataCheckOf(schema: unknown): DataCheck {
  // A schema of ArkType is a function.
  if ((typeof schema === 'object' || typeof schema === 'function') && schema !== null) {
    if ('~standard' in schema) return standardCheck(schema as StandardSchema)
    const kinds = Object.entries(schema)
    if (kinds.every(([, kind]) => FIELD_KINDS.some((known) => known === kind))) {
      return kindsCheck(Object.fromEntries(kinds))
    }
  }
  throw new InvalidInputError(
    'schema',
    `must be a Standard Schema, such as one of zod 3.24 or later, or a record of ${FIELD_KINDS.join(', ')} by name`,
  )
}

function kindsCheck(kinds: Readonly<Record<string, FieldKind>>): DataCheck {
  const schema = fieldsSchema(kinds)
  const fields = Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, jsonTypeOf(kind)]))
  return { check: async (data) => validate(schema, data, 'data'), fields }
}

function standardCheck(schema: StandardSchema): DataCheck {
  const { validate: validateBySchema } = schema['~standard']
  if (typeof (validateBySchema as unknown) !== 'function') {
    throw new InvalidInputError('schema', 'must have a function validate in its member ~standard')
  }
  return {
    check: async (data) => {
      const result = await validateBySchema(data)
      if (result.issues === undefined) return result.value
      const [issue] = result.issues
      throw new InvalidInputError(pathOf(issue), issue?.message ?? 'is not valid')
    },
    fields: describedFields(schema['~standard']),
  }
}

function pathOf(issue: StandardIssue | undefined): string {
  return (issue?.path ?? []).reduce<string>((name, part) => {
    const key = typeof part === 'object' ? part.key : part
    return typeof key === 'number' ? `${name}[${key}]` : `${name}.${String(key)}`
  }, 'data')
}

/** The fields of a schema that can describe itself (Standard JSON Schema); none of any other schema. */
function describedFields(standard: object): Readonly<Record<string, string>> {
  try {
    const { jsonSchema } = standard as { jsonSchema?: { output(options: { target: string }): unknown } }
    const described = jsonSchema?.output({ target: 'draft-2020-12' }) as { properties?: Record<string, unknown> }
    const fields = Object.entries(described.properties ?? {}).map(([name, property]) => {
      const { type } = property as { readonly type?: unknown }
      return [name, typeof type === 'string' ? type : 'any']
    })
    return Object.fromEntries(fields) as Record<string, string>
  } catch {
    // It has a type that JSON Schema does not have.
    return {}
  }
}

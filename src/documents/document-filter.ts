import type { z } from 'zod'
import { checkedSchema, type InputProblem, isRecord, storageProblemOf, validate } from '../kernel/validate.js'
import type { DocumentFilter } from '../ports/index.js'
import { keyProblemOf, withComposedPath } from './metadata.js'

const MAX_DOCUMENTS = 10_000
const MAX_KEYS = 50
/** Maximum number of conditions: a value, and each test of a key, also within `not`. */
const MAX_CONDITIONS = 200
/** Maximum number of values in all lists `in` of a filter together. */
const MAX_VALUES = 1_000
/** Maximum size of all values of a filter together, in bytes of UTF-8. */
const MAX_BYTES = 65_536
/** Maximum length of a string in UTF-16 units: no longer one can be stored. */
const MAX_UNITS = 16_384

const BOUNDS = ['gte', 'gt', 'lte', 'lt'] as const
const TESTS = ['in', ...BOUNDS] as const
const KEY_TESTS = [...TESTS, 'exists', 'not'] as const

const SCALAR_SCHEMA = { type: ['string', 'number', 'boolean'] }
const TEST_SCHEMAS = {
  in: { type: 'array', items: SCALAR_SCHEMA },
  ...Object.fromEntries(BOUNDS.map((name) => [name, { type: ['string', 'number'] }])),
}

/** Schema for the conditions that documents must meet. */
export const documentFilterSchema: z.ZodType<DocumentFilter> = checkedSchema(filterProblemOf, {
  type: 'object',
  description: 'Conditions for documents. All of them must be met',
  additionalProperties: false,
  properties: {
    documents: { type: 'array', maxItems: MAX_DOCUMENTS, items: { type: 'integer', minimum: 1 } },
    metadata: {
      type: 'object',
      description: 'By key: a value, or tests',
      maxProperties: MAX_KEYS,
      additionalProperties: {
        anyOf: [
          SCALAR_SCHEMA,
          {
            type: 'object',
            additionalProperties: false,
            properties: {
              ...TEST_SCHEMAS,
              exists: { type: 'boolean' },
              not: {
                description: 'A value, or tests, that the value must not pass. A document without the key passes',
                anyOf: [SCALAR_SCHEMA, { type: 'object', additionalProperties: false, properties: TEST_SCHEMAS }],
              },
            },
          },
        ],
      },
    },
  },
})

/**
 * @param input a filter, or undefined for none
 * @throws InvalidInputError that names the key, such as `filter.metadata.year.gte`
 */
export function parseFilter(input: unknown): DocumentFilter | undefined {
  // A copy: a list reads the filter more than once, and the caller may change them in the meantime.
  return input === undefined
    ? undefined
    : composedFilter(structuredClone(validate(documentFilterSchema, input, 'filter')))
}

/** @returns a valid filter whose path is in the form in which documents have theirs */
export function composedFilter<Filter extends DocumentFilter | undefined>(filter: Filter): Filter {
  return filter?.metadata === undefined ? filter : { ...filter, metadata: withComposedPath(filter.metadata) }
}

function filterProblemOf(filter: unknown): InputProblem | undefined {
  // For a schema of an optional member.
  if (filter === undefined) return undefined
  if (!isRecord(filter)) return problemAt([], 'must be an object, such as {"metadata":{"year":2026}}')
  const unknownName = Object.keys(filter).find((name) => name !== 'documents' && name !== 'metadata')
  if (unknownName !== undefined) return problemAt([unknownName], 'is unknown: expected documents or metadata')
  const { documents, metadata } = filter
  return documentsProblemOf(documents) ?? metadataProblemOf(metadata)
}

function documentsProblemOf(documents: unknown): InputProblem | undefined {
  if (documents === undefined) return undefined
  if (!Array.isArray(documents)) return problemAt(['documents'], 'must be a list of ids')
  if (documents.length > MAX_DOCUMENTS) return problemAt(['documents'], `must have at most ${MAX_DOCUMENTS} ids`)
  const invalid = documents.findIndex((id) => !Number.isSafeInteger(id) || Number(id) < 1)
  return invalid < 0 ? undefined : problemAt(['documents', invalid], 'must be an id, an integer, 1 or more')
}

function metadataProblemOf(metadata: unknown): InputProblem | undefined {
  if (metadata === undefined) return undefined
  if (!isRecord(metadata)) return problemAt(['metadata'], 'must be an object with a condition for each key')
  const entries = Object.entries(metadata)
  if (entries.length > MAX_KEYS) return problemAt(['metadata'], `must have at most ${MAX_KEYS} keys`)
  const size = { conditions: 0, values: 0, bytes: 0 }
  for (const [key, condition] of entries) {
    const keyProblem = keyProblemOf(key)
    if (keyProblem !== undefined) return problemAt(['metadata'], keyProblem)
    const problem = conditionProblemOf(condition, KEY_TESTS)
    if (problem !== undefined) return { ...problem, path: ['metadata', key, ...problem.path] }
    addSize(condition, size)
    const sizeProblem = sizeProblemOf(size)
    if (sizeProblem !== undefined) return problemAt(['metadata'], sizeProblem)
  }
  return undefined
}

interface FilterSize {
  conditions: number
  values: number
  bytes: number
}

function sizeProblemOf({ conditions, values, bytes }: FilterSize): string | undefined {
  if (conditions > MAX_CONDITIONS) return `must have at most ${MAX_CONDITIONS} conditions`
  if (values > MAX_VALUES) return `must have at most ${MAX_VALUES} values in lists`
  return bytes > MAX_BYTES ? `must have at most ${MAX_BYTES} bytes of values` : undefined
}

/** Adds a valid condition to the size of its filter. */
function addSize(condition: unknown, size: FilterSize): void {
  const tests = isRecord(condition) ? condition : { value: condition }
  for (const [name, value] of Object.entries(tests)) {
    if (name === 'not') {
      addSize(value, size)
      continue
    }
    size.conditions += 1
    const values: readonly unknown[] = Array.isArray(value) ? value : [value]
    if (name === 'in') size.values += values.length
    for (const each of values) size.bytes += typeof each === 'string' ? ENCODER.encode(each).length : 8
  }
}

const ENCODER = new TextEncoder()

function conditionProblemOf(condition: unknown, names: readonly string[]): InputProblem | undefined {
  if (!isRecord(condition)) return scalarProblemOf(condition, [], ', or an object of tests, such as {"in":["a","b"]}')
  const given = Object.keys(condition)
  if (given.length === 0) return problemAt([], `must have at least one of ${names.join(', ')}`)
  const unknownName = given.find((name) => !names.includes(name))
  if (unknownName !== undefined) return problemAt([unknownName], `is unknown: expected one of ${names.join(', ')}`)
  const { exists, not } = condition
  if ('exists' in condition && typeof exists !== 'boolean') return problemAt(['exists'], 'must be true or false')
  const notProblem = 'not' in condition ? conditionProblemOf(not, TESTS) : undefined
  if (notProblem !== undefined) return { ...notProblem, path: ['not', ...notProblem.path] }
  return listProblemOf(condition) ?? boundsProblemOf(condition)
}

function listProblemOf(tests: Readonly<Record<string, unknown>>): InputProblem | undefined {
  if (!('in' in tests)) return undefined
  const { in: values } = tests
  if (!Array.isArray(values)) return problemAt(['in'], 'must be a list of values')
  // Before its values: a request with a much longer list takes no time.
  if (values.length > MAX_VALUES) return problemAt(['in'], `must have at most ${MAX_VALUES} values`)
  for (const [index, value] of values.entries()) {
    const problem = scalarProblemOf(value, ['in', index])
    if (problem !== undefined) return problem
  }
  return undefined
}

function boundsProblemOf(tests: Readonly<Record<string, unknown>>): InputProblem | undefined {
  let first: { readonly name: string; readonly type: string } | undefined
  for (const name of BOUNDS) {
    if (!(name in tests)) continue
    const value = tests[name]
    const problem = scalarProblemOf(value, [name])
    if (problem !== undefined || typeof value === 'boolean')
      return problemAt([name], 'must be a finite number or a string')
    first ??= { name, type: typeof value }
    if (typeof value !== first.type) return problemAt([name], `must be a ${first.type}, as ${first.name} is`)
  }
  return undefined
}

function scalarProblemOf(value: unknown, path: InputProblem['path'], alternative = ''): InputProblem | undefined {
  if (typeof value === 'boolean' || Number.isFinite(value)) return undefined
  if (typeof value !== 'string') {
    return problemAt(path, `must be a string, a finite number, true or false${alternative}`)
  }
  const storageProblem = storageProblemOf(value)?.message
  if (storageProblem !== undefined) return problemAt(path, storageProblem)
  return value.length > MAX_UNITS ? problemAt(path, `must have at most ${MAX_UNITS} characters`) : undefined
}

function problemAt(path: InputProblem['path'], message: string): InputProblem {
  return { path, message }
}

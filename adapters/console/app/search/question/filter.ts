/** A value of the metadata that a filter compares. */
type FilterValue = string | number | boolean

/** The tests of the form, in its order. */
export const FILTER_TESTS = ['equals', 'not', 'in', 'gte', 'gt', 'lte', 'lt', 'exists', 'missing'] as const

export type FilterTest = (typeof FILTER_TESTS)[number]

/** One test of one key, as the form shows it. */
export interface FilterCondition {
  readonly key: string
  readonly test: FilterTest
  /** The value as text; empty for `exists` and `missing`. */
  readonly value: string
}

type JsonObject = Readonly<Record<string, unknown>>

/** A filter as the API takes it, or the reason why a text is none. */
export type ReadFilter = { readonly filter: JsonObject | undefined } | { readonly problem: string }

/** @param text JSON; empty for no filter */
export function readFilter(text: string): ReadFilter {
  if (text.trim() === '') return { filter: undefined }
  try {
    const filter: unknown = JSON.parse(text)
    return isObject(filter) ? { filter } : { problem: '' }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

/** @returns the conditions of a filter that the form can show */
export function conditionsOf({ metadata }: JsonObject): FilterCondition[] {
  if (!isObject(metadata)) return []
  return Object.entries(metadata).flatMap(([key, condition]): FilterCondition[] => {
    if (!isObject(condition)) return [{ key, test: 'equals', value: valueText(condition) }]
    return Object.entries(condition).flatMap(([name, value]): FilterCondition[] => {
      if (name === 'exists') return [{ key, test: value === false ? 'missing' : 'exists', value: '' }]
      const test = FILTER_TESTS.find((each) => each === name)
      return test === undefined ? [] : [{ key, test, value: valueText(value) }]
    })
  })
}

/** @returns the filter with one more condition. A key has one condition of each test. */
export function withCondition(filter: JsonObject, { key, test, value }: FilterCondition): JsonObject {
  const metadata = isObject(filter['metadata']) ? filter['metadata'] : {}
  const before = metadata[key]
  if (test === 'equals') return { ...filter, metadata: { ...metadata, [key]: readValue(value) } }
  const tests = before === undefined ? {} : isObject(before) ? before : { in: [before] }
  return { ...filter, metadata: { ...metadata, [key]: { ...tests, ...testOf(test, value) } } }
}

/** @returns the filter without a condition; undefined if nothing is left */
export function withoutCondition(filter: JsonObject, { key, test }: FilterCondition): JsonObject | undefined {
  const { metadata: all, ...rest } = filter
  const { [key]: condition, ...metadata } = isObject(all) ? all : {}
  const name = test === 'missing' ? 'exists' : test
  const tests = isObject(condition) ? Object.entries(condition).filter(([each]) => each !== name) : []
  const left = { ...metadata, ...(tests.length > 0 && { [key]: Object.fromEntries(tests) }) }
  const result = { ...rest, ...(Object.keys(left).length > 0 && { metadata: left }) }
  return Object.keys(result).length > 0 ? result : undefined
}

function testOf(test: Exclude<FilterTest, 'equals'>, value: string): JsonObject {
  if (test === 'exists' || test === 'missing') return { exists: test === 'exists' }
  if (test === 'in') return { in: value.split(',').map((each) => readValue(each.trim())) }
  return { [test]: readValue(value) }
}

/** Numbers, `true` and `false` are read as such. Quotes make a text of them: `"2026"`. */
function readValue(text: string): FilterValue {
  if (/^".*"$/s.test(text)) return text.slice(1, -1)
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(', ')
  if (typeof value !== 'string') return JSON.stringify(value)
  return typeof readValue(value) === 'string' && !/^".*"$/s.test(value) ? value : `"${value}"`
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

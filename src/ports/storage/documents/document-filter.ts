import type { DocumentRecord, MetadataValue } from './document-record.js'

/** A value to compare with the metadata of documents. A list of strings is compared item by item. */
export type MetadataScalar = string | number | boolean

/**
 * Tests of one value. A value passes if it passes all of them. Strings compare with strings only, in the order of their
 * code points, and numbers with numbers only.
 */
export interface ValueTests {
  /** The value equals one of these. */
  readonly in?: readonly MetadataScalar[]
  readonly gte?: string | number
  readonly gt?: string | number
  readonly lte?: string | number
  readonly lt?: string | number
}

/** The tests of one key. A document passes if it passes all of them. */
export interface KeyTests extends ValueTests {
  /** True if the document must have the key, false if it must not. */
  readonly exists?: boolean
  /** Tests that the value must not pass. A document without the key passes. */
  readonly not?: MetadataScalar | ValueTests
}

/** The condition for one key: a value that it must equal, or tests. */
export type MetadataCondition = MetadataScalar | KeyTests

/** Selects documents. A document is selected if it meets all conditions. */
export interface DocumentFilter {
  /** Ids of documents, as users see them. Unknown ids select nothing. */
  readonly documents?: readonly number[]
  /** Conditions by the key of the metadata. */
  readonly metadata?: Readonly<Record<string, MetadataCondition>>
}

/** The condition for one key in the form that storages evaluate. */
export interface KeyRule {
  readonly key: string
  /** True if the document must have the key, false if it must not. Default: either. */
  readonly exists?: boolean
  /** The value, or one item of a list, must pass these tests. Default: none. */
  readonly some?: ValueTests
  /** Neither the value nor an item of a list may pass these tests. Default: none. */
  readonly none?: ValueTests
}

/** @returns the conditions on the metadata, one rule for each key */
export function keyRulesOf({ metadata = {} }: DocumentFilter): readonly KeyRule[] {
  return Object.entries(metadata).map(([key, condition]) => {
    if (typeof condition !== 'object') return { key, some: { in: [condition] } }
    const { exists, not, ...tests } = condition
    return {
      key,
      ...(exists !== undefined && { exists }),
      ...(Object.keys(tests).length > 0 && { some: tests }),
      ...(not !== undefined && { none: typeof not === 'object' ? not : { in: [not] } }),
    }
  })
}

/** @returns true if a document passes the filter. Without a filter, every document does. */
export function passesFilter(
  { publicId, metadata }: Pick<DocumentRecord, 'publicId' | 'metadata'>,
  filter: DocumentFilter | undefined,
): boolean {
  if (filter === undefined) return true
  if (filter.documents !== undefined && !filter.documents.includes(publicId)) return false
  return keyRulesOf(filter).every(({ key, exists, some, none }) => {
    const value = Object.hasOwn(metadata, key) ? metadata[key] : undefined
    if (exists !== undefined && exists !== (value !== undefined)) return false
    const items = itemsOf(value)
    if (some !== undefined && !items.some((item) => passesTests(item, some))) return false
    return none === undefined || !items.some((item) => passesTests(item, none))
  })
}

/** @returns the items of a list; otherwise the value alone; nothing for a missing value */
export function itemsOf(value: MetadataValue | undefined): readonly MetadataScalar[] {
  if (value === undefined) return []
  return typeof value === 'object' ? value : [value]
}

/** @returns true if a value passes all tests */
export function passesTests(item: MetadataScalar, { in: values, gte, gt, lte, lt }: ValueTests): boolean {
  if (values !== undefined && !values.includes(item)) return false
  if (gte !== undefined && !(order(item, gte) >= 0)) return false
  if (gt !== undefined && !(order(item, gt) > 0)) return false
  if (lte !== undefined && !(order(item, lte) <= 0)) return false
  return lt === undefined || order(item, lt) < 0
}

/** @returns a negative number, 0 or a positive number; NaN for values that do not compare */
function order(item: MetadataScalar, bound: string | number): number {
  if (typeof item === 'number' && typeof bound === 'number') return item - bound
  return typeof item === 'string' && typeof bound === 'string' ? compareCodePoints(item, bound) : Number.NaN
}

/** Compares strings in the order of their code points, which is also the order of their bytes in UTF-8. */
export function compareCodePoints(one: string, other: string): number {
  let at = 0
  while (at < one.length && at < other.length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1
  // Between the halves of a surrogate pair, the first half is equal, so the second half decides.
  return rank(one, at) - rank(other, at)
}

/** UTF-16 units in the order of the code points that they belong to: surrogates come last. */
function rank(text: string, at: number): number {
  if (at >= text.length) return -1
  const unit = text.charCodeAt(at)
  return unit >= 0xd8_00 && unit <= 0xdf_ff ? unit + 0x1_00_00 : unit
}

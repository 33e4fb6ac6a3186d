import { z } from 'zod'
import { InvalidInputError } from '../kernel/errors.js'
import {
  checkedSchema,
  closedObjectSchema,
  type InputProblem,
  isRecord,
  storageProblemOf,
  textSchema,
  validate,
} from '../kernel/validate.js'
import type { DocumentMetadata, MetadataValue } from '../ports/index.js'

/** Maximum number of keys in the metadata of a document. */
const MAX_KEYS = 50
/** Maximum size of the metadata of a document as JSON, in bytes of UTF-8. */
const MAX_BYTES = 16_384
/** Maximum length of a key in UTF-16 units. */
const MAX_KEY_UNITS = 100
const MAX_NAME_CHARACTERS = 255

const VALUES = 'must be a string, a finite number, true, false or a list of strings'

/** The changes of `documents.update`. Members that are left out change nothing. */
export interface DocumentChanges {
  /** 1 to 255 characters in one line. It need not be unique. Null restores the name that is made from the file name. */
  readonly displayName?: string | null | undefined
  /**
   * Values that are merged into the metadata: null removes a key, and the other keys stay (JSON Merge Patch, RFC 7396).
   * Null instead of the object removes all keys.
   */
  readonly metadata?: Readonly<Record<string, MetadataValue | null>> | null | undefined
}

const VALUE_SCHEMA = {
  anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }, { type: 'array', items: { type: 'string' } }],
}
const RECORD_SCHEMA = {
  type: 'object',
  maxProperties: MAX_KEYS,
  propertyNames: { minLength: 1, maxLength: MAX_KEY_UNITS },
}

/** Schema for the metadata of a document: at most 50 keys, and 16,384 bytes as JSON. */
export const documentMetadataSchema: z.ZodType<DocumentMetadata> = checkedSchema(
  (value) => recordProblemOf(value, valueProblemOf) ?? sizeProblemOf(value as DocumentMetadata),
  { ...RECORD_SCHEMA, additionalProperties: VALUE_SCHEMA },
)

const NAME = textSchema({ min: 1, max: MAX_NAME_CHARACTERS, isLine: true })
const METADATA_CHANGES: z.ZodType<DocumentChanges['metadata']> = checkedSchema(
  (value) =>
    value === undefined || value === null
      ? undefined
      : recordProblemOf(value, (each) => (each === null ? undefined : valueProblemOf(each))),
  {
    type: ['object', 'null'],
    additionalProperties: { anyOf: [...VALUE_SCHEMA.anyOf, { type: 'null' }] },
  },
)

/** Schema for {@link DocumentChanges}. */
export const documentChangesSchema: z.ZodType<DocumentChanges> = closedObjectSchema({
  displayName: z.union([NAME, z.null()], { error: 'must be a line of 1 to 255 characters, or null' }).optional(),
  metadata: METADATA_CHANGES.optional(),
})

/** @returns a copy, which later changes of the input do not reach @throws InvalidInputError that names the key */
function parseMetadata(input: unknown): DocumentMetadata {
  if (input === undefined) return {}
  const composed = withComposedPath(copyOf(validate(documentMetadataSchema, input, 'metadata')))
  // A few characters are longer when they are composed.
  return validate(documentMetadataSchema, composed, 'metadata')
}

/**
 * The name of a file is the same on every system, and so is its path, which `sync` keeps under the key `path`.
 *
 * @param metadata values, or conditions for values
 * @returns the metadata with all strings of the path in Unicode's form NFC
 */
export function withComposedPath<Values extends Readonly<Record<string, unknown>>>(metadata: Values): Values {
  return Object.hasOwn(metadata, 'path') ? { ...metadata, path: composed(metadata['path']) } : metadata
}

function composed(value: unknown): unknown {
  if (typeof value === 'string') return value.normalize('NFC')
  if (Array.isArray(value)) return value.map(composed)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, composed(each)]))
}

/**
 * Merges changes into the metadata of a document.
 *
 * @param changes as {@link DocumentChanges}
 * @throws InvalidInputError if the result is too large
 */
export function mergeMetadata(
  metadata: DocumentMetadata,
  changes: NonNullable<DocumentChanges['metadata']> | null,
): DocumentMetadata {
  if (changes === null) return {}
  const merged = new Map<string, MetadataValue | null>([...Object.entries(metadata), ...Object.entries(changes)])
  // `Object.fromEntries` makes a property of its own of every key, `__proto__` included.
  return parseMetadata(Object.fromEntries([...merged].filter(([, value]) => value !== null)))
}

/** True if both have the same keys and values, in any order of the keys. */
export function isSameMetadata(one: DocumentMetadata, other: DocumentMetadata): boolean {
  const sorted = (metadata: DocumentMetadata) =>
    JSON.stringify(Object.entries(metadata).sort(([first], [second]) => (first < second ? -1 : 1)))
  return sorted(one) === sorted(other)
}

function copyOf(metadata: DocumentMetadata): DocumentMetadata {
  return JSON.parse(JSON.stringify(metadata)) as DocumentMetadata
}

/** @returns a sentence about a key, without its subject; `undefined` for a valid key */
export function keyProblemOf(key: string): string | undefined {
  if (key.trim() === '') return 'has an empty key'
  const shown = JSON.stringify(key.slice(0, MAX_KEY_UNITS))
  if (key.length > MAX_KEY_UNITS) return `has a key of more than ${MAX_KEY_UNITS} characters: ${shown}`
  if (/\p{Cc}/u.test(key)) return `has a key with control characters: ${shown}`
  return key.isWellFormed() ? undefined : `has a key with half of a surrogate pair: ${shown}`
}

function recordProblemOf(
  value: unknown,
  problemOfValue: (value: unknown) => InputProblem | undefined,
): InputProblem | undefined {
  if (!isRecord(value)) return { path: [], message: 'must be an object of keys and values' }
  const entries = Object.entries(value)
  if (entries.length > MAX_KEYS) return { path: [], message: `must have at most ${MAX_KEYS} keys` }
  for (const [key, each] of entries) {
    const keyProblem = keyProblemOf(key)
    if (keyProblem !== undefined) return { path: [], message: keyProblem }
    const problem = problemOfValue(each)
    if (problem !== undefined) return { ...problem, path: [key, ...problem.path] }
  }
  return undefined
}

function valueProblemOf(value: unknown): InputProblem | undefined {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const problem = typeof item === 'string' ? storageProblemOf(item)?.message : 'must be a string'
      if (problem !== undefined) return { path: [index], message: problem }
    }
    return undefined
  }
  if (typeof value === 'boolean' || Number.isFinite(value)) return undefined
  const problem = typeof value === 'string' ? storageProblemOf(value)?.message : VALUES
  return problem === undefined ? undefined : { path: [], message: problem }
}

function sizeProblemOf(metadata: DocumentMetadata): InputProblem | undefined {
  const bytes = new TextEncoder().encode(JSON.stringify(metadata)).length
  return bytes > MAX_BYTES ? { path: [], message: `must have at most ${MAX_BYTES} bytes as JSON` } : undefined
}

/** Metadata that come with a file. A promise is awaited once the content is read. */
export type MetadataSource = DocumentMetadata | PromiseLike<DocumentMetadata | undefined> | undefined

/**
 * @returns a function that returns the metadata as soon as they are known; undefined if the caller gives none
 * @throws InvalidInputError at once, unless the metadata are a promise
 */
export function metadataReader(given: MetadataSource): () => Promise<DocumentMetadata | undefined> {
  const parse = (metadata: unknown) => (metadata === undefined ? undefined : parseMetadata(metadata))
  if (typeof given === 'object' && 'then' in given && typeof given.then === 'function') {
    const pending = Promise.resolve(given)
    // If the upload fails first, nothing awaits the promise.
    pending.catch(() => undefined)
    return async () => parse(await pending)
  }
  const metadata = parse(given)
  return async () => metadata
}

/**
 * Parses a text of JSON.
 * @param field name of the input in error messages
 * @param example a valid input, for error messages
 * @throws InvalidInputError
 */
export function parseJson(text: string, field: string, example = '{"year":2026}'): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new InvalidInputError(field, `must be valid JSON, such as ${example}`)
  }
}

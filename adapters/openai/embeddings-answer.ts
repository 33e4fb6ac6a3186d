import { ModelError, VectorInvalidError } from '../../src/ports/index.js'
import { notTheProtocol, type Place, permanent, type RequestFailure } from './errors.js'

/** The contents that an answer must have. */
export interface Expected {
  readonly texts: number
  /** Undefined if the request is to find out. */
  readonly dimensions: number | undefined
}

/** A row with a length that is not 1 by more than this is normalized. */
const LENGTH_TOLERANCE = 1e-4

/**
 * Reads the vectors of an answer, as lists of numbers or as base64 of little-endian floats. Orders them by `index`, and
 * normalizes them.
 *
 * @returns the rows, or what is wrong with the answer
 */
export function readVectors(
  body: string,
  { texts, dimensions }: Expected,
  place: Place,
): Float32Array[] | RequestFailure {
  let answer: unknown
  try {
    answer = JSON.parse(body)
  } catch {
    // Python's JSON has such numbers.
    if (/[[,]\s*-?(NaN|Infinity)\b/.test(body)) return notFinite(place)
    return notTheProtocol(place, 'answered with something other than JSON')
  }
  const { data } = (answer ?? {}) as { readonly data?: unknown }
  if (!Array.isArray(data)) return notTheProtocol(place, 'answered without the list "data" of vectors')
  const items = data as readonly ({ readonly index?: unknown; readonly embedding?: unknown } | null)[]
  if (items.length !== texts) return notTheProtocol(place, `answered ${texts} texts with ${items.length} vectors`)
  const rows: Float32Array[] = []
  const hasIndexes = items.some((item) => item?.index !== undefined)
  for (const [at, item] of items.entries()) {
    const row = hasIndexes ? item?.index : at
    if (typeof row !== 'number' || !(row >= 0 && row < texts && Number.isInteger(row)) || rows[row] !== undefined) {
      return notTheProtocol(place, 'answered with vectors whose "index" is missing, wrong or repeated')
    }
    const vector = toVector(item?.embedding)
    if (vector === undefined) return notTheProtocol(place, 'answered with an "embedding" that is no vector')
    if (dimensions !== undefined && vector.length !== dimensions) return wrongLength(place, vector.length, dimensions)
    if (!normalize(vector)) return notFinite(place)
    rows[row] = vector
  }
  return rows
}

function toVector(embedding: unknown): Float32Array | undefined {
  if (typeof embedding === 'string') {
    const bytes = Buffer.from(embedding, 'base64')
    if (bytes.length === 0 || bytes.length % 4 !== 0) return undefined
    const vector = new Float32Array(bytes.length / 4)
    for (let at = 0; at < vector.length; at += 1) vector[at] = bytes.readFloatLE(at * 4)
    return vector
  }
  if (!Array.isArray(embedding) || embedding.length === 0) return undefined
  const vector = new Float32Array(embedding.length)
  // A null, which some servers write for NaN, becomes NaN here, and is refused later.
  for (const [at, component] of embedding.entries()) vector[at] = typeof component === 'number' ? component : Number.NaN
  return vector
}

/** @returns false for a vector that is not finite, or has no direction */
function normalize(vector: Float32Array): boolean {
  let squares = 0
  for (const component of vector) squares += component * component
  const length = Math.sqrt(squares)
  if (!Number.isFinite(length) || length === 0) return false
  if (Math.abs(length - 1) > LENGTH_TOLERANCE) {
    for (const [at, component] of vector.entries()) vector[at] = component / length
  }
  return true
}

function wrongLength({ server, model }: Place, length: number, expected: number): RequestFailure {
  const message = `${server} gives vectors of ${length} numbers for the model ${model}, but ${expected} are expected`
  const advice = 'check the model and its dimensions (--embedding-dimensions)'
  return permanent(new ModelError('ERR_MODEL_CHANGED', `${message}: ${advice}`))
}

function notFinite({ server }: Place): RequestFailure {
  return permanent(new VectorInvalidError(`${server} gave a vector that is not finite, or is zero`))
}

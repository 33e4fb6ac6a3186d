import { InvalidInputError, WebhookSignatureError } from '../kernel/errors.js'

/**
 * The headers of a request: fetch's `Headers`, or another object with such a `get`; or a record such as Node's
 * `request.headers` and `request.headersDistinct`, with names in any case. A `Map` is refused, because its `get` is
 * case-sensitive.
 */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** Makes a copy, so that no other code can change the bytes between their verification and their parsing. */
export function bytesOf(rawBody: unknown): Uint8Array<ArrayBuffer> {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody)
  try {
    // `instanceof` would refuse bytes of another realm, such as a test runner's.
    if (ArrayBuffer.isView(rawBody)) {
      return new Uint8Array(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength).slice()
    }
    // Throws for any value that is not a real ArrayBuffer and, as the line above, for a detached one.
    return new Uint8Array(ArrayBuffer.prototype.slice.call(rawBody as ArrayBuffer, 0))
  } catch (cause) {
    throw new InvalidInputError(
      'rawBody',
      'must be the raw body, a Uint8Array, an ArrayBuffer or a string, and not detached: the signature covers the ' +
        'received bytes, so read them before anything parses them (express.raw() in place of express.json(), ' +
        'request.arrayBuffer() in place of request.json())',
      { cause },
    )
  }
}

/**
 * Reads a header that a request must have once.
 * @throws WebhookSignatureError if it is missing or repeated
 * @throws InvalidInputError with the field `headers` for missing headers or a `Map`
 */
export function headerIn(headers: WebhookHeaders, name: string): string {
  const values = valuesIn(headers, name)
  if (values.length === 0) throw new WebhookSignatureError(`the header ${name} is missing`)
  if (values.length > 1) throw new WebhookSignatureError(`the header ${name} occurs more than once`)
  const [value] = values
  if (typeof value === 'string') return value
  throw new WebhookSignatureError(`the header ${name} is not a string`)
}

/** All values of a header. Fetch and Node join repeated headers by a comma; then a signature is malformed. */
function valuesIn(headers: unknown, wanted: string): readonly unknown[] {
  if (!isObject(headers) || Object.prototype.toString.call(headers) === '[object Map]') {
    const accepted = "fetch's Headers, or a record such as Node's request.headers (of a Map, Object.fromEntries(map))"
    throw new InvalidInputError('headers', `must be the headers of the request: ${accepted}`)
  }
  if (hasGet(headers)) return [headers.get(wanted)].filter(isPresent)
  const values = Object.entries(headers).flatMap(([name, value]) => (name.toLowerCase() === wanted ? [value] : []))
  return values.filter(isPresent).flatMap((value) => (Array.isArray(value) ? Array.from(value as unknown[]) : [value]))
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** In a record, a member `get` would be a header of that name, and so a string. */
function hasGet(headers: object): headers is { readonly get: (name: string) => unknown } {
  return 'get' in headers && typeof headers.get === 'function'
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

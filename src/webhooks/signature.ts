import { InvalidInputError, WebhookMalformedError, WebhookSignatureError } from '../kernel/errors.js'
import { EVENT_TYPES, type WebhookEvent } from './event-types.js'

/** The header with the type of the event. The signature does not cover it. */
export const EVENT_HEADER = 'x-service-event'

/** The header with the signature of the body. */
export const SIGNATURE_HEADER = 'x-service-signature'

/**
 * The headers of a request: fetch's `Headers`, or another object with such a `get`; or a record such as Node's
 * `request.headers` and `request.headersDistinct`, with names in any case. A `Map` is refused, because its `get` is
 * case-sensitive.
 */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

const SIGNATURE_PATTERN = /^sha256=([0-9a-f]{64})$/
const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const

/**
 * Signs the body of a delivery: HMAC-SHA256 over exactly these bytes. The key is the UTF-8 bytes of the whole secret,
 * including a prefix such as `whsec_`. Specification: Headers and signature.
 *
 * @returns `sha256=` and 64 lower-case hex digits
 * @throws InvalidInputError with the field `secret` for an empty secret
 */
export async function signBody(body: Uint8Array, secret: string): Promise<string> {
  const signature = await crypto.subtle.sign(HMAC.name, await importKey(secret, 'sign'), new Uint8Array(body))
  const hex = Array.from(new Uint8Array(signature), (byte) => byte.toString(16).padStart(2, '0'))
  return `sha256=${hex.join('')}`
}

/**
 * Verifies that a request is an authentic webhook. Specification: Headers and signature. The signature is verified
 * first, in constant time. The body is not parsed before that.
 *
 * - The signature is the proof. The members of the envelope are checked; the members of `data` are not. The header
 *   `x-service-event` is not read, because the signature does not cover it.
 * - An event of a type that this version does not know is returned unchanged; see {@link WebhookEvent}.
 * - Deliveries can arrive more than once and in any order: deduplicate on `id` before any side effect. A check that
 *   `timestamp` is recent needs a window of a day, because re-deliveries repeat it.
 *
 * @param rawBody the exact bytes of the body, before any framework parses them; a string stands for its UTF-8 bytes
 * @param secret the destination's signing secret as it was shown; or several secrets, and one of them must match: the
 *   new and the old one during a rotation
 * @returns the event
 * @throws WebhookSignatureError (answer 401) if the header `x-service-signature` is missing, repeated or malformed, or
 *   does not match the body
 * @throws WebhookMalformedError (answer 400) if the signature is valid, but the body is not an envelope
 * @throws InvalidInputError (a mistake in the receiver: answer 500) with the field `secret` for a missing or empty
 *   secret, `rawBody` for a parsed or detached body, `headers` for missing headers or a `Map`
 */
export async function verifyWebhook(
  rawBody: Uint8Array | ArrayBuffer | string,
  headers: WebhookHeaders,
  secret: string | readonly string[],
): Promise<WebhookEvent> {
  const secrets = secretsOf(secret)
  const body = bytesOf(rawBody)
  const signature = signatureIn(headers)
  const matches = await Promise.all(secrets.map((each) => isSignatureOf(body, signature, each)))
  if (!matches.includes(true)) {
    throw new WebhookSignatureError(`the header ${SIGNATURE_HEADER} does not match the body and the secret`)
  }
  return parseEnvelope(body)
}

function secretsOf(secret: unknown): readonly string[] {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret]
  if (secrets.length === 0) throw new InvalidInputError('secret', 'must have at least one element')
  return Array.from(secrets, (each, index) => {
    if (typeof each === 'string' && each !== '') return each
    const field = Array.isArray(secret) ? `secret[${index}]` : 'secret'
    throw new InvalidInputError(field, 'must be the signing secret of the destination, a string that is not empty')
  })
}

/** Makes a copy, so that no other code can change the bytes between their verification and their parsing. */
function bytesOf(rawBody: unknown): Uint8Array<ArrayBuffer> {
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

function signatureIn(headers: WebhookHeaders): string {
  const values = valuesIn(headers)
  if (values.length === 0) throw new WebhookSignatureError(`the header ${SIGNATURE_HEADER} is missing`)
  if (values.length > 1) throw new WebhookSignatureError(`the header ${SIGNATURE_HEADER} occurs more than once`)
  const [signature] = values
  if (typeof signature === 'string') return signature
  throw new WebhookSignatureError(`the header ${SIGNATURE_HEADER} is not a string`)
}

/** All values of the signature's header. Fetch and Node join repeated headers by a comma; then the signature is malformed. */
function valuesIn(headers: unknown): readonly unknown[] {
  if (!isObject(headers) || Object.prototype.toString.call(headers) === '[object Map]') {
    const accepted = "fetch's Headers, or a record such as Node's request.headers (of a Map, Object.fromEntries(map))"
    throw new InvalidInputError('headers', `must be the headers of the request: ${accepted}`)
  }
  if (hasGet(headers)) return [headers.get(SIGNATURE_HEADER)].filter(isPresent)
  const values = Object.entries(headers).flatMap(([name, value]) =>
    name.toLowerCase() === SIGNATURE_HEADER ? [value] : [],
  )
  return values.filter(isPresent).flatMap((value) => (Array.isArray(value) ? Array.from(value as unknown[]) : [value]))
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** In a record, a member `get` would be a header of that name, and so a string. */
function hasGet(headers: object): headers is { readonly get: (name: string) => unknown } {
  return 'get' in headers && typeof headers.get === 'function'
}

/**
 * Compares a signature, in exactly the form that {@link signBody} returns, with that of these bytes. The comparison
 * takes constant time: it does not reveal how many digits of a wrong signature are right.
 */
async function isSignatureOf(body: Uint8Array<ArrayBuffer>, signature: string, secret: string): Promise<boolean> {
  const hex = SIGNATURE_PATTERN.exec(signature)?.[1]
  if (hex === undefined) return false
  const bytes = Uint8Array.from({ length: 32 }, (_, index) => Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16))
  return await crypto.subtle.verify(HMAC.name, await importKey(secret, 'verify'), bytes, body)
}

async function importKey(secret: string, usage: 'sign' | 'verify') {
  if (secret === '') throw new InvalidInputError('secret', 'must not be empty')
  return await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), HMAC, false, [usage])
}

function parseEnvelope(body: Uint8Array): WebhookEvent {
  const envelope = parseJson(body)
  if (!isObject(envelope)) throw new WebhookMalformedError('the body is not a JSON object')
  const problem = problemOf(envelope)
  if (problem !== undefined) throw new WebhookMalformedError(`the body is not an event: ${problem}`)
  return envelope as unknown as WebhookEvent
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch (cause) {
    throw new WebhookMalformedError('the body is not JSON in UTF-8', { cause })
  }
}

const UTC_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/

/** @returns the first problem of an envelope; `undefined` where it is valid */
function problemOf(envelope: Readonly<Record<string, unknown>>): string | undefined {
  const { id, version, type, event_category: category, timestamp, data } = envelope
  if (!isText(id)) return 'id must be a string that is not empty'
  if (version !== 'v1') return 'version must be "v1"'
  if (!isText(type)) return 'type must be a string that is not empty'
  if (!isText(category)) return 'event_category must be a string that is not empty'
  const isKnown = EVENT_TYPES.some((each) => each === type)
  if (isKnown && !type.startsWith(`${category}.`)) return 'event_category must be the prefix of type'
  if (!isText(timestamp) || !isUtcTime(timestamp)) {
    return 'timestamp must be a time in UTC, in the format of ISO 8601'
  }
  return isObject(data) ? undefined : 'data must be an object'
}

/** `Date` reads the 30th of February as a day in March. So a valid time must be the same after a round trip. */
function isUtcTime(text: string): boolean {
  if (!UTC_TIME.test(text) || Number.isNaN(Date.parse(text))) return false
  return new Date(text).toISOString().startsWith(text.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length))
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

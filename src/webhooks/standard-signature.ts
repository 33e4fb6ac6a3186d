import { InvalidInputError, WebhookSignatureError } from '../kernel/errors.js'
import { headerIn, type WebhookHeaders } from './request.js'
import { HMAC } from './signature.js'

/**
 * The headers of Standard Webhooks: the id of the event, the time of the attempt in seconds since 1970, and signatures
 * with a space between them. Source: the specification of Standard Webhooks, https://www.standardwebhooks.com.
 */
const STANDARD_HEADERS = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const

const SECRET_PREFIX = 'whsec_'
const VERSION = 'v1,'

/** The largest difference between `webhook-timestamp` and the receiver's clock, in seconds. The official libraries allow the same. */
export const DEFAULT_TOLERANCE_SECONDS = 300

/** A message of Standard Webhooks. */
export interface StandardMessage {
  /** The event's id. A re-delivery repeats it. */
  readonly id: string
  /** The time of the attempt, in seconds since 1970. */
  readonly timestampSeconds: number
  readonly body: Uint8Array
}

/**
 * Signs a message by Standard Webhooks, with each secret. The key is what the base64 after `whsec_` stands for.
 *
 * @param secrets the present secret; during a rotation the former one too
 * @returns the headers to send, with names in lower case
 * @throws InvalidInputError with the field `secret` for a secret that is not base64
 */
export async function signStandard(
  message: StandardMessage,
  secrets: readonly string[],
): Promise<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const content = contentOf(message)
  const signatures = secrets.map(async (secret) => {
    return VERSION + btoa(String.fromCharCode(...(await signatureOf(content, secret))))
  })
  return {
    [STANDARD_HEADERS.id]: message.id,
    [STANDARD_HEADERS.timestamp]: String(message.timestampSeconds),
    [STANDARD_HEADERS.signature]: (await Promise.all(signatures)).join(' '),
  }
}

interface StandardCheck {
  readonly toleranceSeconds: number
  readonly now: Date
}

/**
 * Verifies the headers of Standard Webhooks. One signature of the version `v1` must match one of the secrets; others
 * are ignored. The comparison takes constant time.
 *
 * @throws WebhookSignatureError for headers that are missing or malformed, for a time out of the tolerance, and where no
 *   signature matches
 */
export async function verifyStandard(
  body: Uint8Array<ArrayBuffer>,
  headers: WebhookHeaders,
  secrets: readonly string[],
  { toleranceSeconds, now }: StandardCheck,
): Promise<void> {
  const id = headerIn(headers, STANDARD_HEADERS.id)
  const timestamp = headerIn(headers, STANDARD_HEADERS.timestamp)
  const signatures = headerIn(headers, STANDARD_HEADERS.signature).split(' ').map(signatureBytes)
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookSignatureError(`the header ${STANDARD_HEADERS.timestamp} is not a time in seconds`)
  }
  const timestampSeconds = Number(timestamp)
  if (Math.abs(now.getTime() / 1_000 - timestampSeconds) > toleranceSeconds) {
    throw new WebhookSignatureError(
      `the header ${STANDARD_HEADERS.timestamp} differs from the present time by more than ${toleranceSeconds} s`,
    )
  }
  const content = contentOf({ id, timestampSeconds, body })
  // One computation for each secret: a header may have hundreds of signatures.
  const expected = await Promise.all(secrets.map(async (secret) => await signatureOf(content, secret)))
  if (!signatures.some((signature) => signature && expected.some((right) => areEqual(right, signature)))) {
    throw new WebhookSignatureError(
      `the header ${STANDARD_HEADERS.signature} does not match the body, the time and the secret`,
    )
  }
}

/** `id.timestamp.body`. The id comes from a header that is verified with the rest, so its form does not matter. */
function contentOf({ id, timestampSeconds, body }: StandardMessage): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`${id}.${timestampSeconds}.`)
  const content = new Uint8Array(head.length + body.length)
  content.set(head)
  content.set(body, head.length)
  return content
}

/** @returns undefined for a signature of another version, or one that is not 32 bytes of base64 */
function signatureBytes(signature: string): Uint8Array<ArrayBuffer> | undefined {
  if (!signature.startsWith(VERSION)) return undefined
  const bytes = fromBase64(signature.slice(VERSION.length))
  return bytes?.length === 32 ? bytes : undefined
}

/** Compares signatures in constant time: it does not reveal how many bytes of a wrong one are right. */
function areEqual(right: Uint8Array, given: Uint8Array): boolean {
  let difference = right.length ^ given.length
  for (const [index, byte] of right.entries()) difference |= byte ^ (given[index] ?? 0)
  return difference === 0
}

async function signatureOf(content: Uint8Array<ArrayBuffer>, secret: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign(HMAC.name, await importKey(secret), content))
}

async function importKey(secret: string) {
  const text = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret
  const bytes = fromBase64(text)
  if (bytes === undefined || bytes.length === 0) {
    throw new InvalidInputError('secret', 'must be whsec_ and base64, as the destination showed it')
  }
  return await crypto.subtle.importKey('raw', bytes, HMAC, false, ['sign'])
}

/** Decodes base64, with and without padding. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

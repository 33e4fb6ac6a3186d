import { InvalidInputError } from '../kernel/errors.js'

/** The header with the type of the event. The signature does not cover it. */
export const EVENT_HEADER = 'x-service-event'

/** The header with the signature of the body. */
export const SIGNATURE_HEADER = 'x-service-signature'

const SIGNATURE_PATTERN = /^sha256=([0-9a-f]{64})$/

/** The algorithm of both schemes. */
export const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const

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
 * Compares a signature, in exactly the form that {@link signBody} returns, with that of these bytes. The comparison
 * takes constant time: it does not reveal how many digits of a wrong signature are right.
 */
export async function isSignatureOf(
  body: Uint8Array<ArrayBuffer>,
  signature: string,
  secret: string,
): Promise<boolean> {
  const hex = SIGNATURE_PATTERN.exec(signature)?.[1]
  if (hex === undefined) return false
  const bytes = Uint8Array.from({ length: 32 }, (_, index) => Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16))
  return await crypto.subtle.verify(HMAC.name, await importKey(secret, 'verify'), bytes, body)
}

async function importKey(secret: string, usage: 'sign' | 'verify') {
  if (secret === '') throw new InvalidInputError('secret', 'must not be empty')
  return await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), HMAC, false, [usage])
}

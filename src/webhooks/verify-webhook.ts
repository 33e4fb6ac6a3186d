import { InvalidInputError, WebhookSignatureError } from '../kernel/errors.js'
import { parseEnvelope } from './envelope.js'
import type { WebhookEvent } from './event-types.js'
import { bytesOf, headerIn, type WebhookHeaders } from './request.js'
import { isSignatureOf, SIGNATURE_HEADER } from './signature.js'
import { DEFAULT_TOLERANCE_SECONDS, verifyStandard } from './standard-signature.js'

/** Options of {@link verifyWebhook}. */
export interface VerifyWebhookOptions {
  /**
   * The signature to verify: `service` is `x-service-signature`, `standard` the three headers of Standard Webhooks. It
   * must be a scheme of the destination. Default: `service`.
   */
  readonly scheme?: 'service' | 'standard' | undefined
  /**
   * The largest difference between `webhook-timestamp` and the present time, in seconds. Only for `standard`: the other
   * scheme signs no time. Default: 300.
   */
  readonly toleranceSeconds?: number | undefined
  /** The present time, for tests. Default: the clock of the machine. */
  readonly now?: Date | undefined
}

/**
 * Verifies that a request is an authentic webhook. Specification: Headers and signature. The signature is verified
 * first, in constant time. The body is not parsed before that.
 *
 * - The signature is the proof. The members of the envelope are checked; the members of `data` are not. The header
 *   `x-service-event` is not read, because the signature does not cover it.
 * - An event of a type that this version does not know is returned unchanged; see {@link WebhookEvent}.
 * - Deliveries can arrive more than once and in any order: deduplicate on `id` before any side effect. A check that
 *   `timestamp` is recent needs a window of a day, because re-deliveries repeat it. The scheme `standard` signs the time
 *   of each attempt, so its check needs minutes only.
 *
 * @param rawBody the exact bytes of the body, before any framework parses them; a string stands for its UTF-8 bytes
 * @param secret the destination's signing secret as it was shown; or several secrets, and one of them must match: the
 *   new and the old one during a rotation
 * @returns the event
 * @throws WebhookSignatureError (answer 401) if a header of the signature is missing, repeated or malformed, or does not
 *   match the body; with the scheme `standard`, also if its time is out of the tolerance
 * @throws WebhookMalformedError (answer 400) if the signature is valid, but the body is not an envelope
 * @throws InvalidInputError (a mistake in the receiver: answer 500) with the field `secret` for a missing or empty
 *   secret, `rawBody` for a parsed or detached body, `headers` for missing headers or a `Map`. Invalid options have
 *   their own fields.
 */
export async function verifyWebhook<HostData = object>(
  rawBody: Uint8Array | ArrayBuffer | string,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options: VerifyWebhookOptions = {},
): Promise<WebhookEvent<HostData>> {
  const { scheme, toleranceSeconds, now } = optionsOf(options)
  const secrets = secretsOf(secret)
  const body = bytesOf(rawBody)
  if (scheme === 'standard') await verifyStandard(body, headers, secrets, { toleranceSeconds, now })
  else await verifyService(body, headers, secrets)
  return parseEnvelope<HostData>(body)
}

const SCHEMES: readonly string[] = ['service', 'standard']

async function verifyService(
  body: Uint8Array<ArrayBuffer>,
  headers: WebhookHeaders,
  secrets: readonly string[],
): Promise<void> {
  const signature = headerIn(headers, SIGNATURE_HEADER)
  const matches = await Promise.all(secrets.map((each) => isSignatureOf(body, signature, each)))
  if (!matches.includes(true)) {
    throw new WebhookSignatureError(`the header ${SIGNATURE_HEADER} does not match the body and the secret`)
  }
}

function optionsOf({ scheme = 'service', toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, now }: VerifyWebhookOptions) {
  if (!SCHEMES.includes(scheme)) {
    throw new InvalidInputError('scheme', 'must be "service" or "standard"')
  }
  if (typeof toleranceSeconds !== 'number' || !(toleranceSeconds >= 0)) {
    throw new InvalidInputError('toleranceSeconds', 'must be a number of seconds, 0 or more')
  }
  return { scheme, toleranceSeconds, now: now ?? new Date() }
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

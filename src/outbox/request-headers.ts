import type { SignatureScheme } from '../ports/index.js'
import { EVENT_HEADER, SIGNATURE_HEADER, signBody, signStandard } from '../webhooks/index.js'

interface SignedRequest {
  /** Id in the envelope. */
  readonly eventId: string
  readonly type: string
  /** The stored bytes. */
  readonly body: Uint8Array
  readonly scheme: SignatureScheme
  readonly secret: string
  /** The secret before a rotation, while it is still valid. */
  readonly previousSecret: string | undefined
  readonly now: Date
}

/**
 * The headers of an attempt. `service`: those of the specification, and no others. `standard`: those of Standard
 * Webhooks, signed with both secrets during a rotation. `both`: all of them; the specification's has one signature.
 */
export async function requestHeaders(request: SignedRequest): Promise<Readonly<Record<string, string>>> {
  const { eventId, type, body, scheme, secret, previousSecret, now } = request
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret]
  const timestampSeconds = Math.floor(now.getTime() / 1_000)
  return {
    'content-type': 'application/json',
    ...(scheme !== 'standard' && { [EVENT_HEADER]: type, [SIGNATURE_HEADER]: await signBody(body, secret) }),
    ...(scheme !== 'service' && (await signStandard({ id: eventId, timestampSeconds, body }, secrets))),
  }
}

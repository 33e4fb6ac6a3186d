import { WebhookMalformedError } from '../kernel/errors.js'
import { DOCUMENT_EVENT_TYPES, EVENT_TYPES, type WebhookEvent } from './event-types.js'

/**
 * Parses a body whose signature is verified. Checks the members of the envelope, and not those of `data`.
 * @throws WebhookMalformedError
 */
export function parseEnvelope<HostData>(body: Uint8Array): WebhookEvent<HostData> {
  const envelope = parseJson(body)
  if (!isObject(envelope)) throw new WebhookMalformedError('the body is not a JSON object')
  const problem = problemOf(envelope)
  if (problem !== undefined) throw new WebhookMalformedError(`the body is not an event: ${problem}`)
  return envelope as unknown as WebhookEvent<HostData>
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch (cause) {
    throw new WebhookMalformedError('the body is not JSON in UTF-8', { cause })
  }
}

const KNOWN_TYPES: readonly string[] = [...EVENT_TYPES, ...DOCUMENT_EVENT_TYPES]
const UTC_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/

/** @returns the first problem of an envelope; `undefined` where it is valid */
function problemOf(envelope: Readonly<Record<string, unknown>>): string | undefined {
  const { id, version, type, event_category: category, timestamp, data } = envelope
  if (!isText(id)) return 'id must be a string that is not empty'
  if (version !== 'v1') return 'version must be "v1"'
  if (!isText(type)) return 'type must be a string that is not empty'
  if (!isText(category)) return 'event_category must be a string that is not empty'
  const isKnown = KNOWN_TYPES.includes(type)
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

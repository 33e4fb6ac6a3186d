/** For receivers of webhooks: the types of events, and the verification of requests. Imports no package. */
export { AlcoveError, InvalidInputError, WebhookMalformedError, WebhookSignatureError } from '../kernel/errors.js'
export {
  EVENT_TYPES,
  type EventCategory,
  type EventData,
  type EventType,
  type KnownWebhookEvent,
  type UnknownWebhookEvent,
  type WebhookEvent,
} from './event-types.js'
export { EVENT_HEADER, SIGNATURE_HEADER, signBody, verifyWebhook, type WebhookHeaders } from './signature.js'

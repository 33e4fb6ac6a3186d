/** For receivers of webhooks: the types of events, and the verification of requests. Imports no package. */
export { AlcoveError, InvalidInputError, WebhookMalformedError, WebhookSignatureError } from '../kernel/errors.js'
export {
  type BuiltInEventType,
  DOCUMENT_EVENT_TYPES,
  type DocumentEventData,
  type DocumentEventType,
  EVENT_TYPES,
  type EventCategory,
  type EventData,
  type EventType,
  type HostWebhookEvent,
  type KnownWebhookEvent,
  type UnknownWebhookEvent,
  type WebhookEvent,
} from './event-types.js'
export type { WebhookHeaders } from './request.js'
export { EVENT_HEADER, SIGNATURE_HEADER, signBody } from './signature.js'
export { type StandardMessage, signStandard } from './standard-signature.js'
export { type VerifyWebhookOptions, verifyWebhook } from './verify-webhook.js'

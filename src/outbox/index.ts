export { CATALOG, type CatalogEntry, DOCUMENT_CATALOG } from './catalog.js'
export { checkSecretKey } from './check-secret-key.js'
export { CompanyRates } from './company-rates.js'
export { DeliverEvent } from './deliver-event.js'
export {
  type Attempt,
  Deliveries,
  type DeliveryPage,
  type DeliveryQuery,
  type DeliveryWithAttempts,
  deliveryQuerySchema,
  TRIM_DELIVERIES,
  TrimDeliveries,
} from './deliveries.js'
export {
  type Destination,
  type DestinationInput,
  type DestinationWithSecret,
  destinationSchema,
  type RotateSecretOptions,
  rotateSecretSchema,
} from './destinations/destination.js'
export { DestinationFailures } from './destinations/destination-failures.js'
export { Destinations } from './destinations/destinations.js'
export { VetDestination } from './destinations/vet-destination.js'
export { recordDocumentEvent } from './document-event.js'
export {
  DELIVER_EVENT,
  type Delivery,
  type NewEvent,
  type NewHostEvent,
  RecordEvent,
  type RecordEventOptions,
  type RecordedEvent,
} from './event.js'
export type { FieldKind } from './event-fields.js'
export type { StandardSchema } from './event-schema.js'
export {
  type DataOfSchema,
  type EventSchema,
  type EventTypeDefinition,
  HostEventTypes,
} from './host-event-types.js'

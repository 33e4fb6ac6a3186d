export { CATALOG, type CatalogEntry } from './catalog.js'
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
} from './destination.js'
export { Destinations } from './destinations.js'
export {
  DELIVER_EVENT,
  type Delivery,
  type NewEvent,
  RecordEvent,
  type RecordEventOptions,
  type RecordedEvent,
} from './event.js'
export { VetDestination } from './vet-destination.js'

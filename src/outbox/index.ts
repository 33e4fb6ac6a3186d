export { CATALOG, type CatalogEntry } from './catalog.js'
export { checkSecretKey } from './check-secret-key.js'
export { CompanyRates } from './company-rates.js'
export { Deliveries, type DeliveryQuery, deliveryQuerySchema } from './deliveries/deliveries.js'
export {
  type DestinationInput,
  Destinations,
  destinationSchema,
  VetDestination,
} from './destinations/destinations.js'
export { DELIVER_EVENT, TRIM_DELIVERIES } from './event.js'
export { type NewEvent, RecordEvent, type RecordEventOptions } from './record-event.js'
export type {
  Attempt,
  Delivery,
  DeliveryPage,
  DeliveryWithAttempts,
  Destination,
  DestinationWithSecret,
  RecordedEvent,
} from './records.js'
export { DeliverEvent } from './relay/deliver-event.js'
export { TRIM_SUBJECT, TrimDeliveries } from './trim-deliveries.js'

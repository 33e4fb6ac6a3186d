export { CATALOG, type CatalogEntry } from './catalog.js'
export { checkSecretKey } from './check-secret-key.js'
export { CompanyRates } from './company-rates.js'
export { type DeliveryQuery, deliveryQuerySchema, ListDeliveries, ResendDelivery } from './deliveries/deliveries.js'
export {
  CreateDestination,
  DeleteDestination,
  type DestinationInput,
  destinationSchema,
  ListDestinations,
  RotateSigningSecret,
  SendTestEvent,
  UpdateDestination,
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

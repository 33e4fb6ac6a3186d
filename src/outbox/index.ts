export { CATALOG, type CatalogEntry } from './catalog.js'
export { CompanyRates } from './company-rates.js'
export {
  type DeliveryQuery,
  deliveryQuerySchema,
  ListDeliveries,
} from './deliveries/list-deliveries.js'
export { ResendDelivery } from './deliveries/resend-delivery.js'
export { CreateDestination } from './destinations/create-destination.js'
export { DeleteDestination } from './destinations/delete-destination.js'
export { type DestinationInput, destinationSchema } from './destinations/destination-input.js'
export { ListDestinations } from './destinations/list-destinations.js'
export { RotateSigningSecret } from './destinations/rotate-signing-secret.js'
export { SendTestEvent } from './destinations/send-test-event.js'
export { UpdateDestination } from './destinations/update-destination.js'
export { VetDestination } from './destinations/vet-destination.js'
export { type NewEvent, RecordEvent, type RecordEventOptions } from './events/record-event.js'
export { DELIVER_EVENT, TRIM_DELIVERIES } from './job-kinds.js'
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
export { TRIM_SUBJECT, TrimDeliveries } from './relay/trim-deliveries.js'
export { checkSecretKey } from './secrets/check-secret-key.js'

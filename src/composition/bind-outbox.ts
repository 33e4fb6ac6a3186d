import type { Container } from 'inversify'
import {
  CompanyRates,
  CreateDestination,
  DeleteDestination,
  DeliverEvent,
  ListDeliveries,
  ListDestinations,
  RecordEvent,
  ResendDelivery,
  RotateSigningSecret,
  SendTestEvent,
  TrimDeliveries,
  UpdateDestination,
  VetDestination,
} from '../outbox/index.js'
import { SecretBox } from '../shared/secret-box.js'
import { integerSchema, validate } from '../shared/validate.js'
import type { EngineOptions } from './engine-options.js'
import { CLOCK, HTTP_TRANSPORT, LIMITS, STORAGE, TELEMETRY } from './tokens.js'

const RETENTION_DAYS = 30

/** Binds events, destinations, deliveries and the relay. */
export function bindOutbox(container: Container, options: EngineOptions): void {
  const { deliveryRetentionDays = RETENTION_DAYS } = options
  const retentionDays = validate(integerSchema({ min: 1, max: 36_500 }), deliveryRetentionDays, 'deliveryRetentionDays')
  container.bind(RecordEvent).toResolvedValue((storage, clock) => new RecordEvent(storage, clock), [STORAGE, CLOCK])
  container
    .bind(DeliverEvent)
    .toResolvedValue(
      (storage, clock, transport, secrets, telemetry) =>
        new DeliverEvent(storage, clock, transport, secrets, telemetry),
      [STORAGE, CLOCK, HTTP_TRANSPORT, SecretBox, TELEMETRY],
    )
  container.bind(TrimDeliveries).toResolvedValue((clock) => new TrimDeliveries(clock, retentionDays), [CLOCK])
  container.bind(ListDeliveries).toResolvedValue((storage) => new ListDeliveries(storage), [STORAGE])
  container
    .bind(ResendDelivery)
    .toResolvedValue(
      (storage, clock, rates) => new ResendDelivery(storage, clock, rates),
      [STORAGE, CLOCK, CompanyRates],
    )
  bindDestinations(container)
}

function bindDestinations(container: Container): void {
  container.bind(CompanyRates).toResolvedValue((clock, limits) => new CompanyRates(clock, limits), [CLOCK, LIMITS])
  container
    .bind(VetDestination)
    .toResolvedValue(
      (transport, telemetry, storage, rates) => new VetDestination(transport, telemetry, storage, rates),
      [HTTP_TRANSPORT, TELEMETRY, STORAGE, CompanyRates],
    )
  container
    .bind(CreateDestination)
    .toResolvedValue(
      (storage, clock, vet, secrets, limits) => new CreateDestination(storage, clock, vet, secrets, limits),
      [STORAGE, CLOCK, VetDestination, SecretBox, LIMITS],
    )
  container.bind(ListDestinations).toResolvedValue((storage) => new ListDestinations(storage), [STORAGE])
  container
    .bind(UpdateDestination)
    .toResolvedValue(
      (storage, clock, vet) => new UpdateDestination(storage, clock, vet),
      [STORAGE, CLOCK, VetDestination],
    )
  container
    .bind(DeleteDestination)
    .toResolvedValue((storage, clock) => new DeleteDestination(storage, clock), [STORAGE, CLOCK])
  container
    .bind(RotateSigningSecret)
    .toResolvedValue(
      (storage, clock, secrets) => new RotateSigningSecret(storage, clock, secrets),
      [STORAGE, CLOCK, SecretBox],
    )
  container
    .bind(SendTestEvent)
    .toResolvedValue(
      (storage, clock, rates) => new SendTestEvent(storage, clock, rates),
      [STORAGE, CLOCK, CompanyRates],
    )
}

import type { Container } from 'inversify'
import {
  CreateDestination,
  DeleteDestination,
  DeliverEvent,
  ListDeliveries,
  ListDestinations,
  RecordEvent,
  ResendDelivery,
  RotateSigningSecret,
  SecretBox,
  SendTestEvent,
  TrimDeliveries,
  UpdateDestination,
} from '../outbox/index.js'
import { integerSchema, validate } from '../shared/validate.js'
import type { EngineOptions } from './engine-options.js'
import { CLOCK, HTTP_TRANSPORT, STORAGE, TELEMETRY } from './tokens.js'

const RETENTION_DAYS = 30

/** Binds events, destinations, deliveries and the relay. */
export function bindOutbox(container: Container, options: EngineOptions): void {
  const { secretKey, deliveryRetentionDays = RETENTION_DAYS } = options
  const retentionDays = validate(integerSchema({ min: 1, max: 36_500 }), deliveryRetentionDays, 'deliveryRetentionDays')
  container.bind(SecretBox).toConstantValue(new SecretBox(secretKey))
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
    .toResolvedValue((storage, clock) => new ResendDelivery(storage, clock), [STORAGE, CLOCK])
  bindDestinations(container)
}

function bindDestinations(container: Container): void {
  container
    .bind(CreateDestination)
    .toResolvedValue(
      (storage, clock, transport, secrets) => new CreateDestination(storage, clock, transport, secrets),
      [STORAGE, CLOCK, HTTP_TRANSPORT, SecretBox],
    )
  container.bind(ListDestinations).toResolvedValue((storage) => new ListDestinations(storage), [STORAGE])
  container
    .bind(UpdateDestination)
    .toResolvedValue(
      (storage, clock, transport) => new UpdateDestination(storage, clock, transport),
      [STORAGE, CLOCK, HTTP_TRANSPORT],
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
  container.bind(SendTestEvent).toResolvedValue((storage, clock) => new SendTestEvent(storage, clock), [STORAGE, CLOCK])
}

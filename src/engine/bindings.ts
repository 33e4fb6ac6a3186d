import type { Container } from 'inversify'
import { AuditRefusals, ListAudit, TrimAudit } from '../audit/index.js'
import { RemoveContexts } from '../contexts/index.js'
import {
  ContextCheck,
  DocumentCheck,
  Examination,
  FoundationCheck,
  LeftoverCheck,
  Repair,
  StartCheck,
  Verify,
  WordRepair,
} from '../doctor/index.js'
import { EmbeddingModels } from '../documents/index.js'
import { SecretBox } from '../kernel/secret-box.js'
import { integerSchema, textSchema, validate } from '../kernel/validate.js'
import { Sweep, SweepInTurn } from '../maintenance/index.js'
import {
  CompanyRates,
  DeliverEvent,
  Deliveries,
  Destinations,
  RecordEvent,
  TrimDeliveries,
  VetDestination,
} from '../outbox/index.js'
import { Administration, Initialize, OtpSecrets, Passwords, Users, unlimitedReach } from '../tenancy/index.js'
import type { EngineOptions } from './engine-options.js'
import {
  CLOCK,
  FILE_STORE,
  HOST_REACH,
  HTTP_TRANSPORT,
  LEXICAL_INDEX,
  LIMITS,
  STORAGE,
  TELEMETRY,
  TOKEN_SIGNER,
  VECTOR_INDEX,
} from './tokens.js'

const CLIENT_ID = textSchema({ min: 1, max: 255, isLine: true }).optional()

/** Binds the host's own administration. */
export function bindAdministration(container: Container, { hostClientId }: EngineOptions): void {
  const clientId = validate(CLIENT_ID, hostClientId, 'hostClientId')
  container.bind(HOST_REACH).toConstantValue(unlimitedReach({ kind: 'host', clientId }))
  container
    .bind(Initialize)
    .toResolvedValue((storage, clock, reach) => new Initialize(storage, clock, reach), [STORAGE, CLOCK, HOST_REACH])
  container
    .bind(Administration)
    .toResolvedValue(
      (storage, clock, users, passwords, signer, reach, otpSecrets, limits, contexts) =>
        new Administration(storage, clock, users, passwords, signer, reach, otpSecrets, limits, contexts),
      [STORAGE, CLOCK, Users, Passwords, TOKEN_SIGNER, HOST_REACH, OtpSecrets, LIMITS, RemoveContexts],
    )
}

const AUDIT_RETENTION_DAYS = 400
const DAYS = integerSchema({ min: 1, max: 36_500 })

/** Binds the audit trail. */
export function bindAudit(container: Container, { auditRetentionDays = AUDIT_RETENTION_DAYS }: EngineOptions): void {
  const retentionDays = validate(DAYS, auditRetentionDays, 'auditRetentionDays')
  container.bind(ListAudit).toResolvedValue((storage) => new ListAudit(storage), [STORAGE])
  container
    .bind(AuditRefusals)
    .toResolvedValue(
      (storage, clock, telemetry) => new AuditRefusals(storage, clock, telemetry),
      [STORAGE, CLOCK, TELEMETRY],
    )
  container.bind(TrimAudit).toResolvedValue((clock) => new TrimAudit(clock, retentionDays), [CLOCK])
}

const DELIVERY_RETENTION_DAYS = 30

/** Binds events, destinations, deliveries and the relay. */
export function bindOutbox(container: Container, options: EngineOptions): void {
  const { deliveryRetentionDays = DELIVERY_RETENTION_DAYS } = options
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
  container
    .bind(Deliveries)
    .toResolvedValue((storage, clock, rates) => new Deliveries(storage, clock, rates), [STORAGE, CLOCK, CompanyRates])
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
    .bind(Destinations)
    .toResolvedValue(
      (storage, clock, vetDestination, secretBox, rates, limits) =>
        new Destinations(storage, clock, vetDestination, secretBox, rates, limits),
      [STORAGE, CLOCK, VetDestination, SecretBox, CompanyRates, LIMITS],
    )
}

/** Binds the doctor, which compares rows, vectors, words and files. */
export function bindVerify(container: Container): void {
  container
    .bind(FoundationCheck)
    .toResolvedValue((storage, models) => new FoundationCheck(storage, models), [STORAGE, EmbeddingModels])
  container
    .bind(DocumentCheck)
    .toResolvedValue((storage, files) => new DocumentCheck(storage, files), [STORAGE, FILE_STORE])
  container
    .bind(ContextCheck)
    .toResolvedValue(
      (storage, index, words, models, documents) => new ContextCheck(storage, index, words, models, documents),
      [STORAGE, VECTOR_INDEX, LEXICAL_INDEX, EmbeddingModels, DocumentCheck],
    )
  container
    .bind(LeftoverCheck)
    .toResolvedValue((storage, files) => new LeftoverCheck(storage, files), [STORAGE, FILE_STORE])
  container
    .bind(Examination)
    .toResolvedValue(
      (foundation, contexts, leftovers) => new Examination(foundation, contexts, leftovers),
      [FoundationCheck, ContextCheck, LeftoverCheck],
    )
  container
    .bind(WordRepair)
    .toResolvedValue((storage, words) => new WordRepair(storage, words), [STORAGE, LEXICAL_INDEX])
  container
    .bind(Repair)
    .toResolvedValue(
      (storage, files, index, words, sweep) => new Repair(storage, files, index, words, sweep),
      [STORAGE, FILE_STORE, VECTOR_INDEX, WordRepair, Sweep],
    )
  container
    .bind(Verify)
    .toResolvedValue((examination, repair) => new Verify(examination, repair), [Examination, Repair])
  container
    .bind(StartCheck)
    .toResolvedValue((examination, telemetry) => new StartCheck(examination, telemetry), [Examination, TELEMETRY])
  container
    .bind(SweepInTurn)
    .toResolvedValue(
      (storage, sweep, startCheck) => new SweepInTurn(storage, sweep, startCheck),
      [STORAGE, Sweep, StartCheck],
    )
}

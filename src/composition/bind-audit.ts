import type { Container } from 'inversify'
import { AuditRefusals, ListAudit, TrimAudit } from '../audit/index.js'
import { integerSchema, validate } from '../shared/validate.js'
import type { EngineOptions } from './engine-options.js'
import { CLOCK, STORAGE, TELEMETRY } from './tokens.js'

const RETENTION_DAYS = 400
const DAYS = integerSchema({ min: 1, max: 36_500 })

/** Binds the audit trail. */
export function bindAudit(container: Container, { auditRetentionDays = RETENTION_DAYS }: EngineOptions): void {
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

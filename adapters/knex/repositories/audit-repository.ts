import type {
  ActorKind,
  AuditDetails,
  AuditFilter,
  AuditOutcome,
  AuditRecord,
  AuditRepository,
} from '../../../src/ports/index.js'
import { number, numberOrNull, type Row, text, textOrNull } from '../rows.js'
import { inParts, KnexRepository, type Session } from './base.js'
import { descendants } from './company-tree.js'

export class KnexAuditRepository extends KnexRepository implements AuditRepository {
  constructor(session: Session) {
    super(session, 'audit')
  }

  async append(record: Omit<AuditRecord, 'id'>): Promise<void> {
    await this.rows.insert(toRow(record))
  }

  async appendAll(records: readonly Omit<AuditRecord, 'id'>[]): Promise<void> {
    for (const part of inParts(records)) await this.rows.insert(part.map(toRow))
  }

  async list(filter: AuditFilter): Promise<readonly AuditRecord[]> {
    const { withinCompanyId, companyId, action, actorUserId, from, to, beforeId, limit } = filter
    const rows = this.rows.orderBy('id', 'desc').limit(limit)
    if (companyId !== undefined) void rows.where('company_id', companyId)
    if (withinCompanyId !== undefined) void rows.whereIn('company_id', descendants(this.session, withinCompanyId))
    if (action !== undefined) void rows.where('action', action)
    if (actorUserId !== undefined) void rows.where('actor_user_id', actorUserId)
    if (from !== undefined) void rows.where('time', '>=', from)
    if (to !== undefined) void rows.where('time', '<', to)
    if (beforeId !== undefined) void rows.where('id', '<', beforeId)
    return (await rows.select()).map(toRecord)
  }

  async removeOlderThan(time: string, limit: number): Promise<number> {
    const old = this.rows.where('time', '<', time).orderBy('time').orderBy('id').limit(limit).select('id')
    return await this.rows.whereIn('id', old).delete()
  }
}

function toRow(record: Omit<AuditRecord, 'id'>): Row {
  return {
    time: record.time,
    action: record.action,
    outcome: record.outcome,
    company_id: record.companyId,
    actor_kind: record.actorKind,
    actor_user_id: record.actorUserId,
    actor_company_id: record.actorCompanyId,
    client_id: record.clientId,
    remote_address: record.remoteAddress,
    request_id: record.requestId,
    target_type: record.targetType,
    target_id: record.targetId,
    details: JSON.stringify(record.details),
  }
}

function toRecord(row: Row): AuditRecord {
  return {
    id: number(row, 'id'),
    time: text(row, 'time'),
    action: text(row, 'action'),
    outcome: text(row, 'outcome') as AuditOutcome,
    companyId: numberOrNull(row, 'company_id'),
    actorKind: text(row, 'actor_kind') as ActorKind,
    actorUserId: numberOrNull(row, 'actor_user_id'),
    actorCompanyId: numberOrNull(row, 'actor_company_id'),
    clientId: textOrNull(row, 'client_id'),
    remoteAddress: textOrNull(row, 'remote_address'),
    requestId: textOrNull(row, 'request_id'),
    targetType: text(row, 'target_type'),
    targetId: numberOrNull(row, 'target_id'),
    details: JSON.parse(text(row, 'details')) as AuditDetails,
  }
}

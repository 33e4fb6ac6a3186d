import type { AuditRecord, Repositories } from '../ports/index.js'
import { AUDIT_ACTIONS, type AuditAction, type AuditActions } from './audit-actions.js'
import type { AuditActor } from './audit-entry.js'

/** What was done, and to what. */
type AuditChange = {
  [Action in Exclude<AuditAction, RefusedAction>]: {
    readonly action: Action
    /** The company that it concerns; null for none, or all. */
    readonly companyId: number | null
    readonly targetId: number | null
    readonly details: AuditActions[Action]
  }
}[Exclude<AuditAction, RefusedAction>]

/** Actions that are recorded only where they are refused. */
type RefusedAction = 'permission.toggled' | 'token.refused' | 'login.refused'

/**
 * Adds an entry to the audit trail, in the transaction of the change: neither is without the other.
 *
 * @param repositories those of the transaction that makes the change
 */
export async function recordChange(
  { audit }: Pick<Repositories, 'audit'>,
  by: AuditActor,
  now: Date,
  change: AuditChange,
): Promise<void> {
  await audit.append(toDoneRecord(by, now, change))
}

/** As {@link recordChange}, for many: an entry for each, in their order. */
export async function recordChanges(
  { audit }: Pick<Repositories, 'audit'>,
  by: AuditActor,
  now: Date,
  changes: readonly AuditChange[],
): Promise<void> {
  await audit.appendAll(changes.map((change) => toDoneRecord(by, now, change)))
}

function toDoneRecord(
  by: AuditActor,
  now: Date,
  { action, companyId, targetId, details }: AuditChange,
): Omit<AuditRecord, 'id'> {
  const targetType = AUDIT_ACTIONS[action]
  return toAuditRecord(by, now, { action, outcome: 'done', companyId, targetType, targetId, details: { ...details } })
}

/** Most characters of a client id, an address or the id of a request: hosts may pass texts of any length. */
const MOST_CHARACTERS = 255

/** An entry with who did it, and when. */
export function toAuditRecord(
  { kind, userId, companyId, clientId, remoteAddress, requestId }: AuditActor,
  now: Date,
  what: Pick<AuditRecord, 'action' | 'outcome' | 'companyId' | 'targetType' | 'targetId' | 'details'>,
): Omit<AuditRecord, 'id'> {
  return {
    ...what,
    time: now.toISOString(),
    actorKind: kind,
    actorUserId: userId ?? null,
    actorCompanyId: companyId ?? null,
    clientId: clientId?.slice(0, MOST_CHARACTERS) ?? null,
    remoteAddress: remoteAddress?.slice(0, MOST_CHARACTERS) ?? null,
    requestId: requestId?.slice(0, MOST_CHARACTERS) ?? null,
  }
}

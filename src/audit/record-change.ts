import type { AuditRecord, Repositories } from '../ports/index.js'
import { AUDIT_ACTIONS, type AuditAction, type AuditActions } from './audit-actions.js'
import type { AuditActor } from './audit-entry.js'

/** A change, with its target and the details of its action. */
type AuditChange = {
  [Action in Exclude<AuditAction, RefusedAction>]: {
    readonly action: Action
    /** The company of the change; null for none, or for all companies. */
    readonly companyId: number | null
    readonly targetId: number | null
    readonly details: AuditActions[Action]
  }
}[Exclude<AuditAction, RefusedAction>]

/** Actions that are recorded only if they are refused. */
type RefusedAction = 'permission.toggled' | 'token.refused' | 'login.refused'

/**
 * Adds an entry to the audit trail, in the transaction of the change: both are committed, or none.
 *
 * @param repositories the repositories of the transaction that makes the change
 */
export async function recordChange(
  { audit }: Pick<Repositories, 'audit'>,
  by: AuditActor,
  now: Date,
  change: AuditChange,
): Promise<void> {
  await audit.append(toDoneRecord(by, now, change))
}

/** As {@link recordChange}, for many changes, in their order. */
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

/** Client ids, addresses and request ids are cut at this length, because hosts may pass texts of any length. */
const MAX_CHARACTERS = 255

/** Adds the actor and the time to an entry. */
export function toAuditRecord(
  { kind, userId, companyId, clientId, remoteAddress, requestId }: AuditActor,
  now: Date,
  event: Pick<AuditRecord, 'action' | 'outcome' | 'companyId' | 'targetType' | 'targetId' | 'details'>,
): Omit<AuditRecord, 'id'> {
  return {
    ...event,
    time: now.toISOString(),
    actorKind: kind,
    actorUserId: userId ?? null,
    actorCompanyId: companyId ?? null,
    clientId: clientId?.slice(0, MAX_CHARACTERS) ?? null,
    remoteAddress: remoteAddress?.slice(0, MAX_CHARACTERS) ?? null,
    requestId: requestId?.slice(0, MAX_CHARACTERS) ?? null,
  }
}

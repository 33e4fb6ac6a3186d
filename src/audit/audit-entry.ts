import type { ActorKind, AuditDetails, AuditOutcome, AuditRecord } from '../ports/index.js'
import type { AuditAction } from './audit-actions.js'

/** Who did what, from where, when, and with what outcome. */
export interface AuditEntry {
  readonly id: number
  /** ISO 8601. */
  readonly time: string
  readonly action: AuditAction
  readonly outcome: AuditOutcome
  /** The company that it concerns; null where it concerns none, or all. */
  readonly companyId: number | null
  readonly actor: {
    readonly kind: ActorKind
    /** Null for others than users. */
    readonly userId: number | null
  }
  /** Client id of the API key, `command-line`, or null. */
  readonly clientId: string | null
  readonly remoteAddress: string | null
  /** As the answer to the request carried it in `x-request-id`. */
  readonly requestId: string | null
  /** What it was done to. */
  readonly targetType: string
  readonly targetId: number | null
  /** Ids, and words of closed sets: never a name, an address, a secret or a text of somebody's. */
  readonly details: AuditDetails
}

/** A part of the audit trail. */
export interface AuditPage {
  readonly items: readonly AuditEntry[]
  /** For the next page; null on the last. */
  readonly nextCursor: string | null
}

/** @param isOriginShown whether the reader may know by what means and from where the actor acted */
export function toEntry(record: AuditRecord, isOriginShown: boolean): AuditEntry {
  const { actorKind, actorUserId, actorCompanyId: _company, clientId, remoteAddress, requestId, ...rest } = record
  return {
    id: rest.id,
    time: rest.time,
    action: rest.action as AuditAction,
    outcome: rest.outcome,
    companyId: rest.companyId,
    actor: { kind: actorKind, userId: actorUserId },
    clientId: isOriginShown ? clientId : null,
    remoteAddress: isOriginShown ? remoteAddress : null,
    requestId: isOriginShown ? requestId : null,
    targetType: rest.targetType,
    targetId: rest.targetId,
    details: rest.details,
  }
}

/** Who does something, by what means and from where. */
export interface AuditActor {
  readonly kind: ActorKind
  readonly userId?: number | undefined
  /** The company for which the actor acts. */
  readonly companyId?: number | undefined
  /** Client id of an API key, or the name of another means. */
  readonly clientId?: string | undefined
  readonly remoteAddress?: string | undefined
  readonly requestId?: string | undefined
}

/** The host by its own hand. */
export const HOST_ACTOR: AuditActor = { kind: 'host' }

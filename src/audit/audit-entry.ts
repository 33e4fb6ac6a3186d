import type { ActorKind, AuditDetails, AuditOutcome, AuditRecord } from '../ports/index.js'
import type { AuditAction } from './audit-actions.js'

/** One entry of the audit trail: the actor, the action, its target, time, origin and outcome. */
export interface AuditEntry {
  readonly id: number
  /** ISO 8601. */
  readonly time: string
  readonly action: AuditAction
  readonly outcome: AuditOutcome
  /** The company of the action; null for none, or for all companies. */
  readonly companyId: number | null
  readonly actor: {
    readonly kind: ActorKind
    /** Null if the actor is not a user. */
    readonly userId: number | null
  }
  /** Client id of the API key, `command-line`, or null. */
  readonly clientId: string | null
  readonly remoteAddress: string | null
  /** Id of the request. The answer had it in `x-request-id`. */
  readonly requestId: string | null
  /** The kind of the target, such as `user`. */
  readonly targetType: string
  readonly targetId: number | null
  /** Ids, and words of closed sets: never a name, an address, a secret or a user's text. */
  readonly details: AuditDetails
}

/** A page of the audit trail. */
export interface AuditPage {
  readonly items: readonly AuditEntry[]
  /** For the next page; null on the last. */
  readonly nextCursor: string | null
}

/** @param isOriginShown true if the reader may see the client id, the network address and the request id */
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

/** The actor of an audited action, with its client and network address. */
export interface AuditActor {
  readonly kind: ActorKind
  readonly userId?: number | undefined
  /** The company for which the actor acts. */
  readonly companyId?: number | undefined
  /** Client id of an API key, or the name of another client such as `command-line`. */
  readonly clientId?: string | undefined
  readonly remoteAddress?: string | undefined
  readonly requestId?: string | undefined
}

/** The host. */
export const HOST_ACTOR: AuditActor = { kind: 'host' }

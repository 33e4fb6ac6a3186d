import type { ActorKind, AuditDetails, AuditOutcome, AuditRecord, Sight } from '../ports/index.js'

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

/** The kind of an entry's target; `targetId` is its id. */
type AuditTarget =
  | 'account'
  | 'api-key'
  | 'company'
  | 'context'
  | 'delivery'
  | 'destination'
  | 'document'
  | 'permission'
  | 'role'
  | 'signing-key'
  | 'user'

/** The entry has no details: the target says everything. */
type NoDetails = Readonly<Record<string, never>>

/** The details of every refused action. */
interface RefusalDetails {
  /** An error code of the engine, or a word of a closed set. */
  readonly reason: string
}

interface PermissionDetails {
  readonly userId: number
  readonly accountId: number
  readonly roleId: number
}

/**
 * The recorded actions with their details. Details are ids and words of closed sets, never a name, an address, a secret
 * or a user's text.
 */
export interface AuditActions {
  'permission.created': PermissionDetails & { readonly disabled: boolean }
  'permission.role-changed': Omit<PermissionDetails, 'roleId'> & {
    readonly oldRoleId: number
    readonly newRoleId: number
  }
  'permission.suspended': PermissionDetails
  'permission.resumed': PermissionDetails
  'permission.revoked': PermissionDetails
  /** Only refused: the engine had not read whether the permission would be suspended or resumed. */
  'permission.toggled': RefusalDetails
  /** `service`: true for a service user, which is not a person. */
  'user.added': { readonly service: boolean }
  /** By the host's login, which knows another address, name or external id. */
  'user.updated': { readonly emailChanged: boolean; readonly externalIdChanged: boolean }
  'user.reinitiated': NoDetails
  'user.disabled': NoDetails
  'user.enabled': NoDetails
  /** `contexts`: the contexts that the user created were kept or deleted. */
  'user.deleted': { readonly contexts: 'keep' | 'delete' }
  /** `contexts`: their number. Each of them has an entry of its own. */
  'user.contexts-handed-over': { readonly newUserId: number; readonly contexts: number }
  'password.reset-requested': NoDetails
  /** `by`: the link of a mail, or the host. */
  'password.set': { readonly by: 'link' | 'host' }
  /** A secret was created and is not yet confirmed. */
  'otp.begun': NoDetails
  'otp.enabled': NoDetails
  /** `enabled`: true if the secret was in use, false if it was not yet confirmed. */
  'otp.disabled': { readonly enabled: boolean }
  'otp.recovery-codes-renewed': NoDetails
  /** A login by a recovery code; `left`: the number of remaining codes. */
  'otp.recovery-code-used': { readonly left: number }
  /** A token was revoked before it expired; the target is its API key. */
  'token.revoked': NoDetails
  /** A request for or about a token; the target is the API key, if it is known. */
  'token.refused': RefusalDetails
  /** A check of a password or a one-time password; the target is the user, if the address is known. */
  'login.refused': RefusalDetails
  /** `sight`: the contexts that the tokens of the key see. */
  'api-key.created': {
    readonly userId: number
    readonly assistant: boolean
    readonly tenant: boolean
    readonly sight: Sight
  }
  'api-key.revoked': { readonly userId: number }
  'company.created': { readonly parentId: number | null }
  'company.moved': { readonly oldParentId: number; readonly newParentId: number }
  'company.disabled': NoDetails
  'company.enabled': NoDetails
  /** Covers everything that belonged to the company. */
  'company.deleted': { readonly parentId: number | null }
  'account.created': NoDetails
  'account.enabled': NoDetails
  'account.disabled': NoDetails
  'account.deleted': NoDetails
  /** `capabilities`: separated by spaces. */
  'role.created': { readonly capabilities: string }
  'role.disabled': NoDetails
  'role.enabled': NoDetails
  'role.deleted': NoDetails
  'signing-key.rotated': NoDetails
  'context.created': { readonly accountId: number }
  'context.updated': { readonly accountId: number }
  'context.shared': { readonly accountId: number; readonly shareState: 0 | 1 }
  /** The context belongs to another user now. */
  'context.handed-over': { readonly accountId: number; readonly oldUserId: number; readonly newUserId: number }
  'context.deleted': { readonly accountId: number }
  'document.uploaded': { readonly contextId: number }
  'document.updated': { readonly contextId: number }
  'document.replaced': { readonly contextId: number }
  'document.retried': { readonly contextId: number }
  'document.deleted': { readonly contextId: number }
  'destination.created': NoDetails
  'destination.updated': { readonly urlChanged: boolean }
  /** `reason`: the destination answered 410, or somebody disabled it. */
  'destination.disabled': { readonly reason: 'gone' | 'manual' }
  'destination.enabled': NoDetails
  'destination.deleted': NoDetails
  'destination.secret-rotated': NoDetails
  'destination.tested': { readonly deliveryId: number }
  /** `deliveryId`: the delivery that is resent; the target is the new delivery. */
  'delivery.resent': { readonly deliveryId: number; readonly destinationId: number }
}

export type AuditAction = keyof AuditActions

/** The actions, each with the kind of its target. */
export const AUDIT_ACTIONS: Readonly<Record<AuditAction, AuditTarget>> = {
  'permission.created': 'permission',
  'permission.role-changed': 'permission',
  'permission.suspended': 'permission',
  'permission.resumed': 'permission',
  'permission.revoked': 'permission',
  'permission.toggled': 'permission',
  'user.added': 'user',
  'user.updated': 'user',
  'user.reinitiated': 'user',
  'user.disabled': 'user',
  'user.enabled': 'user',
  'user.deleted': 'user',
  'user.contexts-handed-over': 'user',
  'password.reset-requested': 'user',
  'password.set': 'user',
  'otp.begun': 'user',
  'otp.enabled': 'user',
  'otp.disabled': 'user',
  'otp.recovery-codes-renewed': 'user',
  'otp.recovery-code-used': 'user',
  'token.revoked': 'api-key',
  'token.refused': 'api-key',
  'login.refused': 'user',
  'api-key.created': 'api-key',
  'api-key.revoked': 'api-key',
  'company.created': 'company',
  'company.moved': 'company',
  'company.disabled': 'company',
  'company.enabled': 'company',
  'company.deleted': 'company',
  'account.created': 'account',
  'account.enabled': 'account',
  'account.disabled': 'account',
  'account.deleted': 'account',
  'role.created': 'role',
  'role.disabled': 'role',
  'role.enabled': 'role',
  'role.deleted': 'role',
  'signing-key.rotated': 'signing-key',
  'context.created': 'context',
  'context.updated': 'context',
  'context.shared': 'context',
  'context.handed-over': 'context',
  'context.deleted': 'context',
  'document.uploaded': 'document',
  'document.updated': 'document',
  'document.replaced': 'document',
  'document.retried': 'document',
  'document.deleted': 'document',
  'destination.created': 'destination',
  'destination.updated': 'destination',
  'destination.disabled': 'destination',
  'destination.enabled': 'destination',
  'destination.deleted': 'destination',
  'destination.secret-rotated': 'destination',
  'destination.tested': 'destination',
  'delivery.resent': 'delivery',
}

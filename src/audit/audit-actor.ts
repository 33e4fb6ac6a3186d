import type { ActorKind } from '../ports/index.js'

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

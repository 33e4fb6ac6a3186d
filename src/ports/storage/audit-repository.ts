/** Kinds of actors: a user, the host's own administration, the engine itself, or an unknown caller. */
export const ACTOR_KINDS = ['user', 'host', 'system', 'anonymous'] as const

export type ActorKind = (typeof ACTOR_KINDS)[number]

/** The outcome of an action. */
export type AuditOutcome = 'done' | 'refused'

/** Additional facts of an entry: only ids and values of closed sets, never free text. */
export type AuditDetails = Readonly<Record<string, number | boolean | string | null>>

/** One entry of the audit trail. It never changes. */
export interface AuditRecord {
  readonly id: number
  /** ISO 8601 in UTC, with milliseconds. */
  readonly time: string
  readonly action: string
  readonly outcome: AuditOutcome
  /** Id of the company that the entry concerns; null if it concerns no company or all companies. */
  readonly companyId: number | null
  readonly actorKind: ActorKind
  readonly actorUserId: number | null
  /** Id of the company for which the actor acted; null if there is none. */
  readonly actorCompanyId: number | null
  readonly clientId: string | null
  readonly remoteAddress: string | null
  readonly requestId: string | null
  readonly targetType: string
  readonly targetId: number | null
  readonly details: AuditDetails
}

/** Filter for {@link AuditRepository.list}. All given conditions must match. */
export interface AuditFilter {
  /** Only entries of this company and of those below it: see `CompanyRepository.isWithin`. */
  readonly withinCompanyId?: number
  /** Only entries of exactly this company. */
  readonly companyId?: number
  readonly action?: string
  readonly actorUserId?: number
  /** Only entries of this time or later: ISO 8601 in UTC, with milliseconds. */
  readonly from?: string
  /** Only entries before this time: ISO 8601 in UTC, with milliseconds. */
  readonly to?: string
  /** Only entries with a lower id. */
  readonly beforeId?: number
  /** Maximum number of entries. */
  readonly limit: number
}

/** The audit trail. Entries never change. The engine removes old ones. */
export interface AuditRepository {
  /**
   * Adds an entry in the transaction of the change that it records: a rollback takes back both. The companies and the
   * target may be deleted already.
   */
  append(record: Omit<AuditRecord, 'id'>): Promise<void>
  /** As {@link append}, for many entries, in their order. */
  appendAll(records: readonly Omit<AuditRecord, 'id'>[]): Promise<void>
  /** Lists entries, the newest first, by id. */
  list(filter: AuditFilter): Promise<readonly AuditRecord[]>
  /**
   * Removes entries before a time, the oldest first.
   *
   * @param time ISO 8601 in UTC, with milliseconds
   * @param limit maximum number of entries
   * @returns the number of removed entries
   */
  removeOlderThan(time: string, limit: number): Promise<number>
}

/** Who did something: a user, the host by its own hand, the engine by itself, or somebody who is not known. */
export const ACTOR_KINDS = ['user', 'host', 'system', 'anonymous'] as const

export type ActorKind = (typeof ACTOR_KINDS)[number]

/** Whether something was done, or refused. */
export type AuditOutcome = 'done' | 'refused'

/** Ids, and words of closed sets. */
export type AuditDetails = Readonly<Record<string, number | boolean | string | null>>

/** One entry of the audit trail. It never changes. */
export interface AuditRecord {
  readonly id: number
  /** ISO 8601. */
  readonly time: string
  readonly action: string
  readonly outcome: AuditOutcome
  /** The company that it concerns; null where it concerns none, or all. */
  readonly companyId: number | null
  readonly actorKind: ActorKind
  readonly actorUserId: number | null
  /** The company for which the actor acted. */
  readonly actorCompanyId: number | null
  readonly clientId: string | null
  readonly remoteAddress: string | null
  readonly requestId: string | null
  readonly targetType: string
  readonly targetId: number | null
  readonly details: AuditDetails
}

/** Which entries are listed. */
export interface AuditFilter {
  /** Only entries of this company and of those below it, as `CompanyRepository.isWithin` says. */
  readonly withinCompanyId?: number
  /** Only entries of this company alone. */
  readonly companyId?: number
  readonly action?: string
  readonly actorUserId?: number
  /** Only those of this time or later: ISO 8601 in UTC, with milliseconds. */
  readonly from?: string
  /** Only those before this time. */
  readonly to?: string
  /** Only those with a lower id. */
  readonly beforeId?: number
  readonly limit: number
}

/** The audit trail. Entries are added, and removed once they are old; nothing changes them. */
export interface AuditRepository {
  /**
   * Adds an entry in the transaction of the change that it tells of: a rollback takes both back. The companies and the
   * target need not exist any more.
   */
  append(record: Omit<AuditRecord, 'id'>): Promise<void>
  /** As {@link append}, for many, in their order. */
  appendAll(records: readonly Omit<AuditRecord, 'id'>[]): Promise<void>
  /** The newest first, by id. */
  list(filter: AuditFilter): Promise<readonly AuditRecord[]>
  /** Removes entries from before a time, the oldest first, at most `limit`. @returns how many were removed */
  removeOlderThan(time: string, limit: number): Promise<number>
}

import type { Container } from 'inversify'
import { type AuditEntry, type AuditPage, type AuditQuery, ListAudit } from '../audit/index.js'
import type { Reach } from '../tenancy-authorization/index.js'

/** The audit trail: who did what, from where, when, and with what outcome. */
export interface AuditOperations {
  /** A page, the newest first. */
  list(query?: AuditQuery): Promise<AuditPage>
  /** All entries, the newest first, read page by page; `limit` says how many at most. */
  entries(query?: AuditQuery): AsyncIterable<AuditEntry>
}

export function auditOperations(container: Container, authorize: () => Promise<Reach>): AuditOperations {
  return {
    list: async (query = {}) => await container.get(ListAudit).execute(query, await authorize()),
    entries: (query = {}) => container.get(ListAudit).entries(query, authorize),
  }
}

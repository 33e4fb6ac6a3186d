export {
  AUDIT_ACTIONS,
  type AuditAction,
  type AuditActor,
  type AuditEntry,
  type AuditPage,
  HOST_ACTOR,
} from './audit-entry.js'
export { type AuditQuery, auditQuerySchema, ListAudit, TRIM_AUDIT, TrimAudit } from './audit-trail.js'
export { AuditRefusals, recordChange, recordChanges } from './recording.js'

import { z } from 'zod'
import { AUDIT_ACTIONS, type AuditAction, type AuditEntry, type AuditPage } from '../../src/index.js'
import { ACTOR_KINDS } from '../../src/ports/index.js'
import { id, timestamp } from './schemas.js'

/** What the API answers about the audit trail. */

const auditEntry: z.ZodType<AuditEntry> = z
  .object({
    id,
    time: timestamp,
    action: z.enum(Object.keys(AUDIT_ACTIONS) as AuditAction[]),
    outcome: z.enum(['done', 'refused']),
    companyId: id.nullable().meta({ description: 'The company that it concerns; null for none, or all' }),
    actor: z.object({ kind: z.enum(ACTOR_KINDS), userId: id.nullable() }),
    clientId: z.string().nullable().meta({ description: 'Client id of the API key, or the name of another means' }),
    remoteAddress: z.string().nullable(),
    requestId: z.string().nullable().meta({ description: "The answer's x-request-id" }),
    targetType: z.string(),
    targetId: id.nullable(),
    details: z
      .record(z.string(), z.union([z.number(), z.boolean(), z.string(), z.null()]))
      .meta({ description: 'Ids, and words of closed sets' }),
  })
  .meta({ id: 'AuditEntry' })

export const auditPageSchema: z.ZodType<AuditPage> = z
  .object({
    items: z.array(auditEntry),
    nextCursor: z.string().nullable().meta({ description: 'For the next page; null on the last' }),
  })
  .meta({ id: 'AuditPage' })

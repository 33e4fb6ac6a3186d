import { z } from 'zod'
import { AUDIT_ACTIONS, type AuditAction, type AuditEntry, type AuditPage } from '../../src/index.js'
import { ACTOR_KINDS } from '../../src/ports/index.js'
import { id, timestamp } from './schemas.js'

/** The schemas of answers about the audit trail. */

const auditEntry: z.ZodType<AuditEntry> = z
  .object({
    id,
    time: timestamp,
    action: z.enum(Object.keys(AUDIT_ACTIONS) as AuditAction[]),
    outcome: z.enum(['done', 'refused']),
    companyId: id.nullable().meta({ description: 'The company that the entry concerns; null for none or all' }),
    actor: z.object({ kind: z.enum(ACTOR_KINDS), userId: id.nullable() }),
    clientId: z
      .string()
      .nullable()
      .meta({ description: 'Client id of the API key, or a name such as `command-line` for another way in' }),
    remoteAddress: z.string().nullable(),
    requestId: z.string().nullable().meta({ description: 'The `x-request-id` of the answer' }),
    targetType: z.string(),
    targetId: id.nullable(),
    details: z
      .record(z.string(), z.union([z.number(), z.boolean(), z.string(), z.null()]))
      .meta({ description: 'Ids, and values of fixed sets' }),
  })
  .meta({ id: 'AuditEntry' })

export const auditPageSchema: z.ZodType<AuditPage> = z
  .object({
    items: z.array(auditEntry),
    nextCursor: z.string().nullable().meta({ description: 'The `cursor` of the next page; null on the last page' }),
  })
  .meta({ id: 'AuditPage' })

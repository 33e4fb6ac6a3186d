import { auditQuerySchema } from '../../../src/index.js'
import { json } from '../answers.js'
import { auditPageSchema } from '../audit-schemas.js'
import { type Route, route } from '../route.js'

/** The audit trail. */
export const AUDIT_ROUTE: Route = route({
  api: 'tenant',
  access: 'tenant',
  method: 'GET',
  path: '/tenant/audit',
  operationId: 'listAudit',
  summary: "List who did what in the token's company and those below it",
  query: auditQuerySchema,
  answers: { 200: { description: 'A page, the newest first', schema: auditPageSchema } },
  handle: async ({ query }, { audit }) => json(await audit.list(query)),
})

import { auditQuerySchema } from '../../../src/index.js'
import { json } from '../answers.js'
import { auditPageSchema } from '../audit-schemas.js'
import { type Route, route } from '../route.js'

export const AUDIT_ROUTE: Route = route({
  api: 'tenant',
  access: 'tenant',
  method: 'GET',
  path: '/tenant/audit',
  operationId: 'listAudit',
  summary: "List the audit trail of the token's company and the companies below it",
  query: auditQuerySchema,
  answers: { 200: { description: 'A page, the newest entry first', schema: auditPageSchema } },
  handle: async ({ query }, { audit }) => json(await audit.list(query)),
})

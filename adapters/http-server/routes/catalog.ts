import { z } from 'zod'
import { CATALOG } from '../../../src/index.js'
import { json } from '../answers.js'
import { catalogEntrySchema } from '../event-schemas.js'
import { type Route, route } from '../route.js'

/** The types of events (specification, Tenant API and Events; its shape is of interfaces, REST). */
export const CATALOG_ROUTE: Route = route({
  api: 'events',
  access: 'any',
  method: 'GET',
  path: '/v1/outbound-webhooks/catalog',
  operationId: 'listEventTypes',
  summary: 'List the types of events',
  answers: { 200: { description: 'Every type, with the fields of its data', schema: z.array(catalogEntrySchema) } },
  handle: () => json(CATALOG),
})

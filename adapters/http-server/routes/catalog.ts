import { z } from 'zod'
import { CATALOG } from '../../../src/index.js'
import { json } from '../answers.js'
import { catalogEntrySchema } from '../event-schemas.js'
import { type Route, route } from '../route.js'

/** Specification: Events. */
export const CATALOG_ROUTE: Route = route({
  api: 'events',
  access: 'any',
  method: 'GET',
  path: '/v1/outbound-webhooks/catalog',
  operationId: 'listEventTypes',
  summary: 'List the event types',
  answers: {
    200: { description: 'All event types, with the fields of their data', schema: z.array(catalogEntrySchema) },
  },
  handle: () => json(CATALOG),
})

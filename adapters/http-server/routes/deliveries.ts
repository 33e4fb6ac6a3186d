import { deliveryQuerySchema } from '../../../src/index.js'
import { idSchema, objectSchema } from '../../../src/ports/index.js'
import { json } from '../answers.js'
import { deliveryPageSchema, deliverySchema, deliveryWithAttemptsSchema } from '../event-schemas.js'
import { type Route, route } from '../route.js'
import { throttledAnswer } from '../schemas.js'

const COMMON = { api: 'events', access: 'tenant' } as const
const DELIVERIES_PATH = '/v1/outbound-webhooks/deliveries'
const DELIVERY_BY_ID = { ...COMMON, path: `${DELIVERIES_PATH}/{id}`, params: objectSchema({ id: idSchema() }) } as const

/** The delivery log. Specification: Delivery rules. */
export const DELIVERY_ROUTES: readonly Route[] = [
  route({
    ...COMMON,
    method: 'GET',
    path: DELIVERIES_PATH,
    operationId: 'listDeliveries',
    summary: "List the deliveries of the token's company and the companies below it",
    query: deliveryQuerySchema,
    answers: { 200: { description: 'A page, the newest delivery first', schema: deliveryPageSchema } },
    handle: async ({ query }, { deliveries }) => json(await deliveries.list(query)),
  }),
  route({
    ...DELIVERY_BY_ID,
    method: 'GET',
    operationId: 'getDelivery',
    summary: 'Get a delivery with its attempts',
    answers: { 200: { description: 'The delivery', schema: deliveryWithAttemptsSchema } },
    handle: async ({ params }, { deliveries }) => json(await deliveries.get(params.id)),
  }),
  route({
    ...DELIVERY_BY_ID,
    method: 'POST',
    path: `${DELIVERIES_PATH}/{id}/resend`,
    operationId: 'resendDelivery',
    summary: 'Send the same bytes to the same destination as a new delivery',
    answers: {
      202: { description: 'The new delivery, which is queued', schema: deliverySchema },
      429: throttledAnswer('The company has resent too many deliveries in a minute'),
    },
    handle: async ({ params }, { deliveries }) => json(await deliveries.resend(params.id), 202),
  }),
]

import { z } from 'zod'
import { destinationSchema } from '../../../src/index.js'
import { idSchema, listQuerySchemaWith, objectSchema } from '../../../src/ports/index.js'
import { json, noContent, secretJson } from '../answers.js'
import { deliverySchema, destinationRecordSchema, destinationWithSecretSchema } from '../event-schemas.js'
import { type Route, route } from '../route.js'
import { limitAnswer, throttledAnswer } from '../schemas.js'
import { streamList } from '../stream-list.js'

const COMMON = { api: 'events', access: 'tenant' } as const
const DESTINATIONS_PATH = '/v1/outbound-webhooks/destinations'
const TOO_MANY_CHANGES = {
  429: throttledAnswer('The company has created or changed too many destinations in a minute'),
}
const DESTINATION_BY_ID = { ...COMMON, path: `${DESTINATIONS_PATH}/{id}`, params: objectSchema({ id: idSchema() }) } as const

/** Specification: Events. */
export const DESTINATION_ROUTES: readonly Route[] = [
  route({
    ...COMMON,
    method: 'GET',
    path: DESTINATIONS_PATH,
    operationId: 'listDestinations',
    summary: "List the destinations of a company; default: the token's company",
    query: listQuerySchemaWith({ cid: idSchema().optional() }),
    answers: {
      200: { description: 'Destinations, ordered by id', schema: z.array(destinationRecordSchema), hasNextLink: true },
    },
    handle: async (call, { destinations }) => {
      const { cid, ...query } = call.query
      return await streamList(call, await destinations.page(cid, query))
    },
  }),
  route({
    ...COMMON,
    method: 'POST',
    path: DESTINATIONS_PATH,
    operationId: 'createDestination',
    summary: 'Add a destination',
    body: destinationSchema,
    answers: {
      201: {
        description: 'The destination with its secret, which no later answer contains',
        schema: destinationWithSecretSchema,
      },
      409: limitAnswer('The company has reached its limit of destinations'),
      ...TOO_MANY_CHANGES,
    },
    handle: async ({ body }, { destinations }) => secretJson(await destinations.create(body), 201),
  }),
  route({
    ...DESTINATION_BY_ID,
    method: 'GET',
    operationId: 'getDestination',
    summary: 'Get a destination',
    answers: { 200: { description: 'The destination', schema: destinationRecordSchema } },
    handle: async ({ params }, { destinations }) => json(await destinations.get(params.id)),
  }),
  route({
    ...DESTINATION_BY_ID,
    method: 'PUT',
    operationId: 'updateDestination',
    summary: 'Update a destination; its secret and its company do not change',
    body: destinationSchema,
    answers: {
      200: { description: 'The updated destination', schema: destinationRecordSchema },
      ...TOO_MANY_CHANGES,
    },
    handle: async ({ params, body }, { destinations }) => json(await destinations.update(params.id, body)),
  }),
  route({
    ...DESTINATION_BY_ID,
    method: 'DELETE',
    operationId: 'deleteDestination',
    summary: 'Delete a destination and cancel its pending deliveries',
    answers: { 204: { description: 'The destination is deleted' } },
    handle: async ({ params }, { destinations }) => {
      await destinations.delete(params.id)
      return noContent()
    },
  }),
  route({
    ...DESTINATION_BY_ID,
    method: 'POST',
    path: `${DESTINATIONS_PATH}/{id}/rotate-secret`,
    operationId: 'rotateDestinationSecret',
    summary: 'Replace the signing secret of a destination',
    answers: {
      200: {
        description: 'The destination with its new secret, which no later answer contains',
        schema: destinationWithSecretSchema,
      },
    },
    handle: async ({ params }, { destinations }) => secretJson(await destinations.rotateSecret(params.id)),
  }),
  route({
    ...DESTINATION_BY_ID,
    method: 'POST',
    path: `${DESTINATIONS_PATH}/{id}/test`,
    operationId: 'testDestination',
    summary: 'Send a test event (run.started, of no run) to one destination',
    answers: {
      202: { description: 'The delivery, which is queued', schema: deliverySchema },
      429: throttledAnswer('The company has sent too many test events in a minute'),
    },
    handle: async ({ params }, { destinations }) => json(await destinations.test(params.id), 202),
  }),
]

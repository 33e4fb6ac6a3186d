import { z } from 'zod'
import {
  type Attempt,
  CATALOG,
  type CatalogEntry,
  type Delivery,
  type DeliveryPage,
  type DeliveryWithAttempts,
  type Destination,
  type DestinationWithSecret,
  DOCUMENT_CATALOG,
  deliveryQuerySchema,
  destinationSchema,
  rotateSecretSchema,
} from '../../../src/index.js'
import {
  DELIVERY_STATUSES,
  idSchema,
  listQuerySchemaWith,
  objectSchema,
  RETRY_SCHEDULES,
  SIGNATURE_SCHEMES,
} from '../../../src/ports/index.js'
import { json, noContent, secretJson, streamList } from '../answers.js'
import { type Route, route } from '../route.js'
import { id, timestamp } from '../schemas/fields.js'
import { problemAnswer, reasonSchema, throttledAnswer } from '../schemas/problems.js'

/** A union, so that typed clients complete the known types. */
const eventType = z
  .union([z.enum([...CATALOG, ...DOCUMENT_CATALOG].map(({ type }) => type)), z.string()])
  .meta({ id: 'EventType', description: 'A type of the catalog, or one that the host has named' })

const catalogEntrySchema: z.ZodType<CatalogEntry> = z
  .object({
    type: eventType,
    event_category: z.string(),
    description: z.string(),
    data: z
      .record(z.string(), z.string())
      .meta({ description: "The fields of the event's data, each with its JSON type" }),
  })
  .meta({ id: 'CatalogEntry' })

const destination = z.object({
  id,
  customerId: id.meta({ description: 'The company whose events it gets' }),
  url: z.string(),
  name: z.string().nullable(),
  eventTypes: z
    .array(eventType)
    .nullable()
    .meta({ description: 'Null for all types of the specification; other types must be named' }),
  includeDescendants: z.boolean().meta({ description: 'True to get the events of all companies below too' }),
  signatureScheme: z.enum(SIGNATURE_SCHEMES).meta({
    description: '`service`: `x-service-signature`; `standard`: the headers of Standard Webhooks; `both`: all of them',
  }),
  retry: z
    .enum(RETRY_SCHEDULES)
    .meta({ description: '`standard`: three attempts in seconds; `long`: eleven attempts in about a day' }),
  disabled: z.boolean().meta({ description: 'True if it gets no events' }),
  disabledReason: z.enum(['gone', 'manual']).nullable().meta({ description: '`gone`: it answered 410' }),
  failingSince: timestamp
    .nullable()
    .meta({ description: 'The first failed attempt since the last success; only with `long` retries' }),
  previousSecretExpires: timestamp
    .nullable()
    .meta({ description: 'The time until which the secret before the last rotation signs too' }),
  created: timestamp,
  updated: timestamp,
})
const destinationRecordSchema: z.ZodType<Destination> = destination.meta({ id: 'Destination' })

const destinationWithSecretSchema: z.ZodType<DestinationWithSecret> = destination
  .extend({
    secret: z.string().min(38).meta({ description: 'The key that signs deliveries; no later answer contains it' }),
  })
  .meta({ id: 'DestinationWithSecret' })

const httpStatus = z.int().nullable()

const reason = reasonSchema.nullable().meta({ description: '`error` for programs that say it in another language' })

const delivery = z.object({
  id,
  eventId: z.string().meta({ description: 'The `id` in the envelope' }),
  type: eventType,
  destinationId: id,
  status: z.enum(DELIVERY_STATUSES),
  httpStatus,
  attemptCount: z.int().min(0),
  error: z.string().nullable(),
  reason,
  created: timestamp,
  updated: timestamp,
})
const deliverySchema: z.ZodType<Delivery> = delivery.meta({ id: 'Delivery' })

const deliveryPageSchema: z.ZodType<DeliveryPage> = z
  .object({
    items: z.array(deliverySchema),
    nextCursor: z.string().nullable().meta({ description: 'The `cursor` of the next page; null on the last page' }),
  })
  .meta({ id: 'DeliveryPage' })

const attempt: z.ZodType<Attempt> = z
  .object({
    outcome: z
      .enum(['success', 'http_error', 'timeout', 'connection_error', 'blocked', 'interrupted'])
      .nullable()
      .meta({ description: 'Null while the attempt runs' }),
    httpStatus,
    error: z.string().nullable(),
    reason,
    responseBody: z.string().nullable().meta({ description: 'The beginning of the response body as text' }),
    started: timestamp,
    durationMs: z.int().nullable(),
  })
  .meta({ id: 'Attempt' })

const deliveryWithAttemptsSchema: z.ZodType<DeliveryWithAttempts> = delivery
  .extend({
    resendOf: id.nullable().meta({ description: 'The delivery whose bytes this one repeats' }),
    payload: z.string().meta({ description: 'The body of the request' }),
    attempts: z.array(attempt),
  })
  .meta({ id: 'DeliveryWithAttempts' })

const catalogQuerySchema: z.ZodType<{ readonly all?: boolean | undefined }> = objectSchema({
  all: z
    .boolean({ error: 'must be true or false' })
    .optional()
    .meta({ description: 'True to add the types of documents and of the application; default: false' }),
})

/** The event types. Specification: Events. */
export const CATALOG_ROUTE: Route = route({
  api: 'events',
  access: 'any',
  method: 'GET',
  path: '/v1/outbound-webhooks/catalog',
  operationId: 'listEventTypes',
  summary: 'List the event types',
  query: catalogQuerySchema,
  answers: {
    200: {
      description: 'The event types of the specification, or all types, with the fields of their data',
      schema: z.array(catalogEntrySchema),
    },
  },
  handle: async ({ query, engine }) => json(query.all === true ? await engine.events.catalog() : CATALOG),
})

const COMMON = { api: 'events', access: 'tenant' } as const
const DESTINATIONS_PATH = '/v1/outbound-webhooks/destinations'
const TOO_MANY_CHANGES = {
  429: throttledAnswer('The company has created or changed too many destinations in a minute'),
}
const DESTINATION_BY_ID = {
  ...COMMON,
  path: `${DESTINATIONS_PATH}/{id}`,
  params: objectSchema({ id: idSchema() }),
} as const

/** Destinations of events. Specification: Events. */
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
      409: problemAnswer('The company has reached its limit of destinations'),
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
    membersSentBack: ['id', 'disabledReason', 'failingSince', 'previousSecretExpires', 'created', 'updated'],
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
    description:
      'With the schemes `standard` and `both`, requests have a signature by the old secret too, for `overlapHours`.',
    query: rotateSecretSchema,
    answers: {
      200: {
        description: 'The destination with its new secret, which no later answer contains',
        schema: destinationWithSecretSchema,
      },
    },
    handle: async ({ params, query }, { destinations }) =>
      secretJson(await destinations.rotateSecret(params.id, query)),
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

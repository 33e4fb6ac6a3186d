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
} from '../../src/index.js'
import { DELIVERY_STATUSES } from '../../src/ports/index.js'
import { id, timestamp } from './schemas.js'

/** The schemas of answers about outbound webhooks. */

const eventType = z.enum(CATALOG.map(({ type }) => type)).meta({ id: 'EventType' })

export const catalogEntrySchema: z.ZodType<CatalogEntry> = z
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
  eventTypes: z.array(eventType).nullable().meta({ description: 'Null for all types' }),
  includeDescendants: z.boolean().meta({ description: 'True to get the events of all companies below too' }),
  created: timestamp,
  updated: timestamp,
})
export const destinationRecordSchema: z.ZodType<Destination> = destination.meta({ id: 'Destination' })

export const destinationWithSecretSchema: z.ZodType<DestinationWithSecret> = destination
  .extend({
    secret: z.string().min(38).meta({ description: 'The key that signs deliveries; no later answer contains it' }),
  })
  .meta({ id: 'DestinationWithSecret' })

const httpStatus = z.int().nullable()

const delivery = z.object({
  id,
  eventId: z.string().meta({ description: 'The `id` in the envelope' }),
  type: eventType,
  destinationId: id,
  status: z.enum(DELIVERY_STATUSES),
  httpStatus,
  attemptCount: z.int().min(0),
  error: z.string().nullable(),
  created: timestamp,
  updated: timestamp,
})
export const deliverySchema: z.ZodType<Delivery> = delivery.meta({ id: 'Delivery' })

export const deliveryPageSchema: z.ZodType<DeliveryPage> = z
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
    responseBody: z.string().nullable().meta({ description: 'The beginning of the response body as text' }),
    started: timestamp,
    durationMs: z.int().nullable(),
  })
  .meta({ id: 'Attempt' })

export const deliveryWithAttemptsSchema: z.ZodType<DeliveryWithAttempts> = delivery
  .extend({
    resendOf: id.nullable().meta({ description: 'The delivery whose bytes this one repeats' }),
    payload: z.string().meta({ description: 'The body of the request' }),
    attempts: z.array(attempt),
  })
  .meta({ id: 'DeliveryWithAttempts' })

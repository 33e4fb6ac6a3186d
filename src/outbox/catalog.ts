import type { z } from 'zod'
import { closedObjectSchema } from '../kernel/validate.js'
import { type BuiltInEventType, DOCUMENT_EVENT_TYPES, EVENT_TYPES } from '../webhooks/index.js'
import { type FieldKind, fieldSchema, jsonTypeOf } from './event-fields.js'

/** An event type in the catalog. */
export interface CatalogEntry {
  readonly type: string
  /** The prefix of the type. */
  readonly event_category: string
  readonly description: string
  /** The JSON type of each field of the event's data. */
  readonly data: Readonly<Record<string, string>>
}

interface Definition {
  readonly description: string
  /** In the order of the sent members. */
  readonly fields: Readonly<Record<string, FieldKind>>
}

const DOCUMENT_FIELDS = { contextId: 'integer', docId: 'integer', uuid: 'uuid', originalName: 'string' } as const

/** Specification: Event types and data fields. The types of documents are the engine's own. */
const DEFINITIONS: Readonly<Record<BuiltInEventType, Definition>> = {
  'run.started': { description: 'A run has started', fields: { jobKey: 'uuid' } },
  'run.completed': { description: 'A run has ended', fields: { jobKey: 'uuid', success: 'boolean' } },
  'run.failed': { description: 'A run has failed', fields: { jobKey: 'uuid', success: 'boolean' } },
  'agent.created': { description: 'An agent was created', fields: { agentId: 'integer', name: 'string' } },
  'agent.published': {
    description: 'A revision of an agent was published',
    fields: { agentId: 'integer', revisionId: 'integer' },
  },
  'agent.unpublished': { description: 'An agent is no longer published', fields: { agentId: 'integer' } },
  'agent.enabled': {
    description: 'An agent was enabled',
    fields: { agentId: 'integer', enabled: 'boolean', runnable: 'boolean' },
  },
  'agent.disabled': {
    description: 'An agent was disabled',
    fields: { agentId: 'integer', enabled: 'boolean', runnable: 'boolean' },
  },
  'agent.deleted': { description: 'An agent was deleted', fields: { agentId: 'integer' } },
  'document.completed': {
    description: 'A document, or its new version, is completed',
    fields: { ...DOCUMENT_FIELDS, replacement: 'boolean', chunks: 'integer' },
  },
  'document.failed': {
    description: 'A document, or its new version, has failed',
    fields: { ...DOCUMENT_FIELDS, replacement: 'boolean', error: 'string' },
  },
  'document.deleted': { description: 'A document was deleted', fields: DOCUMENT_FIELDS },
}

/** The event types of the specification, as `GET /v1/outbound-webhooks/catalog` returns them. */
export const CATALOG: readonly CatalogEntry[] = EVENT_TYPES.map(toEntry)

/** The types of events about documents. A destination gets those that it names. */
export const DOCUMENT_CATALOG: readonly CatalogEntry[] = DOCUMENT_EVENT_TYPES.map(toEntry)

function toEntry(type: BuiltInEventType): CatalogEntry {
  const { description, fields } = DEFINITIONS[type]
  const data = Object.fromEntries(Object.entries(fields).map(([name, kind]) => [name, jsonTypeOf(kind)]))
  return { type, event_category: categoryOf(type), description, data }
}

/** The prefix of a type, such as `run`. */
export function categoryOf(type: string): string {
  return type.slice(0, type.indexOf('.'))
}

/** The schema of an event's data. It requires all fields of the type, and refuses any other field. */
export function dataSchema(type: BuiltInEventType): z.ZodType<Record<string, unknown>> {
  return fieldsSchema(DEFINITIONS[type].fields)
}

export function fieldsSchema(fields: Readonly<Record<string, FieldKind>>): z.ZodType<Record<string, unknown>> {
  return closedObjectSchema(Object.fromEntries(Object.entries(fields).map(([name, kind]) => [name, fieldSchema(kind)])))
}

/** The fields of an event's data, in the order of the sent members. */
export function fieldsOf(type: BuiltInEventType): readonly string[] {
  return Object.keys(DEFINITIONS[type].fields)
}
